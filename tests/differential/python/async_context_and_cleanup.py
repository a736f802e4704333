import asyncio
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
log = []
@asynccontextmanager
async def res(n):
    log.append(f"+{n}")
    try:
        yield n
    finally:
        await asyncio.sleep(0)
        log.append(f"-{n}")
async with AsyncExitStack() as stack:
    got = [await stack.enter_async_context(res(n)) for n in range(2)]
got, log
# --- cell
async def numbers():
    try:
        yield 1
        yield 2
    finally:
        log.append("gen closed")
async with aclosing(numbers()) as g:
    async for n in g:
        break
log[-1]
# --- cell
try:
    async with res("x"):
        raise KeyError("inside")
except KeyError as e:
    print(e, log[-1])
