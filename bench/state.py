"""Snapshots, restores, forks, and what keeping the state before each cell costs."""

import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import wasmhost
from wasmhost import FileStore, Host, MemoryStore, SqliteStore
from wasmhost.session.session import Session

from .limits import checkpoint_rows
from .measure import Row, print_table

ROUNDS = 40
RUNTIMES: dict[str, type[Session]] = {"JavaScript": wasmhost.JavaScriptRuntime, "Python": wasmhost.PythonRuntime}
# A session as people have them: functions, classes, some data.
FILLED = {
    "JavaScript": "class P { constructor(n) { this.n = n } };"
    "const ps = Array.from({ length: 100 }, (_, i) => new P(i));"
    "const f = x => ps.reduce((sum, p) => sum + p.n, x); const text = 'x'.repeat(10000); f(1)",
    "Python": "class P:\n    def __init__(self, n): self.n = n\nps = [P(i) for i in range(100)]\n"
    "def f(x): return sum((p.n for p in ps), x)\ntext = 'x' * 10000\nf(1)",
}


def _median(action: Callable[[], Any], rounds: int = ROUNDS) -> float:
    """Milliseconds."""
    times = []
    for turn in range(rounds + 3):
        started = time.perf_counter()
        action()
        if turn >= 3:
            times.append((time.perf_counter() - started) * 1e3)
    return statistics.median(times)


def _restored(kind: type[Session], data: bytes) -> None:
    with kind.restore(data) as session:
        assert session.run("1 + 1").value == 2


def _forks(session: Session) -> None:
    branches = session.fork(100)
    for branch in branches:
        assert branch.run("1 + 1").value == 2
    for branch in branches:
        branch.close()


def _rows(name: str, snapshot: float, restore: float, kilobytes: float, forks: float) -> list[Row]:
    kind = RUNTIMES[name]
    rows = []
    with kind() as session:
        session.run("1 + 1")
        data = session.snapshot()
        rows.append(Row(f"{name}: snapshot after 1+1", _median(session.snapshot), "ms", snapshot))
        rows.append(Row(f"{name}: restore to first result", _median(lambda: _restored(kind, data)), "ms", restore))
        rows.append(Row(f"{name}: size of that snapshot", len(data) / 1000, "KB", kilobytes))
        rows.append(Row(f"{name}: fork of 100, each evaluates", _median(lambda: _forks(session), 7), "ms", forks))
    with kind() as session:
        session.run(FILLED[name])
        data = session.snapshot()
        rows.append(Row(f"{name}: snapshot of a filled session", _median(session.snapshot), "ms"))
        rows.append(Row(f"{name}: its restore to first result", _median(lambda: _restored(kind, data)), "ms"))
        rows.append(Row(f"{name}: its size", len(data) / 1000, "KB"))
    return rows


def _host_rows(name: str) -> list[Row]:
    """A trivial cell of a host's session, with its state in a store before the result, and its way out of the memory
    and back."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for kind, store in (
            ("memory", MemoryStore()),
            ("files", FileStore(f"{folder}/files")),
            ("SQLite", SqliteStore(f"{folder}/file.db")),
        ):
            with Host(store, language=name.lower()) as host:
                session = host.session()
                session.run("1 + 1")
                cell = _median(partial(session.run, "1 + 1"))
                rows.append(Row(f"{name}: trivial cell, stored ({kind})", cell, "ms"))
                if kind == "files":
                    back = _median(partial(_out_and_back, host))
                    rows.append(Row(f"{name}: out of the memory and back", back, "ms"))
    return rows


def _out_and_back(host: Host) -> None:
    assert host.evict_idle(0) == 1
    assert host.session().run("1 + 1").value == 2


def main() -> int:
    rows = [*_rows("JavaScript", 1, 0.5, 60, 30), *checkpoint_rows("JavaScript", 0.1)]
    rows += [*_rows("Python", 3, 1.5, 250, 120), *checkpoint_rows("Python", 0.5)]
    rows += [*_host_rows("JavaScript"), *_host_rows("Python")]
    return print_table("state", rows)
