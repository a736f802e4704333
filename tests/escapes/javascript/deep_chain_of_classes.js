// mechanism: chain of classes
// kind: deep
// ends: value error

let A = class {}; for (let i = 0; i < 5000; i++) { const B = A; A = class extends B {} }
new A()
