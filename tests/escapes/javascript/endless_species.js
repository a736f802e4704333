// mechanism: species
// kind: endless
// ends: soft

class A extends Array { static get [Symbol.species]() { for (;;) {} } }
new A(3).map((x) => x)
