# mechanism: lock of a thread
# kind: end
# ends: deadlock

import threading
l = threading.Lock()
l.acquire()
l.acquire()
