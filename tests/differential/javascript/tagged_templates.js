const html = (s, ...v) => s.reduce((o, p, i) => o + p + (i < v.length ? String(v[i]).replace(/[<&]/g, (c) => ({ '<': '&lt;', '&': '&amp;' })[c]) : ''), '');
html`<p>${'<b>&'}</p>${1}`
// --- cell
const dedent = (s, ...v) => String.raw({ raw: s }, ...v).replace(/^\n/, '').replace(/^ +/gm, '');
dedent`
    a ${1}
      b
`
// --- cell
const cache = new WeakMap(); const once = (s) => { if (!cache.has(s)) cache.set(s, Math.random()); return cache.get(s) };
const run = () => once`same site`; [run() === run(), once`a` === once`a`, Object.isFrozen(((s) => s)`x`)]
// --- cell
`a${1}${2}b${`c${3}`}`
// --- cell
new (class { tag(s) { return this.v + s[0] } v = 'this:' })().tag`t`
