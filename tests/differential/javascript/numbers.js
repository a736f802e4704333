[0.1 + 0.2, 1e21, 1e-7, 123456789012345680000, 5e-324, 1.7976931348623157e308, -0, 1 / 3, 100, 0xff, 0b11, 0o17, 1_000]
// --- cell
[(255).toString(16), (0.5).toString(2), (1234.5678).toFixed(2), (0.000001234).toPrecision(2), (1e21).toFixed(2), (12345.678).toExponential(2), (25).toString(36), (-7.5).toString(8)]
// --- cell
[parseInt('12px'), parseInt('0x1f'), parseInt('z', 36), parseFloat('3.14abc'), Number(''), Number(' 12 '), Number('1e3'), Number(null), Number([5]), Number('0b101'), +true, Number('12x')]
// --- cell
[NaN === NaN, Object.is(NaN, NaN), Object.is(0, -0), 0 === -0, isNaN('x'), Number.isNaN('x'), Number.isInteger(5.0), Number.isSafeInteger(2 ** 53), Number.EPSILON > 0]
// --- cell
[7 % -3, -7 % 3, 2 ** 10, (-2) ** 3, 5 / 0, -5 / 0, 0 / 0, 1 / -0, ~5, 5 >>> 1, -5 >> 1, -5 >>> 28, 1 << 31, 5 & 3, 5 | 3, 5 ^ 3]
// --- cell
[(1.005).toFixed(2), (2.5).toFixed(0), (1.45).toFixed(1), (-1.5).toFixed(0), 0.1 * 3, 9007199254740993, 4.35 * 100, 1.1 + 2.2]
// --- cell
-0
// --- cell
1e300 * 1e10
