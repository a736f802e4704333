"""What is left behind by sandboxes that were made, used in every way and dropped; and, as a script of its own
(``python -m bench.soak MINUTES``), mixed load for as long as one likes."""

import asyncio
import gc
import os
import random
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import wasmhost
from wasmhost import Allow, ApprovalRequest, Host, Limits, Suspend
from wasmhost.session.session import Session

from .measure import Row, print_table

WARM, FULL = 2_000, 20_000
WITHIN = 1.05
RUNTIMES: dict[str, type[Session]] = {"JavaScript": wasmhost.JavaScriptRuntime, "Python": wasmhost.PythonRuntime}
SHORT = Limits(script_ms=20, wall_ms=5_000)


def add(a: int, b: int) -> int:
    return a + b


async def later(a: int) -> int:
    await asyncio.sleep(0)
    return a


def later_decides(request: ApprovalRequest) -> Suspend | Allow:
    return Suspend() if request.name == "later" else Allow()


class Ways:
    """The ways in which a sandbox is used, in the language of each guest."""

    def __init__(self, name: str) -> None:
        self.kind: type[Session] = RUNTIMES[name]
        self.python: bool = name == "Python"
        self.all: list[Callable[[], None]] = [
            self.value,
            self.value,
            self.value,
            self.error,
            self.output,
            self.calls,
            self.soft_stop,
            self.fuel,
            self.memory,
            self.snapshot,
            self.fork,
            self.suspend,
            self.reset,
            self.look,
            self.cancelled,
        ]

    def _is(self, session: Session, python: str, javascript: str, value: Any = 2) -> None:
        result = session.run(python if self.python else javascript)
        if result.value != value:
            raise SystemExit(f"{result.value!r} instead of {value!r}: {result.error}")

    def value(self) -> None:
        with self.kind() as session:
            self._is(session, "1 + 1", "1 + 1")

    def error(self) -> None:
        with self.kind() as session:
            session.run("1/0" if self.python else "null.x")
            self._is(session, "1 + 1", "1 + 1")

    def output(self) -> None:
        with self.kind() as session:
            text = "x" * 10_000
            session.run(f"print('{text}')" if self.python else f"console.log('{text}')", on_output=lambda *_: None)

    def calls(self) -> None:
        with self.kind(capabilities=[add, later], policy="allow") as session:
            self._is(session, "add(1, await later(1))", "await add(1, await later(1))")

    def soft_stop(self) -> None:
        with self.kind() as session:
            session.run("while True: pass" if self.python else "for (;;);", limits=SHORT)
            self._is(session, "1 + 1", "1 + 1")

    def fuel(self) -> None:
        with self.kind() as session:
            session.run("while True: pass" if self.python else "for (;;);", limits=Limits(fuel=1_000_000))
            self._is(session, "1 + 1", "1 + 1")

    def memory(self) -> None:
        with self.kind(limits=Limits(memory_bytes=64 << 20)) as session:
            session.run("x = bytes(1 << 30)" if self.python else "const x = new Uint8Array(2 ** 30)")
            self._is(session, "1 + 1", "1 + 1")

    def snapshot(self) -> None:
        with self.kind() as session:
            session.run("x = 2" if self.python else "let x = 2")
            data = session.snapshot()
        with self.kind.restore(data) as session:
            self._is(session, "x", "x")

    def fork(self) -> None:
        with self.kind() as session:
            session.run("x = 2" if self.python else "let x = 2")
            for branch in session.fork(3):
                self._is(branch, "x", "x")
                branch.close()

    def suspend(self) -> None:
        with self.kind(capabilities=[later], approve=later_decides) as session:
            session.run("await later(2)")
            call = session.pending_approvals[0].call_id
            if session.resume_blocking(approvals={call: Allow()}).value != 2:
                raise SystemExit("a suspended cell did not go on")

    def reset(self) -> None:
        with self.kind() as session:
            session.run("1 + 1")
            session.reset_blocking()
            self._is(session, "1 + 1", "1 + 1")

    def look(self) -> None:
        with self.kind() as session:
            session.run("x = 2" if self.python else "let x = 2")
            session.describe()
            session.complete("x")

    def cancelled(self) -> None:
        async def cancel() -> None:
            async with self.kind() as session:
                running = asyncio.create_task(session.execute("while True: pass" if self.python else "for (;;);"))
                await asyncio.sleep(0.002)
                running.cancel()
                try:
                    await running
                except asyncio.CancelledError:
                    pass

        asyncio.run(cancel())


def _left() -> dict[str, float]:
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        resident = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    with open("/proc/self/maps", encoding="utf-8") as file:
        mappings = sum(1 for _ in file)
    return {
        "resident memory, MB": resident / 1e6,
        "threads": threading.active_count() and len(os.listdir("/proc/self/task")),
        "descriptors": len(os.listdir("/proc/self/fd")),
        "mappings": mappings,
    }


def main() -> int:
    if not os.path.exists("/proc/self/statm"):
        print("soak: needs /proc")
        return 0
    random.seed(1)
    rows = []
    for name in RUNTIMES:
        ways = Ways(name).all
        # The slow ways are a tenth as frequent as the common one.
        weights = [30 if getattr(way, "__name__", "") == "value" else 1 for way in ways]
        for _ in range(WARM):
            random.choices(ways, weights)[0]()
        before = _left()
        for _ in range(FULL - WARM):
            random.choices(ways, weights)[0]()
        after = _left()
        for what, value in after.items():
            rows.append(Row(f"{name}: {what}", value / before[what], "x", WITHIN, f"{before[what]:g} to {value:g}"))
    return print_table(f"after {FULL:,} sandboxes, against after {WARM:,}", rows)


def load(minutes: float) -> int:
    """Mixed load on four threads and a host; tells every ten seconds how it stands, and what has failed."""
    end = time.monotonic() + minutes * 60
    counts = {"done": 0, "failed": 0}
    lock = threading.Lock()

    def work(seed: int) -> None:
        choice = random.Random(seed)
        every = [way for name in RUNTIMES for way in Ways(name).all]
        every.append(partial(_in_host, host, choice))
        while time.monotonic() < end:
            way = choice.choice(every)
            try:
                way()
                outcome = "done"
            except BaseException as fault:
                print(f"{way}: {type(fault).__name__}: {fault}")
                outcome = "failed"
            with lock:
                counts[outcome] += 1

    with Host(max_sessions=8) as host:
        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            time.sleep(min(10, max(0.1, minutes * 6)))
            print(f"{counts['done']} done, {counts['failed']} failed; {_left()}", flush=True)
    return 1 if counts["failed"] else 0


def _in_host(host: Host, choice: random.Random) -> None:
    language = choice.choice(["python", "javascript"])
    session = host.session(str(choice.randrange(20)), language=language)
    code = "n = globals().get('n', 0) + 1; n" if language == "python" else "globalThis.n = (globalThis.n ?? 0) + 1"
    try:
        result = session.run(code)
    except wasmhost.SessionBusy:
        return
    if not result.ok:
        raise SystemExit(result.error)


if __name__ == "__main__":
    sys.exit(load(float(sys.argv[1]) if len(sys.argv) > 1 else 60))
