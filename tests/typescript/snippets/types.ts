//# annotation of a variable
let n: number = 5; n
//# annotation without initialiser
let n: number
n = 4
n
//# definite assignment
let later!: string
later = 'x'
later
//# several declarators
let a: number = 1, b: string = 'b', c: boolean
JSON.stringify([a, b, c])
//# var with annotation
var v: unknown = null; v
//# array type
const xs: number[] = [1, 2]; xs.length
//# nested array type
const xs: number[][] = [[1], [2, 3]]; xs[1][1]
//# generic array type
const xs: Array<Map<string, number>> = [new Map([['a', 1]])]; xs[0].get('a')
//# shift-like end of nested type arguments
const m: Map<string, Map<string, Set<number>>> = new Map(); m.size
//# tuple
const t: [string, number] = ['a', 1]; t[0]
//# named tuple members
const t: [name: string, age?: number, ...rest: boolean[]] = ['a']; t.length
//# readonly tuple
const t: readonly [number, number] = [1, 2]; t[1]
//# union and intersection
const u: string | number | (boolean & {}) = 3; u
//# leading bar of a union
type U =
  | 'a'
  | 'b'
const u: U = 'b'; u
//# leading ampersand of an intersection
type I = & { a: 1 } & { b: 2 }
const i: I = { a: 1, b: 2 }; i.b
//# object type
const o: { a: number; b?: string, readonly c: boolean } = { a: 1, c: true }; o.c
//# object type with methods
const o: { f(x: number): string; new (x: string): Date; (y: number): void } | null = null; o
//# index signature in a type
const o: { [key: string]: number } = { a: 1 }; o.a
//# function type
const f: (a: number, b?: string) => void = () => {}; typeof f
//# function type returning a function type
const f: (a: number) => (b: number) => number = a => b => a + b; f(1)(2)
//# constructor type
const C: new (x: string) => Date = Date as any; typeof C
//# abstract constructor type
type A = abstract new (...args: any[]) => object
1
//# generic function type
const f: <T>(x: T) => T = x => x; f(3)
//# literal types
const l: 'a' | 1 | true | null | undefined | -1 = 'a'; l
//# template literal type
type T = `on${Capitalize<'x'>}`; const t: T = 'onX'; t
//# template literal type with several parts
type P = `${number}px` | `${string}-${'a' | 'b'}`; const p: P = '3px'; p
//# conditional type
type E<T> = T extends string ? 'yes' : T extends number ? 'no' : never
const e: E<string> = 'yes'; e
//# infer
type R<T> = T extends Array<infer U> ? U : never; const r: R<number[]> = 3; r
//# infer with a constraint
type R<T> = T extends [infer U extends string, ...unknown[]] ? U : never; const r: R<['a']> = 'a'; r
//# mapped type
type M<T> = { readonly [K in keyof T]?: T[K] }; const m: M<{ a: 1 }> = {}; JSON.stringify(m)
//# mapped type with modifiers and as
type M<T> = { -readonly [K in keyof T as `get${string & K}`]-?: () => T[K] }; 2
//# keyof typeof
const o = { a: 1, b: 2 }; type K = keyof typeof o; const k: K = 'b'; o[k]
//# indexed access type
type P = { a: { b: number } }; const n: P['a']['b'] = 7; n
//# typeof of a member
const conf = { a: { b: 1 } }; const c: typeof conf.a = { b: 2 }; c.b
//# typeof with type arguments
function mk<T>(x: T) { return { x } }
type S = ReturnType<typeof mk<string>>; const s: S = { x: 'q' }; s.x
//# unique symbol
const s: unique symbol = Symbol('q'); s.description
//# import type in a type
type T = import('fs').Stats; 5
//# type with a string containing braces
type T = { '}': "{"; a: '`' }; 6
//# type with comments inside
type T = { // } comment
  a: /* ; */ number
}; 7
//# interface
interface P { x: number; y: number }
const p: P = { x: 1, y: 2 }; p.x + p.y
//# interface with everything
interface P<T = string> extends Array<T>, Iterable<T> {
  (x: number): string
  new (x: T): P<T>
  readonly a: T
  b?(): void
  get c(): number
  set c(v: number)
  [k: number]: T
  [Symbol.iterator](): any
}
8
//# interface declared twice
interface A { x: 1 }
interface A { y: 2 }
const a: A = { x: 1, y: 2 }; a.y
//# interface as a plain name
const interface_ = 1, type = 2, declare = 3, namespace = 4, module = 5, abstract = 6
type + declare + namespace + module + abstract + interface_
//# type as an identifier in expressions
var type = 1
type = 5
type
//# assertion functions
function assert(x: unknown): asserts x { if (!x) throw new Error('no') }
assert(1); 'ok'
//# assertion of a type
function assertS(x: unknown): asserts x is string {}
assertS('a'); 'ok'
//# type predicate
function isS(x: unknown): x is string { return typeof x === 'string' }
isS('a') && !isS(1)
//# this type predicate
class A { isB(): this is B { return true } }
class B extends A {}
new A().isB()
//# recursive type
type Json = string | number | boolean | null | Json[] | { [k: string]: Json }
const j: Json = { a: [1, 'b', null] }; JSON.stringify(j)
//# bigint and symbol types
const b: bigint = 10n; const s: symbol = Symbol(); b.toString()
//# object and never
function fail(): never { throw new Error('x') }
const o: object = {}; typeof o
//# optional chaining with assertions
const o: { a?: { b: number } } = { a: { b: 3 } }; o.a!.b + (o?.a?.b ?? 0)
//# type alias ends without semicolon before parenthesis
let got = 0
type A = number
(() => { got = 2 })()
got
//# type alias ends without semicolon before bracket
let last: number[] = []
type B = string
;[3, 4].forEach(x => last.push(x))
last.join()
//# interface before a template
interface X {}
`t`.length
//# utility types
const p: Partial<Record<'a' | 'b', Pick<{ q: 1 }, 'q'>>> = { a: { q: 1 } }; JSON.stringify(p)
//# comparison in a type position default
type D<T extends object = {}> = T; const d: D = {}; JSON.stringify(d)
//# type on its own line after a colon
const x:
  number = 3
x
//# function type in a union
const f: ((x: number) => string) | undefined = undefined; String(f)
//# optional function property type in parentheses
let cb: null | (() => Promise<void>) = null; cb
//# variance annotations
interface Producer<out T> { get(): T }
interface Consumer<in T> { set(x: T): void }
type Both<in out T> = Producer<T> & Consumer<T>
9
//# accessor types in an interface
interface A { get x(): string; set x(v: string | number) }
10
//# type only namespace import in a type
type X = typeof import('os'); 11
//# arrow type in generics default
type F<T = () => void> = T; 12
//# parenthesised types
const x: (string)[] = ['a']; const y: ((number)) = 1; x[0] + y
//# multi-line object type in a parameter
function f({ a, b }: {
  a: number,
  b: string
}) {
  return a + b
}
f({ a: 1, b: 'x' })
//# void and undefined
const f = (): void => undefined; f()
//# negative and numeric separators in types
type N = -1 | 1_000 | 0xff; 1_000
