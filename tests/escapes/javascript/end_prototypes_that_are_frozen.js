// mechanism: prototypes that are frozen
// kind: end
// ends: value error

for (const C of [Object, Array, Promise, Error]) Object.freeze(C.prototype)
