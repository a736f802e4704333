// mechanism: functions
// kind: memory
// ends: soft hard error value

const a = []; for (let i = 0;; i++) a.push(Function('return ' + '1 + '.repeat(1e4) + i))
