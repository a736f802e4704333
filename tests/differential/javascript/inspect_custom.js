const custom = Symbol.for('nodejs.util.inspect.custom');
class Money { constructor(n) { this.n = n } [custom](depth) { return `Money<${this.n}>` } }
[new Money(5), { m: new Money(6) }]
// --- cell
console.log(new Money(1), [new Money(2)])
// --- cell
({ [custom]() { return { replaced: true } } })
// --- cell
({ toString() { return 'ignored' }, toJSON() { return 'ignored' } })
