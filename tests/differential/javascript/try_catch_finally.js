const log = [];
function f(n) {
  try {
    if (n === 0) return 'try';
    throw new Error(n);
  } catch (e) {
    if (n === 1) return 'catch';
    throw e;
  } finally {
    log.push(`finally ${n}`);
    if (n === 3) return 'finally wins';
  }
}
[f(0), f(1), (() => { try { f(2) } catch (e) { return e.message } })(), f(3), log]
// --- cell
(() => { for (const x of [1, 2]) { try { continue } finally { log.push(`x${x}`) } } return log.slice(-2) })()
// --- cell
(() => { let i = 0; try { return i } finally { i = 5 } })()
