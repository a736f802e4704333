const days = (a, b) => Math.round((Date.parse(b) - Date.parse(a)) / 864e5), iso = (d) => d.toISOString().slice(0, 10), add = (s, n) => { const d = new Date(`${s}T00:00:00Z`); d.setUTCDate(d.getUTCDate() + n); return iso(d) };
[days('2024-01-01', '2024-03-01'), add('2024-02-28', 2), add('2023-12-31', 1), iso(new Date(Date.UTC(2024, 1, 30)))]
// --- cell
const week = (s) => { const d = new Date(`${s}T00:00Z`), t = new Date(d); t.setUTCDate(d.getUTCDate() + 4 - (d.getUTCDay() || 7)); return Math.ceil(((t - Date.UTC(t.getUTCFullYear(), 0, 1)) / 864e5 + 1) / 7) };
[week('2024-12-30'), week('2021-01-01'), week('2024-06-15')]
// --- cell
[new Date(0).toISOString(), new Date('2024-01-01').getTime(), new Date(2020, 5).getMonth(), new Date(NaN) + '', typeof Date(), new Date(Date.UTC(-1, 0)).toISOString(), new Date('2024-01-15T10:20:30.5Z').getUTCMilliseconds()]
// --- cell
new Date(0)[Symbol.toPrimitive]('number'), new Date(5) - 3, new Date(1) < new Date(2), JSON.parse(JSON.stringify(new Date(0)))
