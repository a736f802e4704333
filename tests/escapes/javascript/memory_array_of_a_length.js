// mechanism: array of a length
// kind: memory
// ends: error

new Array(2 ** 31).fill(0)
