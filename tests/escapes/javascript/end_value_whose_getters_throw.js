// mechanism: value whose getters throw
// kind: end
// ends: value error

({ get x() { throw 1 }, get [Symbol.toStringTag]() { throw 1 } })
