//# generic repository
interface Entity { id: number }
class Repo<T extends Entity> {
  private items = new Map<number, T>()
  add(item: T): this { this.items.set(item.id, item); return this }
  find(pred: (x: T) => boolean): T | undefined { for (const x of this.items.values()) if (pred(x)) return x; return undefined }
  get size(): number { return this.items.size }
}
type User = Entity & { name: string; tags?: readonly string[] }
const repo = new Repo<User>().add({ id: 1, name: 'a' }).add({ id: 2, name: 'b', tags: ['x'] })
JSON.stringify([repo.size, repo.find(u => u.tags?.includes('x') ?? false)?.name])
//# discriminated union
type Shape = { kind: 'circle'; r: number } | { kind: 'square'; s: number }
const area = (s: Shape): number => {
  switch (s.kind) {
    case 'circle': return Math.round(Math.PI * s.r ** 2)
    case 'square': return s.s ** 2
  }
}
const shapes: Shape[] = [{ kind: 'circle', r: 1 }, { kind: 'square', s: 2 }]
shapes.map(area).join()
//# event emitter
type Events = { open: [string]; close: [] }
class Emitter<E extends Record<string, any[]>> {
  private handlers: { [K in keyof E]?: ((...args: E[K]) => void)[] } = {}
  on<K extends keyof E>(name: K, fn: (...args: E[K]) => void): void { (this.handlers[name] ??= []).push(fn) }
  emit<K extends keyof E>(name: K, ...args: E[K]): void { this.handlers[name]?.forEach(fn => fn(...args)) }
}
const e = new Emitter<Events>()
let got: string = ''
e.on('open', (s: string) => { got += s })
e.emit('open', 'x'); e.emit('close')
got
//# result type
type Result<T, E = Error> = { ok: true; value: T } | { ok: false; error: E }
function attempt<T>(fn: () => T): Result<T> {
  try { return { ok: true, value: fn() } } catch (error) { return { ok: false, error: error as Error } }
}
const r = attempt(() => JSON.parse('{') as unknown)
r.ok ? 'parsed' : r.error.name
//# memoize
function memoize<A extends unknown[], R>(fn: (...args: A) => R): (...args: A) => R {
  const cache: Map<string, R> = new Map()
  return (...args: A): R => {
    const key = JSON.stringify(args)
    if (!cache.has(key)) cache.set(key, fn(...args))
    return cache.get(key)!
  }
}
const fib: (n: number) => number = memoize((n: number): number => n < 2 ? n : fib(n - 1) + fib(n - 2))
fib(40)
//# linked list
class Node_<T> { constructor(public value: T, public next: Node_<T> | null = null) {} }
class List<T> implements Iterable<T> {
  private head: Node_<T> | null = null
  push(v: T): void { this.head = new Node_(v, this.head) }
  *[Symbol.iterator](): Iterator<T> { let n = this.head; while (n) { yield n.value; n = n.next } }
}
const l = new List<number>(); l.push(1); l.push(2);
[...l].join()
//# group by
const groupBy = <T, K extends PropertyKey>(xs: readonly T[], key: (x: T) => K): Record<K, T[]> =>
  xs.reduce((acc, x) => { (acc[key(x)] ||= []).push(x); return acc }, {} as Record<K, T[]>)
JSON.stringify(groupBy([1, 2, 3, 4], n => n % 2 ? 'odd' : 'even'))
//# async pipeline
interface Task<T> { run(): Promise<T> }
const tasks: Task<number>[] = [1, 2, 3].map((n): Task<number> => ({ run: async () => n * 2 }))
async function all<T>(ts: Task<T>[]): Promise<T[]> { const out: T[] = []; for (const t of ts) out.push(await t.run()); return out }
all(tasks).then((xs: number[]) => xs.join())
//# builder with overloads
class Q { private parts: string[] = []
  where(field: string, value: number): this
  where(raw: string): this
  where(a: string, b?: number): this { this.parts.push(b === undefined ? a : `${a}=${b}`); return this }
  toString(): string { return this.parts.join(' AND ') } }
String(new Q().where('a', 1).where('b IS NULL'))
//# state machine
enum State { Idle = 'IDLE', Running = 'RUNNING', Done = 'DONE' }
const transitions: { readonly [S in State]: readonly State[] } = { [State.Idle]: [State.Running], [State.Running]: [State.Done], [State.Done]: [] }
class Machine { private state: State = State.Idle; go(to: State): boolean { if (!transitions[this.state].includes(to)) return false; this.state = to; return true } }
const m = new Machine(); JSON.stringify([m.go(State.Done), m.go(State.Running), m.go(State.Done)])
//# deep partial and merge
type DeepPartial<T> = { [K in keyof T]?: T[K] extends object ? DeepPartial<T[K]> : T[K] }
function merge<T extends Record<string, any>>(a: T, b: DeepPartial<T>): T { const out: any = { ...a }; for (const k in b) out[k] = typeof b[k] === 'object' ? merge(a[k], b[k] as any) : b[k]; return out as T }
JSON.stringify(merge({ a: { b: 1, c: 2 }, d: 3 }, { a: { b: 9 } }))
//# printing
interface Row { name: string; n: number }
const rows: Row[] = [{ name: 'a', n: 1 }, { name: 'b', n: 2 }]
for (const { name, n } of rows) console.log(`${name}: ${n.toFixed(1)}`)
console.log(rows.map((r: Row) => r.n).reduce((a: number, b: number) => a + b, 0))
//# parser combinators
type P<T> = (s: string) => [T, string] | null
const char = (c: string): P<string> => s => s[0] === c ? [c, s.slice(1)] : null
const many = <T>(p: P<T>): P<T[]> => s => { const out: T[] = []; let r: [T, string] | null; while ((r = p(s))) { out.push(r[0]); s = r[1] } return [out, s] }
JSON.stringify(many(char('a'))('aab'))
//# dependency container
type Token<T> = symbol & { __t?: T }
class Container { private m = new Map<symbol, unknown>(); set<T>(t: Token<T>, v: T): void { this.m.set(t, v) } get<T>(t: Token<T>): T { if (!this.m.has(t)) throw new Error(`no ${String(t)}`); return this.m.get(t) as T } }
const LOG: Token<(s: string) => string> = Symbol('log'); const c = new Container(); c.set(LOG, s => s.toUpperCase()); c.get(LOG)('hi')
//# matrix
type Matrix = readonly (readonly number[])[]
const mul = (a: Matrix, b: Matrix): number[][] => a.map(r => b[0]!.map((_, j) => r.reduce((s, x, k) => s + x * b[k]![j]!, 0)))
JSON.stringify(mul([[1, 2], [3, 4]], [[5, 6], [7, 8]]))
//# binary search
function search<T>(xs: ArrayLike<T>, x: T, cmp: (a: T, b: T) => number = (a, b) => (a < b ? -1 : a > b ? 1 : 0)): number {
  let lo = 0, hi = xs.length - 1
  while (lo <= hi) { const mid = (lo + hi) >>> 1, c = cmp(xs[mid]!, x); if (c === 0) return mid; c < 0 ? (lo = mid + 1) : (hi = mid - 1) }
  return -1
}
search([1, 3, 5, 7], 5)
