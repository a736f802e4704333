# mechanism: an own event loop
# kind: endless
# ends: soft

import asyncio
async def f():
  while True: await asyncio.sleep(0)
asyncio.run(f())
