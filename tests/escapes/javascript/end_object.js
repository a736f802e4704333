// mechanism: object
// kind: end
// ends: error

throw { type: 'x', message: 'y', stack: 'z' }
