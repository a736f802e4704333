const h = [1, , 3, , , 6];
[h, h.length, Object.keys(h), h.filter(() => true), h.indexOf(undefined), [...h]]
// --- cell
console.log([, ,], [undefined, , null], Array(3), [1, ,], Array(200))
// --- cell
[h.every((x) => x), h.map((x) => x * 2), h.reverse(), h.flat(), h.sort()]
// --- cell
const s = []; s[3] = 'x'; s.name = 'n'; s
// --- cell
delete h[0]; [h.at(0), 0 in h, JSON.stringify(h)]
