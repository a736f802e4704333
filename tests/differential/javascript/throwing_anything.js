throw 'a string'
// --- cell
throw 42
// --- cell
throw { code: 1, nested: { x: [1] } }
// --- cell
throw null
// --- cell
throw undefined
// --- cell
try { throw [1, 2] } catch (e) { e }
// --- cell
try { throw () => 'called' } catch (f) { f() }
