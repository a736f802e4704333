# mechanism: task that waits for itself
# kind: end
# ends: error

import asyncio
async def f(): await t
t = asyncio.create_task(f())
await t
