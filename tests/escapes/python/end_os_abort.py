# mechanism: os.abort
# kind: end
# ends: error

import os
os.abort()
