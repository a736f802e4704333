// mechanism: Proxy of itself
// kind: deep
// ends: value error

const p = new Proxy({}, {}); Object.setPrototypeOf(p, p)
