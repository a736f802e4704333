# mechanism: closing the streams
# kind: end
# ends: value error crash

import os, sys
sys.stdout.close()
sys.stderr.close()
os.close(1)
os.close(2)
