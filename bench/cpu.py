"""What code for x86-64-v2 loses against code for every feature of this CPU."""

import statistics

from wasmhost.sandbox import image as images
from wasmhost.sandbox.engine import Engine, engine

from .limits import CPU_PROGRAMS, RUNTIMES, cell_seconds, image_in
from .measure import Row, print_table

ROUNDS = 15


def _compare(name: str, native: Engine) -> list[Row]:
    image_name = RUNTIMES[name].image_name  # type: ignore[attr-defined]
    shipped, fitted = images.image(engine(), image_name), image_in(native, image_name)
    rows = []
    for program, source in CPU_PROGRAMS[name].items():
        pairs = [(cell_seconds(shipped, source), cell_seconds(fitted, source)) for _ in range(ROUNDS)]
        ours, theirs = (min(pair[i] for pair in pairs) for i in (0, 1))
        rows.append(Row(f"{name}: {program}", ours / theirs, "x", None, f"{ours * 1e3:.1f} ms"))
    rows.append(Row(f"{name}: geometric mean", statistics.geometric_mean(row.value for row in rows), "x", 1.05))
    return rows


def main() -> int:
    native = Engine(native=True)
    rows = [row for name in ("JavaScript", "Python") for row in _compare(name, native)]
    return print_table(f"{engine().cpu_level} against {native.cpu_level}, least of {ROUNDS}", rows)
