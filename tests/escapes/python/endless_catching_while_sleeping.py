# mechanism: catching while sleeping
# kind: endless
# ends: hard

import time
while True:
  try: time.sleep(1)
  except BaseException: pass
