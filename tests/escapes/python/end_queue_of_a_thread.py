# mechanism: queue of a thread
# kind: end
# ends: deadlock

import queue
queue.Queue().get()
