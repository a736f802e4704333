// mechanism: typed array
// kind: memory
// ends: error

new Float64Array(2 ** 27)
