# mechanism: shielded sleep
# kind: endless
# ends: soft

import asyncio
await asyncio.shield(asyncio.sleep(1e6))
