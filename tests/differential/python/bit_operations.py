def popcount(n): return bin(n).count("1")
popcount(255), 0b1010 ^ 0b0110, 5 & -5, (1 << 64) - 1, -1 >> 10, 6 >> 1 << 1, ~(-1)
# --- cell
x = 0xDEADBEEF
hex(((x << 8) | (x >> 24)) & 0xFFFFFFFF), f"{x:032b}"[:8], [x >> s & 0xF for s in range(28, -1, -4)], int("".join(reversed(f"{x:b}")), 2)
# --- cell
1.5 & 1
# --- cell
True & False, True | 2, not True ^ True, {1, 2} & {2}
