def gen():
    got = yield 1
    print("got", got)
    try:
        yield 2
    except ValueError as e:
        print("thrown", e)
        yield "recovered"
    return "done"

g = gen()
next(g), g.send("hello"), g.throw(ValueError("boo"))
# --- cell
try:
    next(g)
except StopIteration as e:
    print("value", e.value)
# --- cell
def outer():
    result = yield from gen()
    print("inner returned", result)
    yield from "ab"
list(outer())
# --- cell
def bad():
    yield 1
    raise StopIteration
list(bad())
# --- cell
class Count:
    def __init__(self, n): self.n = n
    def __iter__(self): return self
    def __next__(self):
        if self.n == 0: raise StopIteration
        self.n -= 1
        return self.n
list(Count(3)), list(iter(lambda it=iter("abc."): next(it), "."))
# --- cell
closing = gen(); next(closing); closing.close(); closing.gi_frame
