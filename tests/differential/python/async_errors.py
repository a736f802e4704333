import asyncio
async def inner():
    await asyncio.sleep(0)
    raise ValueError("deep")
async def middle():
    try:
        await inner()
    except ValueError as e:
        raise RuntimeError("wrapped") from e
await middle()
# --- cell
r = await asyncio.gather(inner(), asyncio.sleep(0, "ok"), return_exceptions=True)
r
# --- cell
async def cleanup():
    try:
        await asyncio.sleep(10)
    finally:
        print("cleaned")
t = asyncio.create_task(cleanup())
await asyncio.sleep(0)
t.cancel("why")
try: await t
except asyncio.CancelledError as e: print(e.args)
# --- cell
fut = asyncio.get_running_loop().create_future()
fut.set_exception(LookupError("set"))
await fut
