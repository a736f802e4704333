// mechanism: value that is a Proxy
// kind: end
// ends: value error

new Proxy({}, new Proxy({}, { get() { throw 1 } }))
