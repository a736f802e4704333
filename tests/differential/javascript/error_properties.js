const e = new Error('m', { cause: { code: 1 } });
[e.cause, 'cause' in new Error('x'), Object.prototype.hasOwnProperty.call(e, 'message'), Object.getOwnPropertyNames(e).includes('message'), typeof e.stack, e.toString(), Error('no new') instanceof Error]
// --- cell
[TypeError.prototype.name, new RangeError('r').name, Error.prototype.toString.call({ name: 'N', message: 'M' }), Error.prototype.toString.call({}), new EvalError().constructor.name, URIError.name, new AggregateError([1], 'agg').errors]
// --- cell
const caught = []; for (const f of [() => { throw 1 }, () => null.x, () => { throw Object.assign(new Error('e'), { status: 500 }) }]) try { f() } catch (err) { caught.push(err instanceof Error ? err.name + (err.status ?? '') : err) } caught
// --- cell
function wrap() { try { JSON.parse('{bad') } catch (cause) { throw new Error('config', { cause }) } }
try { wrap() } catch (err) { [err.message, err.cause.name, err.cause instanceof SyntaxError] }
// --- cell
class E2 extends Error { name = 'Named' } throw new E2('named by a field')
