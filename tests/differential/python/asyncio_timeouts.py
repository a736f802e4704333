import asyncio

async def forever():
    try:
        await asyncio.sleep(3600)
    except asyncio.CancelledError:
        print("cancelled")
        raise

try:
    await asyncio.wait_for(forever(), 0.01)
except TimeoutError as e:
    print("timed out", repr(e))
# --- cell
try:
    async with asyncio.timeout(0.01):
        await forever()
except TimeoutError:
    print("again")
# --- cell
async with asyncio.timeout(None) as scope:
    pass
scope.expired()
