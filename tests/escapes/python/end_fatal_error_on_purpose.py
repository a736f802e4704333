# mechanism: fatal error on purpose
# kind: end
# ends: value error crash

import faulthandler
faulthandler._fatal_error_c_thread()
