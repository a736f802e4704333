    total = 0
    for n in range(4):
        total += n
    total
# --- cell
    def f():
        return """a
        b"""
# --- cell
f().count("\n")
