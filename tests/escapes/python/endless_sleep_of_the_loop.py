# mechanism: sleep of the loop
# kind: endless
# ends: soft

import asyncio
await asyncio.sleep(1e6)
