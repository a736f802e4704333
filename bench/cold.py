"""Cold start: whole processes, new sandboxes, repeated cells, memory."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

from .measure import Row, interleaved, median_ratio, microseconds, print_table

ROUNDS = 15
LIVE = 500

Runtime = Callable[[], object]


def _processes(title: str, env: dict[str, str] | None) -> list[Row]:
    bin_folder = os.path.dirname(sys.executable)
    script = os.path.join(bin_folder, "wasmhost")
    commands = {
        "python": [sys.executable, "-c", "pass"],
        "javascript": [script, "run", "-l", "javascript", "-c", "1+1"],
        "cpython": [script, "run", "-l", "python", "-c", "1+1"],
    }
    times = interleaved(commands, ROUNDS, env)
    floor = times["python"]
    detail = "{:.1f} ms against {:.1f} ms"
    return [
        Row(
            f"wasmhost run -l {name}{title}",
            median_ratio(times[key], floor),
            "x",
            must,
            detail.format(statistics.median(times[key]), statistics.median(floor)),
        )
        for name, key, must in (("javascript", "javascript", 2.0), ("python", "cpython", 2.5))
    ]


def _imports() -> Row:
    times = interleaved(
        {
            "bare": [sys.executable, "-c", "pass"],
            "import": [sys.executable, "-c", "from wasmhost import PythonRuntime, Limits, RuntimeResult"],
        },
        ROUNDS,
    )
    difference = statistics.median(times["import"]) - statistics.median(times["bare"])
    return Row(
        "from wasmhost import PythonRuntime, Limits, RuntimeResult", difference, "ms", 8.0, "over a bare interpreter"
    )


def sandboxes(name: str, make: str, new_must: float, next_must: float) -> list[Row]:
    """In a child process, so that one guest's heap does not disturb the other's figures."""
    program = f"""
from bench.cold import in_process
in_process({make!r})
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    new, repeat, private = map(float, done.stdout.split())
    memory_must = {"JavaScriptRuntime": 0.12, "TypeScriptRuntime": 0.16, "PythonRuntime": 0.5}[make]
    return [
        Row(f"{name}: new sandbox to first result", new / 1e3, "ms", new_must),
        Row(f"{name}: next run('1+1')", repeat / 1e3, "ms", next_must),
        Row(f"{name}: private memory of each of {LIVE} live sandboxes", private, "MB", memory_must),
    ]


def in_process(make: str) -> None:
    """Prints microseconds of a new sandbox, of a repeated cell, and MB of private memory for each live sandbox."""
    import wasmhost

    runtime = getattr(wasmhost, make)

    def new_us_once() -> float:
        started = time.perf_counter()
        session = runtime()
        session.run("1+1")
        elapsed = time.perf_counter() - started
        session.close()
        return elapsed * 1e6

    new_us_once()
    new_us = statistics.median(new_us_once() for _ in range(1000))
    with runtime() as session:
        session.run("1+1")
        repeat_us = microseconds(lambda: session.run("1+1"), 500)
    before = private_megabytes()
    live = [runtime() for _ in range(LIVE)]
    for session in live:
        session.run("1+1")
    private = (private_megabytes() - before) / LIVE
    print(new_us, repeat_us, private)


def private_megabytes() -> float:
    with open("/proc/self/smaps_rollup", encoding="ascii") as file:
        for line in file:
            if line.startswith("Private_Dirty:"):
                return int(line.split()[1]) / 1024
    raise SystemExit("no Private_Dirty in /proc/self/smaps_rollup")


def main() -> int:
    rows = _processes("", None)
    with tempfile.TemporaryDirectory() as empty:
        rows += _processes(", empty compile caches", {**os.environ, "WASMHOST_CACHE": empty})
    rows += sandboxes("JavaScript", "JavaScriptRuntime", 0.15, 0.03)
    rows += sandboxes("Python", "PythonRuntime", 0.6, 0.08)
    rows.append(_imports())
    return print_table(f"cold start, medians of {ROUNDS}, interleaved", rows)
