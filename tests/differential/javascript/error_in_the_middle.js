let before = 'kept';
function also() { return 'also kept' }
null.boom;
let after = 'never';
// --- cell
[before, also()]
// --- cell
const half = (() => { throw new Error('half-way') })();
// --- cell
const half = 'whole now';
half
