# mechanism: catching while waiting
# kind: endless
# ends: hard

import asyncio
while True:
  try: await asyncio.sleep(1)
  except BaseException: pass
