from string import ascii_lowercase as low
def caesar(s, k): return s.translate(str.maketrans(low + low.upper(), low[k:] + low[:k] + (low[k:] + low[:k]).upper()))
caesar("Hello, Zed!", 3), caesar(caesar("abc", 5), -5 % 26)
# --- cell
from itertools import cycle
bytes(a ^ b for a, b in zip(b"secret", cycle(b"key"))).hex()
# --- cell
def rle(s):
    from itertools import groupby
    return "".join(f"{len(list(g))}{k}" for k, g in groupby(s))
rle("aaabccd"), "".join(c * int(n) for n, c in zip(rle("xxy")[::2], rle("xxy")[1::2]))
