[2n ** 100n, -7n / 2n, -7n % 2n, 5n & 3n, 1n << 70n, BigInt('0xff'), BigInt(2 ** 53), 0n, -0n, 10n === 10n, 10n == 10, 2n > 1]
// --- cell
2n ** 64n
// --- cell
[typeof 1n, BigInt.asIntN(8, 255n), BigInt.asUintN(8, -1n), (123n).toString(2), Number(2n ** 60n), parseInt('12n'), [3n, 1n, 2n].sort(), -(2n ** 65n)]
// --- cell
1n + 1
// --- cell
BigInt(1.5)
// --- cell
let f = 1n; for (let i = 1n; i <= 30n; i++) f *= i; `${f}`
// --- cell
JSON.stringify({ n: 1n })
