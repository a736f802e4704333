let log = [];
outer: for (let i = 0; i < 3; i++) {
  for (let j = 0; j < 3; j++) {
    if (j === 1) continue outer;
    if (i === 2) break outer;
    log.push(`${i}${j}`);
  }
}
log
// --- cell
block: { log.push('in'); break block; log.push('never') }
log.length
// --- cell
let k = 0; do { k++; if (k === 2) continue } while (k < 4); k
