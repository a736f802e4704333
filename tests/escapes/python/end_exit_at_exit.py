# mechanism: exit at exit
# kind: end
# ends: value error crash

import atexit, os
atexit.register(os._exit, 3)
atexit._run_exitfuncs()
