# mechanism: tasks
# kind: memory
# ends: error soft

import asyncio
x = []
while True: x.append(asyncio.create_task(asyncio.sleep(9, bytes(50_000))))
