const err = Object.assign(new Error('failed'), { code: 'E1', response: { status: 500, body: [1, 2] } });
console.log(err)
// --- cell
console.error('context:', new TypeError('t'))
// --- cell
console.log([new Error('in array')], { e: new Error('in object') })
// --- cell
console.log(String(err), `${err}`, err + '')
// --- cell
console.log({ cause: err.cause, own: Object.keys(err) })
