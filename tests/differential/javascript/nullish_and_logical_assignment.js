const log = []; const o = { get a() { log.push('get'); return null }, set a(v) { log.push(`set ${v}`) }, b: 0 };
o.a ??= 1; o.b ||= 2; o.b &&= 3; o.c ??= 4; o.b ??= 9;
[log, o.b, o.c]
// --- cell
const k = 1; k ||= 2; k
// --- cell
const z = 0; z ||= 2
// --- cell
let f; f ??= function () {}; f.name
