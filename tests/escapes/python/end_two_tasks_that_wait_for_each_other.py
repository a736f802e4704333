# mechanism: two tasks that wait for each other
# kind: end
# ends: deadlock

import asyncio
async def f(): await b
async def g(): await a
a = asyncio.create_task(f())
b = asyncio.create_task(g())
await asyncio.gather(a, b)
