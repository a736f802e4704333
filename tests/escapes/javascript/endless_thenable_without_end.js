// mechanism: thenable without end
// kind: endless
// ends: soft

class T { then(f) { f(new T()) } }
await new T()
