# mechanism: thread
# kind: end
# ends: error

import threading
threading.Thread(target=print).start()
