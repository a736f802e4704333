def sieve(n):
    flags = bytearray([1]) * (n + 1)
    flags[:2] = b"\0\0"
    for i in range(2, int(n ** .5) + 1):
        if flags[i]: flags[i*i::i] = bytes(len(range(i*i, n + 1, i)))
    return [i for i, f in enumerate(flags) if f]
sieve(60), len(sieve(10000))
# --- cell
def factor(n):
    p, out = 2, {}
    while n > 1:
        while n % p == 0: out[p] = out.get(p, 0) + 1; n //= p
        p += 1
    return out
factor(5040), factor(9699690)
# --- cell
def miller_rabin(n):
    d, r = n - 1, 0
    while d % 2 == 0: d //= 2; r += 1
    return all((x := pow(a, d, n)) in (1, n - 1) or any((x := x * x % n) == n - 1 for _ in range(r - 1)) for a in (2, 3, 5, 7, 11, 13))
[n for n in range(10**9, 10**9 + 60) if miller_rabin(n)]
# --- cell
def roman(n): return "".join(s * (n // v) for (v, s), n in zip(pairs, [n] + [n % v for v, _ in pairs]) ) if False else "".join(f(n, i) for i, f in enumerate([lambda n, i: "M" * (n // 1000)]))
pairs = [(1000, "M"), (900, "CM")]
roman(3000)
