import asyncio

async def work(n):
    await asyncio.sleep(0)
    return n + 1

asyncio.run(work(1))
# --- cell
with asyncio.Runner() as runner:
    print(runner.run(work(5)), runner.run(work(6)))
