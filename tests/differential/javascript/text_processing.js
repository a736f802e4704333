const text = 'the cat sat on the mat\nThe end';
const freq = text.toLowerCase().match(/\w+/g).reduce((m, w) => m.set(w, (m.get(w) ?? 0) + 1), new Map());
[freq, [...freq].sort(([, a], [, b]) => b - a)[0]]
// --- cell
['camelCaseString'.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`), 'snake_case_here'.replace(/_(\w)/g, (_, c) => c.toUpperCase()), 'title case'.replace(/\b\w/g, (c) => c.toUpperCase())]
// --- cell
[...'racecar'].reverse().join('') === 'racecar', [...new Set('mississippi')].join(''), 'aaabccd'.replace(/(.)\1*/g, (m, c) => m.length + c), Object.entries(text).length
// --- cell
const caesar = (s, k) => s.replace(/[a-z]/gi, (c) => String.fromCharCode((c.charCodeAt() - (c < 'a' ? 65 : 97) + k + 26) % 26 + (c < 'a' ? 65 : 97)));
[caesar('Hello, Zed!', 3), caesar(caesar('abc', 5), -5)]
// --- cell
text.split('\n').map((l, i) => `${String(i + 1).padStart(3)}: ${l}`).join('\n')
