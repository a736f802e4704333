import asyncio

async def fail(kind, text):
    await asyncio.sleep(0)
    raise kind(text)

try:
    async with asyncio.TaskGroup() as group:
        group.create_task(fail(ValueError, "one"))
        group.create_task(fail(KeyError, "two"))
except* ValueError as caught:
    print("values", caught.exceptions)
except* KeyError as caught:
    print("keys", caught.exceptions)
