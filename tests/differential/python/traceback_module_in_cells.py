import traceback

def risky(n):
    if n > 2:
        raise LookupError(f"n is {n}")
    return risky(n + 1)
# --- cell
try:
    risky(0)
except LookupError as e:
    print(traceback.format_exc())
    print([frame.name for frame in traceback.extract_tb(e.__traceback__)])
    print(traceback.format_exception_only(e))
# --- cell
def where():
    return [(s.filename, s.lineno, s.line) for s in traceback.extract_stack()[-1:]]

where()
