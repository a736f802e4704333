# mechanism: fork
# kind: end
# ends: value error crash

import os
os.fork()
