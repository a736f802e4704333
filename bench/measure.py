"""Helpers that the suites share: interleaved runs, medians, a table."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass
class Row:
    """One line of a table: what, the measured figure with its unit, and what it must reach (None: only shown)."""

    what: str
    value: float
    unit: str
    must: float | None = None
    detail: str = ""

    @property
    def met(self) -> bool:
        return self.must is None or self.value <= self.must


def print_table(title: str, rows: Sequence[Row]) -> int:
    """Prints the table and returns 0 if every figure is met, else 1."""
    print(f"\n{title}  ({machine()})")
    width = max(len(row.what) for row in rows)
    for row in rows:
        must = "" if row.must is None else f"  at most {row.must:g} {row.unit}  {'ok' if row.met else 'MISSED'}"
        print(f"  {row.what:<{width}}  {row.value:9.4g} {row.unit:<3}{must}{'  ' + row.detail if row.detail else ''}")
    return 0 if all(row.met for row in rows) else 1


def machine() -> str:
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return f"Python {sys.version.split()[0]}, {os.cpu_count()} cores{load}"


def interleaved(
    commands: dict[str, list[str]], rounds: int, env: dict[str, str] | None = None
) -> dict[str, list[float]]:
    """Milliseconds of each whole process, the commands taking turns so that a change of load hits all of them."""
    times: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(rounds + 1):
        for name, command in commands.items():
            started = time.perf_counter()
            done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=env, check=False)
            elapsed = (time.perf_counter() - started) * 1e3
            if done.returncode:
                raise SystemExit(f"{' '.join(command)}: {done.stderr.decode(errors='replace')}")
            if turn:  # the first round warms the page cache
                times[name].append(elapsed)
    return times


def median_ratio(times: list[float], floor: list[float]) -> float:
    return statistics.median(times) / statistics.median(floor)


def microseconds(function: Callable[[], object], calls: int, batches: int = 15) -> float:
    """Median over batches of the time of one call."""
    figures = []
    for _ in range(batches):
        started = time.perf_counter()
        for _ in range(calls):
            function()
        figures.append((time.perf_counter() - started) / calls * 1e6)
    return statistics.median(figures)
