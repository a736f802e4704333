class Account {
  #balance = 0; static #made = 0;
  constructor() { Account.#made++ }
  deposit(n) { if (n <= 0) throw new RangeError('must be positive'); this.#balance += n; return this }
  get #double() { return this.#balance * 2 }
  peek() { return [this.#balance, this.#double, Account.#made] }
  static same(a, b) { return #balance in b && a.#balance === b.#balance }
}
const a = new Account().deposit(5);
[a.peek(), Account.same(a, new Account()), Account.same(a, {}), a]
// --- cell
a.deposit(-1)
// --- cell
Account.prototype.peek.call({})
