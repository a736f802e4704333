// mechanism: method
// kind: deep
// ends: error

({ f() { this.f() } }).f()
