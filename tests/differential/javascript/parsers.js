const evaluate = (s) => { let i = 0; const peek = () => (s = s.replace(/^\s+/, ''), s[0]), take = () => { const c = peek(); s = s.slice(1); return c };
  const atom = () => { if (peek() === '(') { take(); const v = expr(); take(); return v } if (peek() === '-') { take(); return -atom() } const m = /^\d+(\.\d+)?/.exec(s); if (!m) throw new SyntaxError(`unexpected ${s}`); s = s.slice(m[0].length); return +m[0] };
  const term = () => { let v = atom(); while ('*/'.includes(peek() ?? '!')) v = take() === '*' ? v * atom() : v / atom(); return v };
  const expr = () => { let v = term(); while ('+-'.includes(peek() ?? '!')) v = take() === '+' ? v + term() : v - term(); return v }; return expr() };
[evaluate('2 * (3 + 4) - 10 / 4'), evaluate('-(2)*-3'), evaluate(' 1/0 ')]
// --- cell
evaluate('2 + x')
// --- cell
const csv = (t) => t.split('\n').map((l) => [...l.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map((m) => m[1].replace(/^"|"$/g, '').replaceAll('""', '"')).slice(0, -1));
csv('a,"b, c",d\n1,"q""q",3')
// --- cell
const tokens = [...'let x = 42 + foo(1.5);'.matchAll(/(?<num>\d+\.?\d*)|(?<id>[a-z]\w*)|(?<op>[-+=();])/g)].map(({ groups }) => Object.entries(groups).find(([, v]) => v));
tokens
