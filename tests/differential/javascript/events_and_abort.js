const t = new EventTarget(); const log = [];
t.addEventListener('x', function (e) { log.push([e.type, this === t, e.cancelable]); e.preventDefault() }); t.addEventListener('x', { handleEvent: (e) => log.push(e.defaultPrevented) });
[t.dispatchEvent(new Event('x', { cancelable: true })), log]
// --- cell
const c = new AbortController(); const p = new Promise((_, no) => c.signal.addEventListener('abort', () => no(c.signal.reason))); c.abort(new Error('stop it'));
await p.catch((e) => e.message)
// --- cell
AbortSignal.abort().reason.name
// --- cell
try { AbortSignal.abort('custom').throwIfAborted() } catch (e) { e }
// --- cell
const ev = new Event('e', { bubbles: true }); [ev.type, ev.bubbles, ev.target, ev.defaultPrevented]
