# mechanism: os._exit
# kind: end
# ends: error

import os
os._exit(3)
