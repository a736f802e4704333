# mechanism: task that does not give up
# kind: endless
# ends: soft hard value error

import asyncio
async def f():
  while True:
    try: await asyncio.sleep(9)
    except BaseException: pass
t = asyncio.create_task(f())
await t
