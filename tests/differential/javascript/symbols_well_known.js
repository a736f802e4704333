class Col { constructor(...x) { this.x = x } *[Symbol.iterator]() { yield* this.x } get [Symbol.toStringTag]() { return 'Col' } [Symbol.toPrimitive](h) { return h } static [Symbol.hasInstance](v) { return Array.isArray(v) } }
[[...new Col(1, 2)], `${new Col()}`, +new Col(), new Col() + '', [] instanceof Col, String(new Col()).length]
// --- cell
[Symbol.iterator.description, Symbol.asyncIterator.toString(), Object(Symbol.iterator) == Symbol.iterator, Symbol('a') === Symbol('a'), typeof Symbol.for('q').description]
// --- cell
with ({ visible: 1, hidden: 2, [Symbol.unscopables]: { hidden: true } }) { [typeof visible, typeof hidden] }
// --- cell
Symbol.keyFor('not a symbol')
// --- cell
new Symbol()
// --- cell
({ [Symbol.isConcatSpreadable]: true, length: 2, 0: 'a', 1: 'b' }) && [].concat({ [Symbol.isConcatSpreadable]: true, length: 1, 0: 'spread' })
