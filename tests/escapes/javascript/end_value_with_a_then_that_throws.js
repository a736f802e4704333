// mechanism: value with a then that throws
// kind: end
// ends: value error

({ get then() { throw 1 } })
