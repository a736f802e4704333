# mechanism: future
# kind: end
# ends: deadlock

import asyncio
await asyncio.Future()
