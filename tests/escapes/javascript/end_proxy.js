// mechanism: Proxy
// kind: end
// ends: error

throw new Proxy({}, { get() { throw 1 } })
