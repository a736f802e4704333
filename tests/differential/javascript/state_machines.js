const machine = { idle: { start: 'running' }, running: { pause: 'paused', stop: 'idle' }, paused: { resume: 'running' } };
const step = (s, e) => machine[s][e] ?? (() => { throw new Error(`no ${e} in ${s}`) })();
['start', 'pause', 'resume', 'stop'].reduce((trace, e) => [...trace, step(trace.at(-1), e)], ['idle'])
// --- cell
step('idle', 'stop')
// --- cell
const vm = (code) => { const st = []; for (const [op, x] of code) ({ push: () => st.push(x), add: () => st.push(st.pop() + st.pop()), mul: () => st.push(st.pop() * st.pop()), dup: () => st.push(st.at(-1)) })[op](); return st };
vm([['push', 3], ['dup'], ['mul'], ['push', 1], ['add']])
// --- cell
vm([['nop']])
// --- cell
const bf = (src) => { const t = new Uint8Array(30); let p = 0, out = ''; const jump = {}, st = []; [...src].forEach((c, i) => { if (c === '[') st.push(i); else if (c === ']') { const j = st.pop(); jump[i] = j; jump[j] = i } }); for (let i = 0; i < src.length; i++) switch (src[i]) { case '>': p++; break; case '<': p--; break; case '+': t[p]++; break; case '-': t[p]--; break; case '.': out += String.fromCharCode(t[p]); break; case '[': if (!t[p]) i = jump[i]; break; case ']': if (t[p]) i = jump[i] } return out };
bf('++++++++[>++++++++<-]>+.+.+.')
