//# parameters and return type
function add(a: number, b: number): number { return a + b }
add(1, 2)
//# optional parameter
function f(a: number, b?: string) { return b === undefined }
f(1)
//# default parameter
function f(a: number = 3, b: string = 'x'): string { return a + b }
f()
//# rest parameter
function f(...xs: number[]): number { return xs.length }
f(1, 2, 3)
//# destructured parameters
function f({ a, b = 2 }: { a: number; b?: number }, [c, ...d]: number[]): number { return a + b + c + d.length }
f({ a: 1 }, [3, 4, 5])
//# this parameter
function f(this: { n: number }, k: number) { return this.n + k }
f.call({ n: 1 }, 2)
//# this parameter alone
function f(this: { n: number }) { return this.n }
f.call({ n: 8 })
//# overloads
function f(x: number): number
function f(x: string): string
function f(x: any): any { return x }
f('s') + f(1)
//# overloads with semicolons
function f(x: number): number;
function f(x: string): string;
function f(x: any) { return typeof x }
f(1)
//# async function
async function f(x: Promise<number>): Promise<number> { return (await x) + 1 }
f(Promise.resolve(1))
//# generator
function* g(n: number): Generator<number, void, unknown> { for (let i: number = 0; i < n; i++) yield i }
JSON.stringify([...g(3)])
//# async generator
async function* g(): AsyncGenerator<number> { yield 1; yield 2 }
(async () => { let s = 0; for await (const x of g()) s += x as number; return s })()
//# arrow with types
const f = (a: number, b: number): number => a * b
f(3, 4)
//# arrow with an optional parameter
const f = (a?: number) => a ?? 'none'
f()
//# arrow with destructuring
const f = ({ a }: { a: number }): number => a
f({ a: 6 })
//# arrow returning an object
const f = (a: number): { a: number } => ({ a })
JSON.stringify(f(1))
//# arrow returning a function type
const f = (): (() => number) => () => 5
f()()
//# async arrow
const f = async (x: number): Promise<number> => x
f(7)
//# async arrow without parentheses
const f = async x => x as number
f(8)
//# generic arrow
const f = <T>(x: T): T => x
f(1)
//# generic arrow with comma
const f = <T,>(x: T): T => x
f(2)
//# generic arrow with constraint
const f = <T extends { a: number }>(x: T): number => x.a
f({ a: 3 })
//# generic async arrow
const f = async <T>(x: T): Promise<T> => x
f(4)
//# const type parameter
const f = <const T extends readonly unknown[]>(x: T): T => x
f([1, 2]).length
//# return type over several lines
const f = (a: number): Promise<
  number
> => Promise.resolve(a)
f(9)
//# return type on the line after the parenthesis
const f = (a: number)
  : number => a + 1
f(1)
//# type parameters over several lines
const f = async <
  T,
  U
>(a: T, b: U): Promise<[T, U]> => [a, b]
f(1, 'x').then(x => x.length)
//# arrow as an argument
[1, 2, 3].map((x: number): number => x * 2).join()
//# arrow in a conditional
const a = true, b = 1
const f = a ? (b) : (c: number) => c
f
//# arrow with a type in a conditional
const f = false ? 1 : (c: number): number => c
typeof f
//# nested conditional with arrows
const g = (x: any) => x ? (y: number) => y : (z: string): string => z
g(1)(2)
//# function expression
const f = function (x: number): number { return x }
f(2)
//# named function expression with type parameters
const f = function id<T>(x: T): T { return x }
f.name
//# immediately invoked
(function (x: number): number { return x + 1 })(2)
//# iife arrow
((x: number): number => x + 2)(2)
//# method shorthand in an object
const o = { m(x: number): string { return 'm' + x }, async n<T>(x: T): Promise<T> { return x } }
o.m(1)
//# getter and setter in an object
const o = { _x: 1, get x(): number { return this._x }, set x(v: number) { this._x = v } }
o.x = 5; o.x
//# computed method
const o = { ['a' + 1](x: string): string { return x } }
o.a1('q')
//# callback types
function on(name: string, cb: (e: { type: string }) => void): void { cb({ type: name }) }
let seen = ''; on('x', e => { seen = e.type }); seen
//# default parameter with as
function f(x = [] as number[], y = <any>{}): number { return x.length }
f()
//# parameter default with a function type
function f(cb: (x: number) => number = x => x + 1): number { return cb(1) }
f()
//# trailing commas
function f(a: number, b?: string,): void {}
f(1,); 'ok'
//# comments among types
function f(a /* first */: /* type */ number, // rest
  b: string): /* r */ string { return a + b }
f(1, 'b')
//# function named like a type keyword
function type(x: number): number { return x } function declare() { return 2 }
type(1) + declare()
//# parameters named like keywords
function f(type: string, of: number, as: number, is: number, any: number): string { return type + of + as + is + any }
f('t', 1, 2, 3, 4)
//# optional call with type arguments
const f: undefined | (<T>(x: T) => T) = x => x
f?.<number>(5)
//# currying
const add = (a: number) => (b: number) => (c: number): number => a + b + c
add(1)(2)(3)
//# assertion function as const
const assert: (x: unknown) => asserts x = x => { if (!x) throw 1 }
assert(1); 'ok'
//# length and name stay
function f(this: any, a: number, b?: number, ...c: number[]) {}
f.length + f.name
//# yield with as
function* g() { const x = (yield 1) as number; return x }
const i = g(); i.next(); JSON.stringify(i.next(4))
//# new target and arguments
function F(this: any, a?: number) { return arguments.length }
F(1)
