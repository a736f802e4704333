//# namespace with constants and functions
namespace M { export const pi = 3; export function area(r: number): number { return pi * r * r } }
M.area(2)
//# members that are not exported
namespace M { const hidden = 1; export const shown = hidden + 1 }
JSON.stringify(M)
//# exported variables are live
namespace M { export let n = 0; export function inc() { n++ } }
M.inc(); M.inc(); M.n
//# assigned from outside
namespace M { export let n = 1; export function get() { return n } }
M.n = 7; M.get()
//# exported class
namespace M { export class A { constructor(public v: number) {} } }
new M.A(3).v
//# exported enum
namespace M { export enum E { A = 2 } }
M.E.A
//# nested namespaces
namespace A { export namespace B { export const x = 1 } export const y = B.x + 1 }
A.y + A.B.x
//# dotted name
namespace A.B.C { export const x = 5 }
A.B.C.x
//# types only
namespace T { export interface I { a: number } export type U = string }
const t: T.I = { a: 1 }; typeof (globalThis as any).T + t.a
//# module keyword
module M { export const x = 6 }
M.x
//# class merged with a namespace
class A { static make(): A { return new A() } v = 1 }
namespace A { export const extra = 2 }
A.make().v + A.extra
//# function merged with a namespace
function f(): number { return f.x }
namespace f { export const x = 4 }
f()
//# enum merged with a namespace
enum C { Red = 1 }
namespace C { export function parse(s: string): C { return s === 'Red' ? C.Red : 0 } }
C.parse('Red')
//# namespace declared twice
namespace M { export const a = 1 }
namespace M { export const b = 2 }
JSON.stringify(M)
//# destructuring export
namespace M { export const { a, b: [c] } = { a: 1, b: [2] } }
M.a + M.c
//# several declarators
namespace M { export const a = 1, b = 2 }
M.a + M.b
//# import alias
namespace A.B { export const x = 3 }
import X = A.B
X.x
//# exported import alias
namespace A { export const v = 8 }
namespace B { export import w = A.v }
B.w
//# declare namespace leaves nothing
declare namespace D { const x: number }
typeof (globalThis as any).D
//# namespace over several lines
namespace Geometry {
  export interface Point { x: number; y: number }

  export function dist(a: Point, b: Point): number {
    return Math.hypot(a.x - b.x, a.y - b.y)
  }

  export const origin: Point = { x: 0, y: 0 }
}
Geometry.dist(Geometry.origin, { x: 3, y: 4 })
//# async and generator functions in a namespace
namespace M { export async function f(): Promise<number> { return 2 } export function* g(): Generator<number> { yield 3 } }
[...M.g()][0]
//# abstract class in a namespace
namespace M { export abstract class A { abstract x(): number } export class B extends A { x() { return 4 } } }
new M.B().x()
//# statements in a namespace
let log = ''
namespace M { for (const x of ['a', 'b']) log += x; if (log) { log += '!' } }
log
//# namespace is a plain word
const namespace = { x: 2 }
namespace.x
//# namespace with a type argument inside
namespace M { export const m = new Map<string, Array<number>>([['a', [1]]]) }
M.m.get('a')!.length
//# a member named like its namespace
namespace Config { export class Config { v = 1 } export const same = new Config().v }
Config.same + new Config.Config().v
//# a nested namespace of the same name
namespace A { export namespace A { export const x = 4 } }
A.A.x
//# a nested namespace declared twice
namespace M { export namespace Q { export const a = 1 } export namespace Q { export const b = 2 } }
JSON.stringify(M.Q)
//# a nested namespace in two blocks
namespace M { export namespace Q { export const a = 1 } }
namespace M { export namespace Q { export const b = 2 } }
JSON.stringify(M.Q)
//# a dotted name in two statements
namespace A.B { export const x = 1 }
namespace A.B { export const y = 2 }
JSON.stringify(A)
//# names that the translation could take
const _ = 1, $ = 2
namespace M { export let $ = _ + 1; export const t = () => $ + _ }
M.$ = 5; M.t()
//# the namespace speaks of itself
namespace M { export const a = 1; export const b = () => M.a + 1 }
M.b()
