// mechanism: key of a property
// kind: endless
// ends: soft

({})[{ toString() { for (;;) {} } }]
