# mechanism: exit in a task
# kind: end
# ends: error

import asyncio, sys
async def f(): sys.exit(1)
await asyncio.create_task(f())
