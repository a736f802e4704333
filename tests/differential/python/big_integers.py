import math
f = math.factorial(60)
f, f % 1_000_003, math.isqrt(f), math.gcd(f, 2**80), math.comb(100, 50), math.perm(10, 3)
# --- cell
a, b = 0, 1
for _ in range(300): a, b = b, a + b
a
# --- cell
int("9" * 5000)
# --- cell
-(10**18) // 7, (-(10**25)) % 97, 10**25 // -(10**5), math.lcm(12, 18, 7)
