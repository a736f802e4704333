try { null.x } catch (e) { console.log(e instanceof TypeError, e.name) }
try { undefinedName } catch (e) { console.log(e instanceof ReferenceError) }
try { new Array(-1) } catch (e) { console.log(e.name) }
try { JSON.parse('{') } catch (e) { console.log(e.name) }
try { decodeURIComponent('%') } catch (e) { console.log(e.name) }
try { 1n + 1 } catch (e) { console.log(e.name) }
try { (1).toFixed(101) } catch (e) { console.log(e.name) }
try { 'x'.repeat(-1) } catch (e) { console.log(e.name) }
try { Symbol() + '' } catch (e) { console.log(e.name) }
try { eval('}') } catch (e) { console.log(e.name) }
try { ({}).x.y } catch (e) { console.log(e.name) }
try { new 5 } catch (e) { console.log(e.name) }
try { (() => {}).call.call(1) } catch (e) { console.log(e.name) }
// --- cell
throw new Error('plain')
// --- cell
class ValidationError extends Error {
  constructor(field, options) { super(`bad ${field}`, options); this.name = 'ValidationError'; this.field = field }
}
throw new ValidationError('age', { cause: new Error('root') })
// --- cell
try { throw new ValidationError('x', { cause: 'why' }) } catch ({ name, message, field, cause }) { [name, message, field, cause] }
// --- cell
[String(new Error('m')), String(new TypeError()), Object.keys(new Error('x')), new Error('a') instanceof Error]
