// mechanism: setter
// kind: deep
// ends: error

({ set x(v) { this.x = v } }).x = 1
