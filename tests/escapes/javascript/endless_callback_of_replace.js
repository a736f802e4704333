// mechanism: callback of replace
// kind: endless
// ends: soft

'a'.replace(/a/, () => { for (;;) {} })
