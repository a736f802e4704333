"""Keys of a Map: numbers, objects and strings cost about the same."""

import time

import wasmhost

from .measure import Row, print_table

KEYS = {
    "integers": "Array.from({ length: 1000 }, (_, i) => i)",
    "fractions": "Array.from({ length: 1000 }, (_, i) => i + 0.5)",
    "objects": "Array.from({ length: 1000 }, () => ({}))",
    "strings": "Array.from({ length: 1000 }, (_, i) => 'key ' + i)",
}
LOOP = """
const m = new Map(keys.map(key => [key, 0]))
let sum = 0
for (let j = 0; j < 150_000; j++) { m.set(keys[j % 1000], j); sum += m.get(keys[j % 1000]) }
sum
"""


def _milliseconds(keys: str) -> float:
    with wasmhost.JavaScriptRuntime(limits=wasmhost.Limits(script_ms=60_000)) as session:
        session.run(f"const keys = {keys}")
        started = time.perf_counter()
        result = session.run(LOOP)
        if not result.ok:
            raise SystemExit(result.error)
        return (time.perf_counter() - started) * 1e3


def main() -> int:
    times = {name: min(_milliseconds(keys) for _ in range(3)) for name, keys in KEYS.items()}
    rows = [
        Row(
            f"1,000 {name}, 300,000 times get or set", times[name] / times["strings"], "x", 2.0, f"{times[name]:.0f} ms"
        )
        for name in KEYS
    ]
    return print_table("Map, against strings as keys", rows)
