"""What limits cost and how well they hold: stop latency, the meter against none, checkpoints, equal fuel."""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import wasmhost
from wasmhost import Limits
from wasmhost.protocol.frames import start_head
from wasmhost.sandbox import image as images
from wasmhost.sandbox.engine import Engine, engine
from wasmhost.sandbox.instance import Instance
from wasmhost.sandbox.meter import UNLIMITED_FUEL, Meter
from wasmhost.sandbox.system import SystemSource
from wasmhost.session.session import Session

from .measure import Row, microseconds, print_table
from .unmetered import unmetered

RUNTIMES: dict[str, Callable[..., Session]] = {
    "JavaScript": wasmhost.JavaScriptRuntime,
    "Python": wasmhost.PythonRuntime,
}
LOOPS = {"JavaScript": "for (;;) {}", "Python": "while True: pass"}
STOPS = 50
WALL_MS = 40

CPU_PROGRAMS = {
    "Python": {
        "fib": "def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\nfib(22)",
        "sum": "t = 0\nfor i in range(400000): t += i\nt",
        "json": "import json\nd = [{'a': i, 'b': [i] * 5} for i in range(2000)]\n"
        "len(json.dumps(json.loads(json.dumps(d))))",
        "dict": "d = {}\nfor i in range(120000): d[i % 1000] = d.get(i % 1000, 0) + i\nlen(d)",
        "text": "import re\nlen(re.sub(r'[aeiou]', '', 'the quick brown fox ' * 8000))",
    },
    "JavaScript": {
        "fib": "function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) } fib(22)",
        "sum": "var t = 0; for (var i = 0; i < 2000000; i++) t += i; t",
        "json": "var d = []; for (var i = 0; i < 4000; i++) d.push({ a: i, b: [i, i, i] });"
        " JSON.stringify(JSON.parse(JSON.stringify(d))).length",
        "dict": "var m = new Map(); for (var i = 0; i < 300000; i++) m.set(i % 1000, (m.get(i % 1000) ?? 0) + i);"
        " m.size",
        "text": "'the quick brown fox '.repeat(8000).replace(/[aeiou]/g, '').length",
    },
}


def _stop_latency(name: str) -> list[Row]:
    latencies = []
    with RUNTIMES[name]() as session:
        session.run("1")
        for _ in range(STOPS):
            result = session.run(LOOPS[name], limits=Limits(wall_ms=WALL_MS))
            assert result.stop is not None
            latencies.append(result.wall_ms - WALL_MS)
    latencies.sort()
    return [
        Row(f"{name}: stop after a spent wall clock, median of {STOPS}", statistics.median(latencies), "ms"),
        Row(f"{name}: the same, 99th percentile", latencies[int(0.99 * (STOPS - 1))], "ms", 50),
    ]


class _Nowhere:
    def write(self, stream: int, data: bytes) -> None:
        pass


def image_in(other: Engine, name: str) -> images.Image:
    """The image of that name, compiled for an engine that is not the one of this process. Takes seconds."""
    with open(os.path.join(images.images_folder(), f"{name}.wasm"), "rb") as file:
        return _image(other, name, file.read())


def _image(other: Engine, name: str, wasm: bytes) -> images.Image:
    info = images.read_info(os.path.join(images.images_folder(), f"{name}.info"))
    return images.Image(other, name, info, other.compile(wasm))


def cell_seconds(image: images.Image, source: str) -> float:
    instance = Instance(image, SystemSource(), 512 << 20)
    instance.source.begin_cell(1)
    instance.begin_cell(Meter(time.perf_counter_ns(), 60 * 10**9, 60 * 10**9, UNLIMITED_FUEL), _Nowhere())
    data = source.encode()
    started = time.perf_counter()
    frame = instance.start(start_head(1, 0, bytes(32), 1 << 20, 64, 1000, len(data)), data)
    elapsed = time.perf_counter() - started
    assert frame.status == 0, frame.head
    instance.close()
    return elapsed


def _metering(name: str) -> list[Row]:
    image_name = RUNTIMES[name].image_name  # type: ignore[attr-defined]
    with_meter = images.image(engine(), image_name)
    bare = _image(engine(), image_name, unmetered(image_name))
    rows = []
    for program, source in CPU_PROGRAMS[name].items():
        pairs = [(cell_seconds(with_meter, source), cell_seconds(bare, source)) for _ in range(9)]
        with_it, without = (min(pair[i] for pair in pairs) for i in (0, 1))
        rows.append(
            Row(
                f"{name}: {program}, the meter against none",
                with_it / without,
                "x",
                None,
                f"{with_it * 1e3:.1f} ms",
            )
        )
    rows.append(Row(f"{name}: geometric mean", statistics.geometric_mean(row.value for row in rows), "x"))
    return rows


def checkpoint_rows(name: str, must_ms: float) -> list[Row]:
    """What keeping the state before a cell costs at most: as a rule no cell needs a checkpoint of its own."""
    with RUNTIMES[name]() as session:
        session.run("1+1")
        plain = microseconds(lambda: session.run("1+1"), 200)

        def checkpointed() -> None:
            session._journal.exact = False
            session.run("1+1")

        always = microseconds(checkpointed, 200)
    return [
        Row(f"{name}: trivial cell with a checkpoint before it", always / 1e3, "ms"),
        Row(f"{name}: what that checkpoint costs", (always - plain) / 1e3, "ms", must_ms),
    ]


FUEL_PROGRAMS = {
    "Python": [
        *CPU_PROGRAMS["Python"].values(),
        "1+1",
        "[str(i) for i in range(1000)]",
        "print('x' * 1000)",
        "1/0",
        "import csv",
    ],
    "JavaScript": [
        *CPU_PROGRAMS["JavaScript"].values(),
        "1+1",
        "[...Array(1000).keys()].map(String)",
        "console.log([1])",
        "null.x",
        "/(a|b)*c/.test('ab')",
    ],
}


def fuel_of_programs(name: str, driver: str) -> list[int]:
    """Fuel of ten programs, each in its own sandbox."""
    limits = Limits(script_ms=60_000)

    async def execute(code: str) -> int:
        async with RUNTIMES[name](limits=limits) as session:
            return (await session.execute(code)).fuel

    used = []
    for program in FUEL_PROGRAMS[name]:
        if driver == "async":
            used.append(asyncio.run(execute(program)))
        else:
            with RUNTIMES[name](limits=limits) as session:
                used.append(session.run(program).fuel)
    return used


def _equal_fuel(name: str) -> Row:
    runs = [fuel_of_programs(name, driver) for driver in ("blocking", "async", "blocking")]
    for driver in ("blocking", "async"):
        program = f"from bench.limits import fuel_of_programs as f; print(f({name!r}, {driver!r}))"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        runs.append(json.loads(done.stdout))
    different = sum(len(set(figures)) != 1 for figures in zip(*runs, strict=True))
    return Row(f"{name}: programs of 10 whose fuel differs over 3 runs, 2 processes, 2 drivers", different, "", 0)


def main() -> int:
    rows = []
    for name, must in (("JavaScript", 0.1), ("Python", 0.5)):
        rows += _stop_latency(name) + checkpoint_rows(name, must) + [_equal_fuel(name)] + _metering(name)
    return print_table("limits", rows)
