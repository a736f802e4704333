const f = async () => [4, 5]
const a = await f()
[0]
a
// --- cell
const b = (await f())
  .map((n) => n + 1)
b
// --- cell
const c = await f().then((x) => x.length)
+ 1
c
