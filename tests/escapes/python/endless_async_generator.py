# mechanism: async generator
# kind: endless
# ends: soft

async def g():
  while True: yield 1
async for _ in g(): pass
