# mechanism: awaiting nothing
# kind: endless
# ends: soft

import asyncio
while True: await asyncio.sleep(0)
