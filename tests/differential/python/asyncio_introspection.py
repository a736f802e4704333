import asyncio
async def worker():
    t = asyncio.current_task()
    t.set_name("renamed")
    await asyncio.sleep(0)
    return t.get_name(), t.done(), asyncio.iscoroutinefunction(worker)
await asyncio.create_task(worker(), name="first")
# --- cell
t = asyncio.create_task(asyncio.sleep(0, "v"))
t.add_done_callback(lambda f: print("callback", f.result()))
await t
await asyncio.sleep(0)
t.done(), t.result(), t.cancelled(), t.exception()
# --- cell
asyncio.iscoroutine(c := worker()), c.close()
# --- cell
f = asyncio.get_running_loop().create_future()
asyncio.get_running_loop().call_soon(f.set_result, 5)
asyncio.get_running_loop().call_later(0.001, print, "later")
r = await f
await asyncio.sleep(0.01)
r
# --- cell
await asyncio.to_thread(lambda: "in a thread")
