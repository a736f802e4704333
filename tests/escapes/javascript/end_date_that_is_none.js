// mechanism: date that is none
// kind: end
// ends: value error

new Date(NaN)
