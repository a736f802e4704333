const a = { name: 'a' }; a.self = a; a.list = [a, { a }];
a
// --- cell
const m = new Map(); m.set('me', m); m.set(m, 1);
m
// --- cell
const x = {}, y = { x }; x.y = y;
[x, y]
// --- cell
const arr = [1]; arr.push(arr);
console.log('%o', arr.length, arr)
// --- cell
class Node2 { constructor(p) { this.parent = p; this.children = [] } }
const root = new Node2(null); root.children.push(new Node2(root));
root
