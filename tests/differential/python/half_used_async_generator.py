import asyncio

async def numbers():
    try:
        for n in range(10):
            yield n
    finally:
        print("closed")

gen = numbers()
first = await anext(gen), await gen.__anext__()
first
# --- cell
await gen.aclose()
# --- cell
try:
    await anext(gen)
except StopAsyncIteration:
    print("at its end")
await anext(numbers(), "default")
