[btoa('hello'), atob('aGVsbG8='), new TextEncoder().encode('é'), new TextDecoder().decode(new Uint8Array([0xe2, 0x82, 0xac])), structuredClone([1, { a: new Set([1]) }])]
// --- cell
const u = new URL('https://user:pw@host.example:8080/a/../b?q=1&r=x%20y#f');
[u.href, u.hostname, u.port, u.pathname, u.searchParams.get('r'), [...u.searchParams], u.origin, u.hash]
// --- cell
const p = new URLSearchParams({ a: '1', b: 'é &' }); p.append('a', '2'); p.sort(); [String(p), p.getAll('a'), p.has('z'), new URL('../x?y', 'http://h/a/b/c').href]
// --- cell
new URL('not a url')
// --- cell
try { atob('***') } catch (e) { [e.name, e.code, e instanceof DOMException] }
// --- cell
const c = new AbortController(); c.signal.addEventListener('abort', () => console.log('aborted')); c.abort('why'); [c.signal.aborted, c.signal.reason]
// --- cell
const t = new EventTarget(); t.addEventListener('ping', (e) => console.log(e.type), { once: true }); t.dispatchEvent(new Event('ping')); t.dispatchEvent(new Event('ping'))
// --- cell
structuredClone(() => {})
// --- cell
[typeof crypto.randomUUID(), crypto.getRandomValues(new Uint8Array(4)).length, typeof performance.now(), performance.now() >= 0]
