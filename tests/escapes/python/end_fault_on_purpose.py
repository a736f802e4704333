# mechanism: fault on purpose
# kind: end
# ends: value error crash

import faulthandler
faulthandler._sigsegv()
