//# fields with types
class A { x: number = 1; y?: string; readonly z: boolean = true }
JSON.stringify(new A())
//# fields without initialiser are defined
class A { x: number; y: string }
JSON.stringify(Object.keys(new A()))
//# fields without semicolons
class A {
  x: number = 1
  y = 'a' as string
  z!: number
  w?: string
}
Object.keys(new A()).join()
//# declared fields leave nothing
class A { declare x: number; y = 1 }
Object.keys(new A()).join()
//# static and private modifiers
class A { private static readonly n: number = 4; public static get(): number { return A.n } }
A.get()
//# private names
class A { #x: number = 3; get(): number { return this.#x } has(o: object): boolean { return #x in o } }
new A().get() + String(new A().has(new A()))
//# modifiers on methods
class A { public a(): number { return 1 } protected b(): number { return 2 } private c() { return this.a() + this.b() } d() { return this.c() } }
new A().d()
//# modifiers before generators and computed names
class A {
  x = 1
  public *gen(): Generator<number> { yield 7 }
  y = 2
  private ['com' + 'puted'](): number { return 8 }
  z = 3
  static async *ag(): AsyncGenerator<number> { yield 9 }
}
[...new A().gen()][0] + (new A() as any).computed()
//# field followed by a computed field
class A {
  x: number
  ['y']: number = 2
}
Object.keys(new A()).join()
//# index signature in a class
class A { [key: string]: any; static x: number = 1; y = 2 }
JSON.stringify(new A())
//# static index signature does not matter
class A { readonly [key: string]: any
  y = 3 }
JSON.stringify(new A())
//# parameter properties
class P { constructor(public x: number, private y = 2, readonly z?: string) {} sum() { return this.x + this.y } }
new P(1).sum() + JSON.stringify(new P(1, 3, 'q'))
//# parameter properties with a body
class P { n: number; constructor(private readonly a: number, b: number) { this.n = this.a + b } }
new P(1, 2).n
//# parameter properties of a derived class
class A { constructor(public a: number) {} }
class B extends A { constructor(a: number, protected b: string) { super(a); this.b += '!' } }
JSON.stringify(new B(1, 'x'))
//# parameter properties with statements before super
class A { constructor(public a: number) {} }
class B extends A { constructor(public b: number) { const t = b * 2; super(t) } }
JSON.stringify(new B(2))
//# parameter properties and fields in order
class P { f = 1; constructor(public a: number, public b: number) {} g = 2 }
Object.keys(new P(1, 2)).join()
//# parameter properties over several lines
class P {
  constructor(
    public readonly first: string,
    private second: number = 5,
    plain?: boolean,
  ) {
    if (plain) this.second = 0
  }
  get() { return this.first + this.second }
}
new P('a').get() + new P('b', 1, true).get()
//# parameter property with override
class A { constructor(public a: number) {} }
class B extends A { constructor(public override a: number) { super(a) } }
new B(3).a
//# parameter property with a directive
class P { constructor(public a: number) { 'use strict'; } }
new P(4).a
//# parameter property with a default from another
class P { constructor(public a: number, public b = a * 2) {} }
JSON.stringify(new P(2))
//# constructor overloads
class P { constructor(x: number); constructor(x: string); constructor(public x: any) {} }
new P('s').x
//# method overloads
class A { f(x: number): number; f(x: string): string; f(x: any): any { return x } }
new A().f('q')
//# method overloads without semicolons
class A {
  f(x: number): number
  f(x: string): string
  f(x: any): any { return x }
  static g(): void
  static g(x?: number): any { return 5 }
}
new A().f('q') + A.g()
//# abstract class
abstract class S { abstract area(): number; abstract readonly name: string; describe(): string { return this.name + this.area() } }
class Sq extends S { name = 'sq'; constructor(private s: number) { super() } area(): number { return this.s ** 2 } }
new Sq(3).describe()
//# abstract accessors
abstract class A { abstract get x(): number; abstract set x(v: number); protected abstract m<T>(x: T): T }
typeof A
//# implements
interface I { a(): void } interface J<T> { b: T }
class A implements I, J<string> { a() {} b = 'b' }
new A().b
//# extends with type arguments
class L<T> { items: T[] = [] }
class N extends L<number> implements Iterable<number> { *[Symbol.iterator](): Iterator<number> { yield* this.items } }
[...new N()].length
//# extends a call
function mixin<T extends new (...a: any[]) => object>(B: T) { return class extends B { mixed = true } }
class A {}
class B extends mixin<typeof A>(A) {}
(new B() as any).mixed
//# extends an expression with as
class Base { v = 1 }
class D extends (Base as any) { w = 2 }
JSON.stringify(new D())
//# generic class
class Box<T extends object = {}> { constructor(private v: T) {} get(): T { return this.v } map<U extends object>(f: (x: T) => U): Box<U> { return new Box<U>(f(this.v)) } }
JSON.stringify(new Box({ a: 1 }).map(x => ({ b: x.a })).get())
//# override
class A { m(): number { return 1 } }
class B extends A { override m(): number { return super.m() + 1 } }
new B().m()
//# getters and setters with modifiers
class A { private _v = 1; public get v(): number { return this._v } public set v(x: number) { this._v = x } static get s(): string { return 's' } }
const a = new A(); a.v = 5; a.v + A.s
//# optional methods
class A { m?(): void; n = 1 }
JSON.stringify(new A())
//# class expression
const C = class<T> { x: T | undefined; private y: number = 1 }
C.name + Object.keys(new C()).join()
//# class expression named
const C = class Named<T> implements Iterable<T> { *[Symbol.iterator](): any {} }
C.name
//# static block
class A { static n: number; static { A.n = 3 as number } }
A.n
//# this types and fluent calls
class B { private parts: string[] = []; add(p: string): this { this.parts.push(p); return this } build(): string { return this.parts.join('-') } }
new B().add('a').add('b').build()
//# arrow fields
class A { private n = 2; f = (x: number): number => x * this.n; g = async <T,>(x: T): Promise<T> => x }
new A().f(4)
//# accessibility words as names
class A { public = 1; private() { return 2 } static static = 3; readonly = 4; get = 5; set = 6; async = 7; declare = 8; abstract = 9 }
const a = new A(); a.public + a.private() + A.static + a.readonly + a.get + a.set + a.async + a.declare + a.abstract
//# string and number names
class A { 'a b': number = 1; 2: string = 'x'; public 'c d'(): number { return 3 } }
const a = new A(); a['a b'] + a[2] + a['c d']()
//# private constructor
class S { private static i?: S; private constructor(readonly n: number) {} static get(): S { return S.i ??= new S(1) } }
S.get() === S.get()
//# toString and symbols
class M { constructor(private readonly amount: number, private readonly currency: string) {} toString(): string { return `${this.amount} ${this.currency}` } get [Symbol.toStringTag](): string { return 'M' } }
`${new M(5, 'EUR')}`
//# errors with codes
class E extends Error { constructor(message: string, public readonly code: number) { super(message); this.name = 'E' } }
try { throw new E('bad', 7) } catch (e: unknown) { (e as E).name + (e as E).code + (e as E).message }
//# class with comma after signature
class A { x: number = 1
  y: string = 'b' // comment
  /* before */ private z: number = 3
}
JSON.stringify(new A())
//# in operator in a field
class A { static k = 'a' in { a: 1 } }
A.k
//# nested classes
class A { static B = class { constructor(public v: number) {} } }
new A.B(3).v
//# class in a function with types
function make<T>(v: T) { return new (class { constructor(public v: T) {} })(v) }
make('m').v
//# definite field after modifiers
class A { private readonly x!: number; protected y?: string }
Object.keys(new A()).join()
//# super property and non-null
class A { v: number | null = 2 }
class B extends A { get w() { return this.v! * 2 } }
new B().w
//# new with type arguments and no parentheses
const m = new Map<string, number>
m.size
//# instanceof and in with types
class A {}; const x: unknown = new A(); (x as any) instanceof A
