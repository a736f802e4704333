class Ticker:
    def __init__(self, n): self.n = n
    def __aiter__(self): return self
    async def __anext__(self):
        if self.n == 0: raise StopAsyncIteration
        self.n -= 1
        return self.n
class Door:
    async def __aenter__(self): print("in"); return self
    async def __aexit__(self, *exc): print("out", exc[0]); return True
[x async for x in Ticker(3) if x != 1]
# --- cell
async with Door(): raise KeyError("swallowed")
"after"
# --- cell
class Later:
    def __await__(self):
        yield from ()
        return "awaited"
await Later()
# --- cell
await 5
# --- cell
async for x in [1]: pass
# --- cell
async def f(): return [await Later() for _ in range(2)]
await f(), (await f())[0]
