// mechanism: prototypes that are emptied
// kind: end
// ends: value error

for (const C of [Object, Array, Promise, Error, String, Number, Map, Set, RegExp, Function])  for (const k of Reflect.ownKeys(C.prototype)) try { delete C.prototype[k] } catch { }
