// mechanism: globals that are overwritten
// kind: end
// ends: value error

for (const k of Object.getOwnPropertyNames(globalThis)) if (k !== 'kept') try { globalThis[k] = null } catch { }
