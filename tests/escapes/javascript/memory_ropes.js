// mechanism: ropes
// kind: memory
// ends: soft hard error value

let s = 'x'; for (let i = 0; i < 1e5; i++) s = 'y' + s + 'z'; s.length + s.indexOf('x')
