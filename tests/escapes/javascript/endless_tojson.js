// mechanism: toJSON
// kind: endless
// ends: soft

JSON.stringify({ toJSON() { for (;;) {} } })
