[0xffffffff | 0, 0xffffffff >>> 0, 2 ** 32 | 0, 2 ** 31 | 0, 1.9 | 0, -1.9 | 0, '5' | 0, NaN | 0, ~~'7.8', 1 << 32, 1 << -1, -1 >>> 31, 5 & ~1, 3 ^ 3]
// --- cell
const pop = (n) => { let c = 0; while (n) { n &= n - 1; c++ } return c }, rev = (n) => { let r = 0; for (let i = 0; i < 32; i++) r = (r << 1) | ((n >>> i) & 1); return r >>> 0 };
[pop(255), pop(-1), rev(1), rev(0xf0).toString(16), (0xdeadbeef >>> 16).toString(16), Math.clz32(256)]
// --- cell
const crc = (s) => { let c = ~0; for (const b of new TextEncoder().encode(s)) { c ^= b; for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1 } return (~c >>> 0).toString(16) };
crc('hello')
// --- cell
let seed = 42; const rand = () => { seed ^= seed << 13; seed ^= seed >>> 17; seed ^= seed << 5; return (seed >>> 0) % 100 }; [rand(), rand(), rand()]
