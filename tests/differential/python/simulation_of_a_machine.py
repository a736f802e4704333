def run(program, regs=None):
    regs, pc = dict(a=0, b=0) | (regs or {}), 0
    while pc < len(program):
        op, *args = program[pc].split()
        match op, args:
            case "set", [r, v]: regs[r] = int(v)
            case "add", [r, s]: regs[r] += regs[s] if s in regs else int(s)
            case "jnz", [r, n] if regs[r]: pc += int(n); continue
            case "jnz", _: pass
            case _: raise SyntaxError(f"bad instruction {op!r}")
        pc += 1
    return regs
run(["set a 5", "add b a", "add a -1", "jnz a -2"])
# --- cell
run(["nop"])
# --- cell
def life(cells):
    from collections import Counter
    n = Counter((x + i, y + j) for x, y in cells for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
    return {c for c, k in n.items() if k == 3 or k == 2 and c in cells}
g = {(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)}
for _ in range(4): g = life(g)
sorted(g)
