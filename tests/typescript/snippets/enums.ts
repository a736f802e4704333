//# numeric enum
enum C { Red, Green, Blue }
JSON.stringify([C.Red, C[1], C.Blue])
//# enum with initial values
enum C { A = 5, B, D = 10, E }
JSON.stringify(C)
//# string enum
enum S { Up = 'UP', Down = 'DOWN' }
JSON.stringify(S)
//# mixed enum
enum M { A = 1, B = 'b', C = 3 }
JSON.stringify(M)
//# computed members
enum F { None = 0, Read = 1 << 0, Write = 1 << 1, All = Read | Write, Len = 'abc'.length }
JSON.stringify(F)
//# references by the enum's own name
enum F { A = 1, B = F.A * 10, C = F['B'] + 1 }
JSON.stringify(F)
//# negative and floating values
enum N { A = -1, B, C = 1.5 }
JSON.stringify(N)
//# const enum
const enum K { A = 'a', B = 'b' }
K.A + K.B
//# quoted names
enum Q { 'a-b', "c d" = 4, e }
JSON.stringify(Q)
//# reserved words as names
enum R { default, class, new, function = 9, if }
JSON.stringify(R)
//# member named like the enum
enum A { A, B }
JSON.stringify(A)
//# trailing comma and comments
enum T {
  // first
  A, /* second */ B,
  C = 7, // last
}
JSON.stringify(T)
//# empty enum
enum Z {}
JSON.stringify(Z)
//# enum declared twice
enum D { A = 1 }
enum D { B = 2 }
JSON.stringify(D)
//# enum in a function
function f() { enum L { A = 3 } return L.A }
f()
//# enum in a block
{ enum L { A = 4 } var out = L.A }
out
//# declare enum leaves nothing
declare enum X { A }
typeof X
//# enum as a type and key
enum Dir { Up = 'UP', Down = 'DOWN' }
const names: Record<Dir, string> = { [Dir.Up]: 'u', [Dir.Down]: 'd' }
function go(d: Dir): string { return names[d] }
go(Dir.Down)
//# iterating over an enum
enum C { Red, Green }
Object.keys(C).filter(k => isNaN(Number(k))).join()
//# switch over an enum
enum C { A, B }
function f(c: C): string { switch (c) { case C.A: return 'a'; case C.B: return 'b'; default: const n: never = c; return n } }
f(C.B)
//# template values
enum T { A = `x`, B = `${A}y` }
JSON.stringify(T)
//# initialiser with as
enum T { A = 3 as number, B = <any>4 }
JSON.stringify(T)
//# enum with a function call
function next(): number { return 42 }
enum T { A = next(), B = next() + 1 }
JSON.stringify(T)
//# keyof typeof an enum
enum C { A = 'x' }
const k: keyof typeof C = 'A'; C[k]
//# bit flags
enum P { R = 1, W = 2, X = 4, RW = R | W, NOT = ~R }
(P.RW & P.W) + P.NOT
//# value of an enum used before a semicolon-free line
enum C { A }
[C.A].length
//# names of members beside names outside
const A = 'outside'
enum E { A = 1, B = A + 1, C }
JSON.stringify([A, E])
//# only plain values
enum E { A, B, C = 'x' }
const B = 7
JSON.stringify([B, E])
