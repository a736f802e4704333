"""What it takes to prepare a cell before it runs: ten lines that are compiled and not run, over a cell of one."""

import statistics
import time

import wasmhost
from wasmhost.session.session import Session

from .measure import Row, print_table

ROUNDS = 400
# Ten lines as people write them, in a function that nobody calls.
PYTHON = """\
def report(rows, limit=10):
    totals = {}
    for row in rows:
        name, amount = row["name"].strip().lower(), float(row.get("amount", 0))
        totals.setdefault(name, []).append(amount)
    ranked = sorted(totals.items(), key=lambda pair: -sum(pair[1]))[:limit]
    lines = [f"{name}: {sum(amounts):.2f} ({len(amounts)})" for name, amounts in ranked]
    if len(totals) > limit:
        lines.append(f"and {len(totals) - limit} more")
    return "\\n".join(lines)
"""
JAVASCRIPT = """\
function report(rows, limit = 10) {
  const totals = new Map();
  for (const row of rows) {
    const name = row.name.trim().toLowerCase(), amount = Number(row.amount ?? 0);
    totals.set(name, [...(totals.get(name) ?? []), amount]);
  }
  const ranked = [...totals].sort(([, a], [, b]) => b.length - a.length).slice(0, limit);
  const lines = ranked.map(([name, amounts]) => `${name}: ${amounts.reduce((a, b) => a + b, 0).toFixed(2)}`);
  return totals.size > limit ? [...lines, `and ${totals.size - limit} more`].join('\\n') : lines.join('\\n');
}
"""


def _preparing(kind: type[Session], code: str) -> tuple[float, float]:
    """Milliseconds of the cell with ten lines and of one with one, taking turns."""
    times: dict[str, list[float]] = {code: [], "0": []}
    with kind() as session:
        for turn in range(ROUNDS + 20):
            for each, found in times.items():
                started = time.perf_counter()
                session.run(each)
                if turn >= 20:
                    found.append((time.perf_counter() - started) * 1e3)
    return statistics.median(times[code]), statistics.median(times["0"])


def main() -> int:
    rows = []
    for name, kind, code, must in (
        ("JavaScript", wasmhost.JavaScriptRuntime, JAVASCRIPT, 0.1),
        ("Python", wasmhost.PythonRuntime, PYTHON, 0.5),
    ):
        ten, one = _preparing(kind, code)
        rows.append(Row(f"{name}: preparing ten lines", ten - one, "ms", must, f"{ten:.3f} - {one:.3f} ms"))
    return print_table(f"preparing a cell, median of {ROUNDS}", rows)
