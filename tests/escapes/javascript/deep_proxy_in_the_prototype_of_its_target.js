// mechanism: Proxy in the prototype of its target
// kind: deep
// ends: error

const t = {}; const p = new Proxy(t, {}); Object.setPrototypeOf(t, p); p.x
