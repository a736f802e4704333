const sieve = (n) => { const f = new Uint8Array(n + 1).fill(1, 2); for (let i = 2; i * i <= n; i++) if (f[i]) for (let j = i * i; j <= n; j += i) f[j] = 0; return [...f.keys()].filter((i) => f[i]) };
[sieve(50), sieve(10000).length]
// --- cell
const gcd = (a, b) => (b ? gcd(b, a % b) : a), powmod = (b, e, m) => { let r = 1n; for (b %= m; e > 0n; e >>= 1n, b = b * b % m) if (e & 1n) r = r * b % m; return r };
[gcd(1071, 462), powmod(3n, 200n, 1000007n), powmod(2n, 10n ** 6n, 10n ** 9n + 7n)]
// --- cell
const factor = (n) => { const o = {}; for (let p = 2; n > 1; p++) while (n % p === 0) { o[p] = (o[p] ?? 0) + 1; n /= p } return o };
[factor(5040), factor(97)]
// --- cell
[0.1, 1 / 3, 2 / 3, 1e23, 123456.789e3, 4.9e-324, 0.000001, 1e-7, 1234567890123456789, 2 ** 53].map(String)
