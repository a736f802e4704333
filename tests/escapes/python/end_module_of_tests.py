# mechanism: module of tests
# kind: end
# ends: value error crash

import _testcapi
_testcapi.crash_no_current_thread()
