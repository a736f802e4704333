# mechanism: event
# kind: end
# ends: deadlock

import asyncio
await asyncio.Event().wait()
