const named = Symbol('named'); ({ [named]: 1, [Symbol()]: 2, [Symbol.iterator]: function* it() {}, plain: Symbol.for('shared') })
// --- cell
[function () {}, () => {}, class {}, class A extends Array {}, async () => {}, function* g() {}, Math.max, Object, (() => {}).bind(), new Function('return 1')]
// --- cell
({ method() {}, arrow: () => {}, async am() {}, *gen() {}, get acc() { return 1 }, ['computed' + 1]() {}, cls: class Inner {} })
// --- cell
Object.assign(function withProps() {}, { a: 1, b: { c: 2 } })
