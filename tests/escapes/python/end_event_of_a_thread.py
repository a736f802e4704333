# mechanism: event of a thread
# kind: end
# ends: deadlock

import threading
threading.Event().wait()
