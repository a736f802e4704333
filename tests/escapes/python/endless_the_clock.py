# mechanism: the clock
# kind: endless
# ends: soft

import time
while True: time.time()
