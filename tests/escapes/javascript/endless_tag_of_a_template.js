// mechanism: tag of a template
// kind: endless
// ends: soft

(() => { for (;;) {} })`x`
