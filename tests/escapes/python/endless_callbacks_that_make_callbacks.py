# mechanism: callbacks that make callbacks
# kind: endless
# ends: soft

import asyncio
loop = asyncio.get_running_loop()
def f(): loop.call_soon(f)
f()
await asyncio.sleep(99)
