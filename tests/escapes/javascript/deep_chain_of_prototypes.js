// mechanism: chain of prototypes
// kind: deep
// ends: value error

let o = {}; for (let i = 0; i < 1e5; i++) o = Object.create(o); o.x
