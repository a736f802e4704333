var undefined_ = void 0; (function () { var undefined = 5; return undefined })()
// --- cell
let NaN_ = NaN; (() => { const NaN = 1; return NaN })(), Number.isNaN(NaN_)
// --- cell
globalThis.g1 = 'global'; { let g1 = 'block'; console.log(g1, globalThis.g1) } g1
// --- cell
undefined = 1; undefined
// --- cell
let Map2 = Map; { let Map = null; console.log(Map) } new Map2().size
// --- cell
Object.defineProperty(globalThis, 'lazy', { configurable: true, get() { delete globalThis.lazy; return (globalThis.lazy = 'computed') } }); [lazy, lazy, Object.getOwnPropertyDescriptor(globalThis, 'lazy').value]
