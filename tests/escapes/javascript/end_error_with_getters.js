// mechanism: error with getters
// kind: end
// ends: error

const e = new Error('x'); for (const k of ['name', 'message', 'stack', 'cause']) Object.defineProperty(e, k, { get() { throw e } }); throw e
