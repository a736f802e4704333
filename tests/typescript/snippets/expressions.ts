//# as
const x = 5 as unknown as string; x
//# as const
const x = { a: [1, 2] } as const; x.a[1]
//# as in a call
String(5 as any)
//# as with a function type
const f = ((x) => x) as (x: number) => number; f(1)
//# as with an object type
const o = JSON.parse('{"a":1}') as { a: number; b?: { c: string } }; o.a
//# as inside a template
`${(1 as number) + 1}`
//# as with a comparison
const a = 1 as number, b = 2; a < b
//# as then a logical operator
const x = (null as string | null) ?? 'd'; x
//# as followed by a ternary
const x = true as boolean ? 1 : 2; x
//# as in an arrow body
const f = (x: unknown) => x as number; f(3)
//# as in an object
JSON.stringify({ a: 1 as number, b: <string>'x', ...({} as object) })
//# as in array spread
[...([1, 2] as number[]), 3 as any].length
//# as in an assignment target
let o: any = {}; (o as any).x = 4; (<any>o).y = 5; o.x + o.y
//# as in for of
let s = 0; for (const x of [1, 2] as number[]) s += x
s
//# as in for in
let s = ''; for (const k in { a: 1 } as Record<string, number>) s += k
s
//# as in return
function f() { return { a: 1 } as { a: number } }
f().a
//# as in throw
try { throw new Error('e') as unknown } catch (e) { (e as Error).message }
//# as chain with non-null
const m = new Map([['a', { b: 1 }]]); (m.get('a')! as any as { b: number }).b!
//# as then new line and parenthesis
let hits = 0
const x = hits as any
(() => { hits = 1 })()
hits
//# satisfies
const c = { port: 80 } satisfies Record<string, number>; c.port
//# satisfies and as const
const c = ['a', 'b'] as const satisfies readonly string[]; c[1]
//# satisfies in a call
Object.keys({ a: 1 } satisfies object).length
//# non-null
const x: string | undefined = 'q'; x!.length
//# non-null chain
const o: any = { a: { b: [1] } }; o!.a!.b![0]!
//# non-null and optional chaining
const o: any = undefined; String(o?.a!.b)
//# non-null call
const f: (() => number) | undefined = () => 3; f!()
//# non-null before operators
let n: number | null = 1; n! + n! - n! * n!
//# non-null increment and assignment
let n: number | undefined = 1; n!++; n! += 2; n
//# non-null then equality
const a: number | null = 1; a! === 1 && a! != 2
//# negation and non-null
const a: boolean | null = false; !a!
//# angle bracket assertion
const x = <number>(<unknown>5); x + 1
//# angle bracket assertion of an object in an arrow
const f = () => <any>{ a: 1 }; JSON.stringify(f())
//# angle bracket assertion of a function
const f = <() => number>function () { return 4 }; f()
//# angle bracket assertion with a generic type
const x = <Array<number>>[1, 2]; x.length
//# angle bracket assertion over lines
const x = <
  number
>6
x
//# angle bracket assertion after return on a new line
function f() {
  return <any>
    7
}
f()
//# call with type arguments
function id<T>(x: T): T { return x }
id<string>('a') + id<Array<Map<string, number>>>([]).length
//# method call with type arguments
[1, 2].map<string>(x => '' + x).reduce<string>((a, b) => a + b, '')
//# new with type arguments
new Map<string, number>([['a', 1]]).get('a')
//# tagged template with a longer type
const sql = (s: any, ...v: any[]) => s.length + v.length
sql<{ a: number }[]>`a${1}b` + sql<string[]>`x` + sql<Map<string, number>>`y`
//# tagged template of a member with type arguments
const db = { sql: (s: TemplateStringsArray) => s[0] }
db.sql<number>`q`
//# instantiation expression
function id<T>(x: T): T { return x }
const s = id<string>; s('x')
//# tagged template with type arguments
function tag<T>(s: TemplateStringsArray, ...v: T[]) { return s.raw.length + v.length }
tag<number>`a${1}b`
//# comparison that looks like type arguments
const a = 1, b = 2, c = 3; JSON.stringify([a < b, b > c, a < b && b > c])
//# comparisons in arguments
function f(...x: any[]) { return x.length } const a = 1, b = 2, c = 3, d = 4
f(a < b, c > d)
//# shifts
const a = 8; (a >> 1) + (a >>> 2) + (a << 1)
//# comparison and shift assignments
let a = 16; a >>= 1; a >>>= 1; a <<= 2; a
//# division and regular expressions
const a = 8, g = 2; a / g / 2 + 'xay'.replace(/a/g, '/').length
//# regular expression after a type
const r: RegExp = /[/<>"']+/g; r.test('<')
//# ternary with a parenthesised object
const a = false; const r = a ? ({ x: 1 }) : ({ y: 2 } as any); r.y
//# object literals in conditions
const k: 'a' | 'b' = 'a' as any; ({ a: 1, b: 2 })[k]
//# void and typeof
typeof (void 0 as any) + typeof (1 as number)
//# delete
const o: any = { a: 1 }; delete (o as any).a; delete o!.b; Object.keys(o).length
//# comma expressions
let a = 0; const b = (a++, a as number); b
//# await with as
(async () => (await Promise.resolve(3) as number) + (await <Promise<number>>Promise.resolve(1)))()
//# spread of an assertion
Math.max(...([1, 5, 2] as number[]))
//# destructuring with assertions
const { a, b = 2 as number } = { a: 1 } as { a: number; b?: number }; const [c = <any>3] = [] as number[]; a + b + c
//# nested templates
`a${`b${(1 as number)}`}c`
//# bigint and exponent
(2n ** 3n as bigint).toString() + (2 ** 3 as number)
//# optional chaining with index
const o: any = { a: [1, 2] }; o?.a?.[1]! + (o?.['a']![0] as number)
//# in and instanceof
('a' in ({ a: 1 } as object)) && ([] as any) instanceof Array
//# logical assignment
let a: any = null; a ??= 1 as number; a ||= 2; a &&= 3; a
//# object with keywords as keys
JSON.stringify({ type: 1, as: 2, is: 3, enum: 4, interface: 5, declare: 6, namespace: 7, satisfies: 8, public: 9 })
//# names that are keywords in types
let any = 1, string = 2, number = 3, as = 4, satisfies = 5, of = 6, keyof = 7, infer = 8, is = 9, asserts = 10
any + string + number + as + satisfies + of + keyof + infer + is + asserts
//# shorthand with keyword names
const type = 1, as = 2; JSON.stringify({ type, as })
//# optional catch binding
try { throw 1 } catch { 'caught' }
//# catch with a type
try { throw new Error('m') } catch (e: any) { e.message }
//# labels
outer: for (const a of [1, 2] as number[]) { for (;;) { continue outer } }
'done'
//# unicode before types keeps
const é: string = 'ü'; const 名 = 'x' as string; é + 名
//# line separators in strings
const s: string = 'a\u2028b'; s.length
//# hashbang-like string and comments
// a: number
/* let x: string */ const u = 'https://x.y/*z*/' as string; u
//# template with type-like text
`const x: number = <any>5 as string`
