// mechanism: concat of holes
// kind: endless
// ends: soft hard

[].concat(new Array(2 ** 31)).length
