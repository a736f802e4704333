import asyncio
order = []

async def using(lock, name):
    async with lock:
        order.append(f"{name}+")
        await asyncio.sleep(0)
        order.append(f"{name}-")

lock = asyncio.Lock()
await asyncio.gather(using(lock, "a"), using(lock, "b"))
order
# --- cell
event, seen = asyncio.Event(), []

async def waiter(n):
    await event.wait()
    seen.append(n)

tasks = [asyncio.create_task(waiter(n)) for n in range(3)]
await asyncio.sleep(0)
before = list(seen)
event.set()
await asyncio.gather(*tasks)
before, seen
# --- cell
gate = asyncio.Semaphore(2)
running = peak = 0

async def limited():
    global running, peak
    async with gate:
        running += 1
        peak = max(peak, running)
        await asyncio.sleep(0)
        running -= 1

await asyncio.gather(*(limited() for _ in range(6)))
peak
# --- cell
condition = asyncio.Condition()
async def consumer():
    async with condition:
        await condition.wait_for(lambda: len(order) > 4)
        return order[-1]
task = asyncio.create_task(consumer())
await asyncio.sleep(0)
async with condition:
    order.append("produced")
    condition.notify_all()
await task
