async def echo():
    got = "start"
    while True:
        try:
            got = yield got
        except ValueError as e:
            got = f"caught {e}"
g = echo()
[await anext(g), await g.asend("a"), await g.athrow(ValueError("v")), await g.asend("b")]
# --- cell
await g.aclose()
await anext(g, "ended")
# --- cell
async def agen():
    for i in range(3):
        yield i
(await agen().__anext__(), [i async for i in agen() if i], {i: i async for i in agen()}, {i async for i in agen()})
# --- cell
sum([i async for i in agen()]), max([x async for x in agen()])
# --- cell
tuple(x async for x in agen())
