import functools
def deco(f):
    @functools.wraps(f)
    def inner(*a):
        return f(*a)
    return inner

@deco
def divide(a, b):
    return a / b
# --- cell
divide(1, 0)
# --- cell
list(map(lambda x: 1 / x, [1, 0]))
# --- cell
sorted([1, "a"], key=lambda v: v + 1)
# --- cell
class A:
    @property
    def bad(self):
        return self.nothing
    def __getitem__(self, k):
        raise IndexError(k)
A().bad
# --- cell
A()[5]
# --- cell
[1 / n for n in (1, 0)]
# --- cell
(1 / n for n in (0,)).__next__()
