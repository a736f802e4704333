[Number('0x1F'), Number('1_000'), Number('.5'), Number('5.'), Number('1e'), Number('+-1'), Number('Infinity'), Number('infinity'), parseFloat('.5.5'), parseInt('0b11'), parseInt('-0'), parseInt('1e3'), Number('\t5\n')]
// --- cell
[0.1 + 0.2 - 0.3, 1e16 + 1, 2 ** 53 + 1, 0.1 * 3, 1.15.toFixed(1), 8.345.toFixed(2), (1e-7).toString(), 5e-7.toFixed(7), 1.0000000000000002, 4.35 * 100]
// --- cell
[1 / 3, 2 / 3, 10 / 3, 1e21 / 7, 22 / 7, 1 / 7].map((x) => x.toString())
// --- cell
[..."0123456789"].map(Number).reduce((a, d) => a * 10 + d)
// --- cell
3..toString() + 3 .toFixed(1) + 3.0.toFixed()
