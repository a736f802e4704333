def level(n):
    try:
        if n == 0:
            raise ValueError("bottom")
        level(n - 1)
    except Exception as e:
        raise RuntimeError(f"level {n}") from e
level(2)
# --- cell
try:
    level(1)
except RuntimeError as e:
    chain = []
    while e:
        chain.append(str(e)); e = e.__cause__
chain
