# mechanism: sleep
# kind: endless
# ends: soft

import time
time.sleep(1e6)
