// mechanism: Worker
// kind: end
// ends: error

new Worker('x')
