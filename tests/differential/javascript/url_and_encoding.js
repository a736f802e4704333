[encodeURIComponent("a b&c=d/é?'()*"), encodeURI('http://h/a b?é=1#x'), decodeURIComponent('%F0%9F%98%80'), escape('a b+é'), unescape('%u0107')]
// --- cell
decodeURIComponent('%E0%A4%A')
// --- cell
encodeURIComponent('\ud800')
// --- cell
const u = new URL('/p/../q?x=1', 'https://h.example'); u.searchParams.set('y', 'a b'); u.hash = 'z'; u.port = '8443'; [u.href, u.host, String(new URL('HTTP://EXAMPLE.com:80/%7Efoo/./bar'))]
// --- cell
const b64 = (s) => btoa(String.fromCharCode(...new TextEncoder().encode(s))); [b64('é😀'), atob('AP8=').charCodeAt(1), btoa('')]
// --- cell
[...new URLSearchParams('a=1&a=2&b=%20+')], [...new URLSearchParams([['x', 'é']]).keys()], new URLSearchParams('?q=1').get('q')
// --- cell
[new TextDecoder('utf-8').decode(new Uint8Array([0xff, 0x41])), new TextDecoder('utf-16le').decode(new Uint8Array([0x41, 0])), new TextEncoder().encode('\ud800')]
