import asyncio

async def producer(queue, items):
    for item in items:
        await queue.put(item)
    queue.shutdown()

async def consumer(queue):
    got = []
    try:
        while True:
            got.append(await queue.get())
    except asyncio.QueueShutDown:
        return got

queue = asyncio.Queue(maxsize=1)
(_, got) = await asyncio.gather(producer(queue, "abc"), consumer(queue))
got
# --- cell
heap = asyncio.PriorityQueue()
for item in (3, 1, 2):
    heap.put_nowait(item)
[heap.get_nowait() for _ in range(3)]
# --- cell
asyncio.LifoQueue(1).get_nowait()
