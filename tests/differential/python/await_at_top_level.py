import asyncio
await asyncio.sleep(0, result="slept")
# --- cell
async def double(n):
    await asyncio.sleep(0)
    return n * 2

results = await asyncio.gather(*(double(n) for n in range(5)))
results
# --- cell
[await double(n) for n in (1, 2)] + [await double(9)]
# --- cell
x = (await double(4)) if results else None
x
