const name = 'World', n = 3;
[`Hello ${name}!`, `${n} + ${n} = ${n + n}`, `a ${`nested ${name}`}`, `multi
line`, `\${escaped}`, `${[1, 2]} ${{}} ${null} ${undefined}`]
// --- cell
const tag = (strings, ...values) => [strings.raw, [...strings], values];
tag`x${1}y\n${2}z`
// --- cell
const same = (s) => s;
const f = () => same`once`;
f() === f()
// --- cell
((s) => s[0])`\unicode`
// --- cell
`${(() => { throw new Error('in template') })()}`
