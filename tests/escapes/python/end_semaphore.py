# mechanism: semaphore
# kind: end
# ends: deadlock

import asyncio
s = asyncio.Semaphore(0)
await s.acquire()
