// mechanism: getter
// kind: deep
// ends: error

({ get x() { return this.x } }).x
