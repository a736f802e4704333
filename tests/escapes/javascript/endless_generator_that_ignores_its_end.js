// mechanism: generator that ignores its end
// kind: endless
// ends: soft

function* g() { for (;;) { try { yield } finally { continue } } }
for (const _ of g()) ;
