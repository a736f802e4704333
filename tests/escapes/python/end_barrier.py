# mechanism: barrier
# kind: end
# ends: deadlock

import asyncio
await asyncio.Barrier(2).wait()
