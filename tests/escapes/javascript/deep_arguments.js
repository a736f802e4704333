// mechanism: arguments
// kind: deep
// ends: value error

Math.max(...new Array(6e4).fill(1))
