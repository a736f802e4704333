def f(n):
    try:
        if n == 0:
            return "returned"
        if n == 1:
            raise ValueError
    except ValueError:
        return "caught"
    else:
        return "else"
    finally:
        print("finally", n)

[f(n) for n in range(3)]
# --- cell
def overriding():
    for n in range(3):
        try:
            continue
        finally:
            if n == 1:
                break
    return n

overriding()
