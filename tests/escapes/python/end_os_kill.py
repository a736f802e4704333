# mechanism: os.kill
# kind: end
# ends: error

import os
os.kill(os.getpid(), 9)
