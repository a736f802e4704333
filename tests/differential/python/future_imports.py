from __future__ import annotations
def f(x: undefined_name) -> also_undefined: pass
f.__annotations__
# --- cell
class A:
    me: A
    other: "B"
A.__annotations__
# --- cell
x = 1
from __future__ import division
