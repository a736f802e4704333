const saved = Array.prototype.map;
Array.prototype.map = function () { return 'mine' };
const r = [1].map((x) => x);
Array.prototype.map = saved;
[r, [1].map((x) => x + 1)]
// --- cell
Object.prototype.polluted = 'yes'; const got = {}.polluted; delete Object.prototype.polluted; got
// --- cell
String.prototype.shout = function () { return this.toUpperCase() + '!' }; 'hey'.shout()
// --- cell
Number.prototype[Symbol.iterator] = function* () { for (let i = 0; i < this; i++) yield i }; const three = [...3]; delete Number.prototype[Symbol.iterator]; three
