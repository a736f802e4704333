// mechanism: includes in a hole
// kind: endless
// ends: soft

new Array(2 ** 32 - 1).includes(1)
