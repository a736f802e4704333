# mechanism: posix.abort
# kind: end
# ends: value error crash

import posix
posix.abort()
