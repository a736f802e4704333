# mechanism: thread's exit
# kind: end
# ends: error

import _thread
_thread.exit()
