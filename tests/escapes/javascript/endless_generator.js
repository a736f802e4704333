// mechanism: generator
// kind: endless
// ends: soft

function* g() { for (;;) yield }
for (const _ of g()) ;
