class LoadError(Exception):
    pass

def load(name):
    try:
        return {"a": 1}[name]
    except KeyError as e:
        raise LoadError(f"cannot load {name}") from e

try:
    load("b")
except LoadError:
    open_again = load("c")
# --- cell
try:
    1 / 0
except ZeroDivisionError:
    raise ValueError("hidden") from None
# --- cell
try:
    try:
        raise LookupError("first")
    finally:
        raise RuntimeError("second")
except RuntimeError as e:
    print(repr(e.__context__), e.__cause__, e.__suppress_context__)
