// mechanism: reviver
// kind: endless
// ends: soft

JSON.parse('[1]', () => { for (;;) {} })
