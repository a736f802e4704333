[eval('1 + 1'), eval('var fromEval = 5; fromEval'), typeof fromEval, (0, eval)('typeof globalThis'), eval('({ a: 1 })').a, eval('{ a: 1 }')]
// --- cell
(function () { var local = 'l'; return [eval('local'), (0, eval)('typeof local')] })()
// --- cell
eval('let x = 1; const y = 2; x + y')
// --- cell
[isNaN('a'), isFinite('5'), parseInt('101', 2), encodeURIComponent('é &/'), decodeURI('%C3%A9%2F'), encodeURI('a b&c'), escape('é'), unescape('%E9')]
// --- cell
eval('throw new Error("from eval")')
// --- cell
globalThis.made = 1; var declared = 2; [made, globalThis.declared, delete globalThis.made, typeof made]
