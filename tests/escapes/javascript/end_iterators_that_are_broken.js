// mechanism: iterators that are broken
// kind: end
// ends: value error

Array.prototype[Symbol.iterator] = Map.prototype[Symbol.iterator] = () => { throw 1 }
