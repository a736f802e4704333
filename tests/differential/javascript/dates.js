const d = new Date(Date.UTC(2024, 1, 29, 12, 30, 45, 123));
[d.toISOString(), d.toJSON(), d.getTime(), d.getUTCDay(), d.getUTCFullYear(), d - new Date(0), typeof (d + 1), +d]
// --- cell
[Date.parse('2024-02-30'), Date.parse('2024-01-01T00:00:00Z'), new Date('2024-03-10T10:00:00+02:00').toISOString(), new Date('bad').getTime(), new Date(2024, 0, 31).getMonth(), new Date(8.64e15 + 1).getTime()]
// --- cell
const e = new Date(d); e.setUTCMonth(13); e.setUTCDate(0); e.setUTCHours(25);
[e.toISOString(), e > d, Math.round((e - d) / 864e5)]
// --- cell
d
// --- cell
new Date('bad').toISOString()
// --- cell
[Date.UTC(99, 0), new Date(0, 0).getFullYear(), typeof Date.now(), Date.length, Object.prototype.toString.call(d), JSON.stringify({ d })]
