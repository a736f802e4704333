def g():
    yield 1
    raise ValueError("in generator")
for x in g(): print(x)
# --- cell
it = g(); next(it)
it.throw(KeyError("thrown in"))
# --- cell
def cleanup():
    try:
        yield
    finally:
        print("closing")
c = cleanup(); next(c); c.close()
c.send(1)
# --- cell
def ignores():
    while True:
        try: yield
        except GeneratorExit: pass
i = ignores(); next(i)
i.close()
# --- cell
next(x for x in [])
# --- cell
g().send("early")
