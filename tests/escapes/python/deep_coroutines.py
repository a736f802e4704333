# mechanism: coroutines
# kind: deep
# ends: error

async def f(): await f()
await f()
