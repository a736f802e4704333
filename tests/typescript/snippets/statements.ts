//# declare variable
declare const missing: number
typeof missing
//# declare function and class
declare function f(x: number): void
declare class C { x: number }
declare let a: string, b: number
typeof f + typeof C
//# declare global
declare global { interface Window { x: number } }
'ok'
//# declare module
declare module 'foo' { export function x(): void }
'ok'
//# import type
import type { A } from 'a'
import type B from 'b'
import type * as C from 'c'
1 + 1
//# export of types
interface A { x: 1 }
export type { A }
export type B = string
export interface C {}
'ok'
//# for with types
let s = 0
for (let i: number = 0, n: number = 3; i < n; i++) s += i
s
//# for of with destructuring
let s = ''
for (const [k, v] of Object.entries({ a: 1 }) as [string, number][]) s += k + v
s
//# switch with blocks and types
function f(x: unknown): string { switch (typeof x) { case 'string': { const y: string = x as string; return y } default: return 'other' } }
f('a') + f(1)
//# if else with assertions
let r: string; if ((1 as any) > 0) r = 'a' as string; else r = <string>'b'
r
//# do while
let i: number = 0; do { i++ } while ((i as number) < 3)
i
//# try finally
let s: string = ''; try { s += 'a' as string } finally { s += 'b' as string }
s
//# labelled block
a: { let x: number = 1; if (x) break a; x = 2 }
'ok'
//# statements without semicolons
let a: number = 1
let b = a as number
let c = b!
let d: number
d = c
d
//# statement after an assertion begins with a minus
let a = 5 as number
-1
//# statement after a non-null begins with a bracket
let x: number[] | null = [1, 2]
let y = x!
;[y[0], y[1]] = [3, 4]
y.join()
//# empty statements
;;let x: number = 1;;
x
//# comments only at the end
let x: number = 2
x // the value: number
//# using a type and a value of one name
interface Point { x: number }
const Point = { make(x: number): Point { return { x } } }
Point.make(4).x
//# class and interface of one name
interface A { extra: string }
class A { own = 1 }
new A().own
//# type and function of one name
type f = number
function f(): f { return 3 }
f()
//# directive
'use strict'
let x: number = 1
x
//# blocks with types inside
{ type T = number; interface I {} let x: T = 3; var out = x }
out
//# getter with a type in a class in a block
if (true) { class A { get x(): number { return 2 } } var r: number = new A().x }
r
//# generators and spread
const r: number[] = [...(function* (): Generator<number> { yield 1 as number })()]
r[0]
//# let without initialiser in a loop
let fs: (() => number)[] = []
for (let i = 0; i < 2; i++) { let j: number; j = i; fs.push(() => j) }
fs.map(f => f()).join()
//# var in a for in
var o: Record<string, number> = { a: 1, b: 2 }, keys: string = ''
for (var k in o) keys += k
keys
