# mechanism: queue
# kind: end
# ends: deadlock

import asyncio
await asyncio.Queue().get()
