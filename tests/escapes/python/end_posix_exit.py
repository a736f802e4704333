# mechanism: posix._exit
# kind: end
# ends: value error crash

import posix
posix._exit(3)
