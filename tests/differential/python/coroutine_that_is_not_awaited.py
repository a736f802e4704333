async def nobody_waits():
    pass

nobody_waits()
0
