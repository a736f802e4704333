import asyncio
log = []

async def worker(name, queue):
    while (item := await queue.get()) is not None:
        log.append((name, item))
    return name

queue = asyncio.Queue()
task = asyncio.create_task(worker("w", queue))
await asyncio.sleep(0)
# --- cell
queue.put_nowait(1)
queue.put_nowait(2)
# --- cell
await asyncio.sleep(0)
log
# --- cell
await queue.put(None)
await task, log
