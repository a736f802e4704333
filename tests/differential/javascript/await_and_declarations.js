let first = await 1, second = first + await 2;
[first, second]
// --- cell
const fn = async (x) => x * 2; var viaVar = await fn(4); viaVar
// --- cell
class K { static v = 1; async m() { return this.constructor.v } } await new K().m()
// --- cell
function declared() { return typeof fn } await null; declared()
// --- cell
[first, second] = await Promise.all([10, 20]); first + second
// --- cell
let { a, ...others } = await Promise.resolve({ a: 1, b: 2 }); [a, others]
// --- cell
await undefinedFunction()
// --- cell
let afterError = await Promise.reject(new RangeError('rejected'));
// --- cell
first
