// mechanism: clones
// kind: memory
// ends: soft hard error value

let a = [new Uint8Array(1e6)]; for (;;) a = [structuredClone(a), a]
