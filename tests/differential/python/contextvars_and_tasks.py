import asyncio
from contextvars import ContextVar, copy_context

user = ContextVar("user", default="nobody")

async def who(name):
    if name:
        user.set(name)
    await asyncio.sleep(0)
    return user.get()

await asyncio.gather(who("ann"), who(None), who("bob")), user.get()
# --- cell
token = user.set("cell")
await who(None)
# --- cell
user.get(), copy_context().run(lambda: (user.set("inner"), user.get())[1]), user.get()
# --- cell
user.reset(token)
user.get(), token.var is user, token.old_value is token.MISSING
