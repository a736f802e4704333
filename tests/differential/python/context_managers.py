from contextlib import contextmanager, suppress, closing, ExitStack, redirect_stdout, nullcontext
import io
class CM:
    def __init__(self, name, swallow=False): self.name, self.swallow = name, swallow
    def __enter__(self): print("enter", self.name); return self
    def __exit__(self, kind, exc, tb):
        print("exit", self.name, kind and kind.__name__)
        return self.swallow
with CM("a") as a, CM("b", swallow=True):
    raise ValueError
print("after")
# --- cell
@contextmanager
def tag(name):
    print(f"<{name}>")
    try: yield name
    except KeyError as e: print("caught", e)
    finally: print(f"</{name}>")
with tag("p") as p:
    {}["x"]
# --- cell
with ExitStack() as stack:
    for n in range(3):
        stack.callback(print, "callback", n)
    stack.enter_context(CM("in stack"))
# --- cell
buffer = io.StringIO()
with redirect_stdout(buffer), suppress(ZeroDivisionError):
    print("hidden")
    1 / 0
buffer.getvalue()
# --- cell
with (nullcontext(1) as x, nullcontext(2) as y): print(x + y)
# --- cell
with 5: pass
