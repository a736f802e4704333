import asyncio

async def after(delay, value):
    await asyncio.sleep(delay)
    return value

fast, slow = asyncio.create_task(after(0, "fast")), asyncio.create_task(after(60, "slow"))
done, pending = await asyncio.wait({fast, slow}, return_when=asyncio.FIRST_COMPLETED)
[t.result() for t in done], len(pending)
# --- cell
slow.cancel()
try:
    await slow
except asyncio.CancelledError as e:
    print(type(e).__mro__[1].__name__)
slow.cancelled()
# --- cell
[await f for f in asyncio.as_completed([after(0.02, "b"), after(0, "a")])]
# --- cell
await asyncio.gather(after(0, 1), asyncio.sleep(0, 2), return_exceptions=True)
# --- cell
shielded = asyncio.create_task(after(0, "kept"))
outer = asyncio.shield(shielded)
outer.cancel()
await asyncio.gather(outer, return_exceptions=True), await shielded
