import asyncio
from contextlib import asynccontextmanager

@asynccontextmanager
async def opened(name):
    print("open", name)
    try:
        yield name.upper()
    finally:
        print("close", name)

async def ticks(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield i
# --- cell
async with opened("a") as a, opened("b") as b:
    print(a, b)
# --- cell
async for t in ticks(3):
    print("tick", t)
else:
    print("no more")
# --- cell
{t: [u async for u in ticks(t)] async for t in ticks(3)}
