class Animal {
  #secret = 'hidden';
  static count = 0;
  static { Animal.ready = true }
  name;
  constructor(name) { this.name = name; Animal.count++ }
  speak() { return `${this.name} makes a sound` }
  get secret() { return this.#secret }
  set secret(v) { this.#secret = v }
  static create(...a) { return new this(...a) }
  #private() { return 'private' }
  callPrivate() { return this.#private() }
  static has(o) { return #secret in o }
}
class Dog extends Animal {
  tricks = [];
  speak() { return `${super.speak()}: woof` }
  toString() { return `Dog(${this.name})` }
}
const d = Dog.create('Rex');
[d.speak(), d.secret, (d.secret = 'new', d.secret), `${d}`, Animal.count, Animal.ready, d.callPrivate(), Animal.has(d), Animal.has({})]
// --- cell
d
// --- cell
[Dog, Animal, d instanceof Animal, Object.getPrototypeOf(Dog) === Animal, Dog.name, typeof Dog]
// --- cell
try { Animal() } catch (e) { console.log(e.name) }
class Empty {}
[new Empty(), new (class {})(), new (class extends Empty { x = 1 })()]
// --- cell
class Bad extends Empty { constructor() { this.x = 1 } }
new Bad()
