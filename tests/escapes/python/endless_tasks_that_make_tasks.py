# mechanism: tasks that make tasks
# kind: endless
# ends: soft

import asyncio
async def f(): asyncio.create_task(f())
await f()
await asyncio.sleep(99)
