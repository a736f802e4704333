# mechanism: program
# kind: end
# ends: value error crash

import os
os.execv('/bin/true', ['true'])
