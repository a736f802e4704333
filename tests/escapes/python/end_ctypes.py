# mechanism: ctypes
# kind: end
# ends: value error crash

import ctypes
ctypes.string_at(0)
