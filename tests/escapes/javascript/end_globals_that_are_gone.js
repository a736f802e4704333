// mechanism: globals that are gone
// kind: end
// ends: value error

for (const k of Object.getOwnPropertyNames(globalThis)) if (k !== 'kept') try { delete globalThis[k] } catch { }
