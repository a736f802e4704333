# mechanism: interrupt of the main thread
# kind: end
# ends: error

import _thread
_thread.interrupt_main()
for _ in range(9): pass
