let a = 1
let b = 2
;[a, b] = [b, a]
console.log(a, b)
// --- cell
function f() {
  return
  42
}
f()
// --- cell
let i = 1
let j = 5
i
++
j
;[i, j]
// --- cell
const s = 'x'
`tagged`.length
// --- cell
const t = `a
b`
;(function () { console.log(t.length) })()
// --- cell
var q = 1 /* c
*/ var r = 2
q + r
