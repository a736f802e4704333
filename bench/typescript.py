"""What TypeScript costs beside JavaScript: preparing a cell, and a new sandbox."""

import statistics
import time

import wasmhost
from wasmhost.session.session import Session

from .cold import sandboxes
from .measure import Row, print_table

ROUNDS = 300

# Twenty lines as they are written, and the same without types. Nothing in them runs long.
TYPED = """\
interface Point { x: number; y: number; label?: string }
type Shape = { kind: 'circle'; at: Point; r: number } | { kind: 'box'; from: Point; to: Point }
var area = (s: Shape): number => {
  if (s.kind === 'circle') return Math.PI * s.r ** 2;
  var w: number = Math.abs(s.to.x - s.from.x), h: number = Math.abs(s.to.y - s.from.y);
  return w * h;
};
var Store = class<T extends { id: number }> {
  private readonly items = new Map<number, T>();
  add(item: T): this { this.items.set(item.id, item); return this; }
  get(id: number): T | undefined { return this.items.get(id); }
  all<U>(f: (x: T, i: number) => U): U[] { return [...this.items.values()].map(f); }
};
function group<T, K extends string>(xs: readonly T[], key: (x: T) => K): Record<K, T[]> {
  const out = {} as Record<K, T[]>;
  for (const x of xs) (out[key(x)] ??= []).push(x);
  return out;
}
var shapes: Shape[] = [{ kind: 'circle', at: { x: 0, y: 0 }, r: 1 }];
shapes.map(area).reduce((a: number, b: number): number => a + b, 0) as number
"""
PLAIN = """\


var area = s => {
  if (s.kind === 'circle') return Math.PI * s.r ** 2;
  var w = Math.abs(s.to.x - s.from.x), h = Math.abs(s.to.y - s.from.y);
  return w * h;
};
var Store = class {
  items = new Map();
  add(item) { this.items.set(item.id, item); return this; }
  get(id) { return this.items.get(id); }
  all(f) { return [...this.items.values()].map(f); }
};
function group(xs, key) {
  const out = {};
  for (const x of xs) (out[key(x)] ??= []).push(x);
  return out;
}
var shapes = [{ kind: 'circle', at: { x: 0, y: 0 }, r: 1 }];
shapes.map(area).reduce((a, b) => a + b, 0)
"""


def _milliseconds(session: Session, code: str) -> float:
    started = time.perf_counter()
    result = session.run(code)
    elapsed = (time.perf_counter() - started) * 1e3
    if not result.ok:
        raise SystemExit(result.error)
    return elapsed


def _preparing() -> Row:
    with wasmhost.TypeScriptRuntime() as typescript, wasmhost.JavaScriptRuntime() as javascript:
        # In turns, so that a change of load hits both.
        pairs = [(_milliseconds(typescript, TYPED), _milliseconds(javascript, PLAIN)) for _ in range(ROUNDS)]
    typed, plain = (statistics.median(times) for times in zip(*pairs, strict=True))
    detail = f"{typed:.2f} ms against {plain:.2f} ms"
    return Row("twenty lines, over the same without types as JavaScript", typed - plain, "ms", 2.0, detail)


def main() -> int:
    rows = [_preparing(), *sandboxes("TypeScript", "TypeScriptRuntime", 0.3, 0.06)]
    return print_table("TypeScript", rows)
