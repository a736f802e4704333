// mechanism: getter that throws
// kind: end
// ends: error

({ get x() { throw 1 } }).x
