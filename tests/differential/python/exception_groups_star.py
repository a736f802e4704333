def f(errors):
    try:
        raise ExceptionGroup("g", errors)
    except* ValueError as e:
        print("V", len(e.exceptions))
    except* (TypeError, KeyError) as e:
        print("TK", [type(x).__name__ for x in e.exceptions])
    else:
        print("else")
    finally:
        print("finally")
f([ValueError(1), TypeError(2), KeyError(3)])
# --- cell
f([ValueError(1), OSError("left")])
# --- cell
try:
    raise ValueError("plain")
except* ValueError as e:
    print(repr(e))
# --- cell
ExceptionGroup("empty", [])
# --- cell
try:
    raise ExceptionGroup("outer", [ExceptionGroup("inner", [ValueError("a"), KeyError("b")])])
except* KeyError:
    raise RuntimeError("while handling")
