# mechanism: sys.exit
# kind: end
# ends: error

import sys
sys.exit(3)
