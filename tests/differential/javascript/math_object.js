[Math.max(), Math.min(), Math.round(-0.5), Math.round(2.5), Math.round(-2.5), Math.trunc(-4.7), Math.sign(-3), Math.cbrt(27), Math.hypot(3, 4), Math.fround(5.5), Math.clz32(1), Math.imul(3, 4)]
// --- cell
[Math.floor(-0.5), Math.ceil(-0.5), Math.abs(-5), Math.sqrt(16), Math.log2(8), Math.log10(1000), Math.PI, Math.E, Math.atan2(1, 1), Math.expm1(0), Math.log1p(0)]
// --- cell
[Math.max(1, 'x'), Math.max(...[1, 5, 3]), Math.min(1, '0'), Math.pow(2, -1), Math.max(NaN, 1), Math.sqrt(-1)]
// --- cell
const r = Math.random(); r >= 0 && r < 1
