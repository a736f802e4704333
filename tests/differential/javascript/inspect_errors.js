new Error('plain message')
// --- cell
({ error: new TypeError('inside'), n: 1 })
// --- cell
const e = new Error('with props'); e.code = 'E_CODE'; e.details = { a: [1] };
e
// --- cell
new Error('outer', { cause: new Error('inner', { cause: 'text' }) })
// --- cell
new AggregateError([new Error('one'), new RangeError('two')], 'many')
// --- cell
class HttpError extends Error { status = 404 }
[new HttpError('not found')]
// --- cell
const named = new Error('m'); named.name = 'Custom'; named
// --- cell
const noMessage = new Error(); [noMessage]
