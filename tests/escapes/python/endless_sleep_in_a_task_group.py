# mechanism: sleep in a task group
# kind: endless
# ends: soft

import asyncio
async with asyncio.TaskGroup() as g:
  for _ in range(9): g.create_task(asyncio.sleep(99))
