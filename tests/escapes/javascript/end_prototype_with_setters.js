// mechanism: prototype with setters
// kind: end
// ends: value error

for (const k of ['value', 'then', 'get', 'set', 'length', '0', 'v', 't', 'e', '$wasmhost', 'type', 'message', 'stack'])  Object.defineProperty(Object.prototype, k, { get() { throw 1 }, set() { throw 1 }, configurable: true })
