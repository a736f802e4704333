// mechanism: join of holes
// kind: endless
// ends: soft hard

new Array(2 ** 32 - 1).join('')
