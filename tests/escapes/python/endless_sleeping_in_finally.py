# mechanism: sleeping in finally
# kind: endless
# ends: hard

import time
while True:
  try: time.sleep(9)
  finally:
    continue
