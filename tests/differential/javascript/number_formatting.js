[(0).toFixed(2), (-1.5).toFixed(0), (1e-10).toFixed(2), (123.456).toFixed(1), (0.1).toFixed(20), (1.255).toFixed(2), (1e20).toFixed(2), NaN.toFixed(2)]
// --- cell
[(123.456).toPrecision(4), (0.00001).toPrecision(1), (1e21).toPrecision(3), (15).toPrecision(1), (0).toExponential(), (12345).toExponential(), (-0.00015).toExponential(1)]
// --- cell
[(10).toString(2), (-255).toString(16), (0.1).toString(3).slice(0, 12), (1e21).toString(36).length, (3.75).toString(2), NaN.toString(2), (2 ** 31).toString(32)]
// --- cell
[1e21 + '', 1e-6 + '', 1e-7 + '', 123e-20 + '', 0.1 + 0.7 + '', 100 * 1.1 + '', (25).toString(36), -1e-7 + '']
// --- cell
(5).toString(1)
// --- cell
[Number.MAX_SAFE_INTEGER, Number.MIN_VALUE, Number.MAX_VALUE, Number.parseFloat('1.5e3x'), 0.1 + 0.2 === 0.3, 9007199254740992 === 9007199254740993]
