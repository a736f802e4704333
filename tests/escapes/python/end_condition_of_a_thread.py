# mechanism: condition of a thread
# kind: end
# ends: deadlock

import threading
c = threading.Condition()
with c: c.wait()
