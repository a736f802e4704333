# mechanism: many short sleeps
# kind: endless
# ends: soft

import time
while True: time.sleep(0.001)
