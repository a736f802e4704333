"""What is left behind by sandboxes that were made, used in every way and dropped; and, as a script of its own
(``python -m bench.soak MINUTES``), mixed load for as long as one likes."""

import asyncio
import ctypes
import faulthandler
import gc
import os
import random
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import Any

import wasmhost
from wasmhost import Allow, ApprovalRequest, Host, Limits, Suspend
from wasmhost.session.session import Session

from .measure import Row, print_table

WARM, FULL = 2_000, 20_000
WITHIN = 1.05
# How often the load rests, and how long it may take to come to rest: far longer than any limit of a cell.
SAMPLE_SECONDS = 20.0
REST_SECONDS = 120.0
# Sessions of the host.
LANGUAGES, KEYS = ("python", "javascript"), 20
RUNTIMES: dict[str, type[Session]] = {"JavaScript": wasmhost.JavaScriptRuntime, "Python": wasmhost.PythonRuntime}
SHORT = Limits(script_ms=20, wall_ms=5_000)
# Script time passes while a process of low priority is not let run: no way may fail by it but one that is about it.
LONG = Limits(script_ms=300_000)


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
        with self.kind(limits=LONG) as session:
            self._is(session, "1 + 1", "1 + 1")

    def error(self) -> None:
        with self.kind(limits=LONG) as session:
            session.run("1/0" if self.python else "null.x")
            self._is(session, "1 + 1", "1 + 1")

    def output(self) -> None:
        with self.kind(limits=LONG) as session:
            text = "x" * 10_000
            session.run(f"print('{text}')" if self.python else f"console.log('{text}')", on_output=lambda *_: None)

    def calls(self) -> None:
        with self.kind(capabilities=[add, later], policy="allow", limits=LONG) as session:
            self._is(session, "add(1, await later(1))", "await add(1, await later(1))")

    def soft_stop(self) -> None:
        with self.kind(limits=LONG) as session:
            session.run("while True: pass" if self.python else "for (;;);", limits=SHORT)
            self._is(session, "1 + 1", "1 + 1")

    def fuel(self) -> None:
        with self.kind(limits=LONG) as session:
            session.run("while True: pass" if self.python else "for (;;);", limits=Limits(fuel=1_000_000))
            self._is(session, "1 + 1", "1 + 1")

    def memory(self) -> None:
        with self.kind(limits=Limits(memory_bytes=64 << 20, script_ms=300_000)) as session:
            session.run("x = bytes(1 << 30)" if self.python else "const x = new Uint8Array(2 ** 30)")
            self._is(session, "1 + 1", "1 + 1")

    def snapshot(self) -> None:
        with self.kind(limits=LONG) as session:
            session.run("x = 2" if self.python else "let x = 2")
            data = session.snapshot()
        with self.kind.restore(data, limits=LONG) as session:
            self._is(session, "x", "x")

    def fork(self) -> None:
        with self.kind(limits=LONG) as session:
            session.run("x = 2" if self.python else "let x = 2")
            for branch in session.fork(3):
                self._is(branch, "x", "x")
                branch.close()

    def suspend(self) -> None:
        with self.kind(capabilities=[later], approve=later_decides, limits=LONG) as session:
            result = session.run("await later(2)")
            if not session.pending_approvals:
                raise SystemExit(f"not suspended: {result.error}")
            call = session.pending_approvals[0].call_id
            if session.resume_blocking(approvals={call: Allow()}).value != 2:
                raise SystemExit("a suspended cell did not go on")

    def reset(self) -> None:
        with self.kind(limits=LONG) as session:
            session.run("1 + 1")
            session.reset_blocking()
            self._is(session, "1 + 1", "1 + 1")

    def look(self) -> None:
        with self.kind(limits=LONG) as session:
            session.run("x = 2" if self.python else "let x = 2")
            session.describe()
            session.complete("x")

    def cancelled(self) -> None:
        async def cancel() -> None:
            async with self.kind(limits=LONG) as session:
                running = asyncio.create_task(session.execute("while True: pass" if self.python else "for (;;);"))
                await asyncio.sleep(0.002)
                running.cancel()
                try:
                    await running
                except asyncio.CancelledError:
                    pass

        asyncio.run(cancel())


class _Malloc(ctypes.Structure):
    """``struct mallinfo2`` of glibc."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
            *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
        )
    ]


def given_out() -> int:
    """Bytes that malloc has given out and not got back, its caches for each thread among them; 0 where it is not
    glibc's, 2.33 or later."""
    mallinfo2 = getattr(ctypes.CDLL(None), "mallinfo2", None) if sys.platform == "linux" else None
    if mallinfo2 is None:
        return 0
    mallinfo2.restype = _Malloc
    info = mallinfo2()
    return int(info.uordblks + info.hblkhd)


@dataclass
class Sample:
    """What the process holds while nothing runs in it: MB of memory, and counts."""

    anonymous: float
    files: float
    given_out: float
    threads: int
    descriptors: int
    mappings: int
    objects: int
    blocks: int

    @classmethod
    def take(cls) -> "Sample":
        gc.collect()
        with open("/proc/self/status", encoding="ascii") as file:
            fields = dict(line.split(":", 1) for line in file)
        with open("/proc/self/maps", encoding="utf-8") as file:
            mappings = sum(1 for _ in file)
        return cls(
            int(fields["RssAnon"].split()[0]) * 1024 / 1e6,
            int(fields["RssFile"].split()[0]) * 1024 / 1e6,
            given_out() / 1e6,
            int(fields["Threads"]),
            len(os.listdir("/proc/self/fd")),
            mappings,
            len(gc.get_objects()),
            sys.getallocatedblocks(),
        )

    def __str__(self) -> str:
        return (
            f"RssAnon {self.anonymous:.1f} MB, RssFile {self.files:.1f} MB, malloc {self.given_out:.2f} MB, "
            f"{self.threads} threads, "
            f"{self.descriptors} descriptors, {self.mappings} mappings, {self.objects} objects, {self.blocks} blocks"
        )

    def figures(self) -> dict[str, float]:
        return {
            "resident memory, MB": self.anonymous + self.files,
            "RssAnon, MB": self.anonymous,
            "threads": self.threads,
            "descriptors": self.descriptors,
            "mappings": self.mappings,
            "objects": self.objects,
            "blocks": self.blocks,
        }


def main() -> int:
    if not os.path.exists("/proc/self/status"):
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
        before = Sample.take().figures()
        for _ in range(FULL - WARM):
            random.choices(ways, weights)[0]()
        after = Sample.take().figures()
        for what, value in after.items():
            rows.append(Row(f"{name}: {what}", value / before[what], "x", WITHIN, f"{before[what]:g} to {value:g}"))
    return print_table(f"after {FULL:,} sandboxes, against after {WARM:,}", rows)


class Gate:
    """Lets workers through until it is closed; whoever closes it waits until all who are inside have left.

    A worker that has ended, however it did, is not inside, so it keeps nobody waiting.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._closed: bool = False
        self._inside: int = 0

    @contextmanager
    def through(self) -> Iterator[None]:
        with self._changed:
            self._changed.wait_for(lambda: not self._closed)
            self._inside += 1
        try:
            yield
        finally:
            with self._changed:
                self._inside -= 1
                self._changed.notify_all()

    @contextmanager
    def closed(self, seconds: float) -> Iterator[bool]:
        """Nobody is inside meanwhile; False: somebody still is, after that time."""
        with self._changed:
            self._closed = True
            rested = self._changed.wait_for(lambda: not self._inside, seconds)
        try:
            yield rested
        finally:
            with self._changed:
                self._closed = False
                self._changed.notify_all()


def quarters(figures: Sequence[float]) -> list[float]:
    """Means of the four quarters of at least four figures."""
    size = len(figures)
    return [fmean(figures[size * part // 4 : size * (part + 1) // 4]) for part in range(4)]


def load(minutes: float) -> int:
    """Mixed load on four threads and a host. Every so often all of them rest and it tells what the process holds then;
    while they run, live pages of guests would be in the figures. At the end the means of each quarter.

    Returns:
        1 if something failed or ``RssAnon`` grew. The process ends with 1 if something did not come to rest in time.
    """
    end = time.monotonic() + minutes * 60
    counts = {"done": 0, "failed": 0}
    lock = threading.Lock()
    gate = Gate()
    samples: list[Sample] = []

    def work(seed: int) -> None:
        choice = random.Random(seed)
        every = [way for name in RUNTIMES for way in Ways(name).all]
        every.append(partial(_in_host, host, choice))
        while time.monotonic() < end:
            way = choice.choice(every)
            with gate.through():
                try:
                    way()
                    outcome = "done"
                except BaseException as fault:
                    outcome = "failed"
                    print(f"{way}: {type(fault).__name__}: {fault}", flush=True)
            with lock:
                counts[outcome] += 1

    def look() -> None:
        with gate.closed(REST_SECONDS) as rested:
            if not rested:
                print(f"not at rest after {REST_SECONDS} s:", flush=True)
                faulthandler.dump_traceback()
                # Closing the host, too, might wait for what hangs.
                os._exit(1)
            # Sessions go to the host's store: how many pages those that happen to be in memory have is no growth.
            host.evict_idle(0)
            # One key after the other begins anew: a guest keeps the source of each of its cells, so sessions that
            # never end grow, and so do their snapshots in the store.
            for language in LANGUAGES:
                host.delete(str(len(samples) % KEYS), language=language)
            samples.append(Sample.take())
        print(f"{counts['done']} done, {counts['failed']} failed; {samples[-1]}", flush=True)

    with Host(max_sessions=8, limits=LONG) as host:
        # Daemons: one that hangs must not keep the process from ending.
        threads = [threading.Thread(target=work, args=(seed,), daemon=True) for seed in range(4)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            time.sleep(max(0.1, min(SAMPLE_SECONDS, minutes * 60 / 20, end - time.monotonic())))
            look()
        look()
    return 1 if counts["failed"] or _grew(samples) else 0


def _grew(samples: list[Sample]) -> bool:
    """Prints the means of the quarters; whether ``RssAnon`` of the last is above what it may be."""
    print(f"\n{'MB at rest, mean of quarter':<28}{'1':>8}{'2':>8}{'3':>8}{'4':>8}   ({len(samples)} samples)")
    means = {
        "RssAnon": quarters([one.anonymous for one in samples]),
        "RssFile": quarters([one.files for one in samples]),
        "given out by malloc": quarters([one.given_out for one in samples]),
    }
    for name, figures in means.items():
        print(f"{name:<28}" + "".join(f"{figure:8.2f}" for figure in figures))
    # Against the second quarter: the first has the warm-up in it, in which modules are imported, threads get arenas of
    # malloc, and caches fill. RssFile is told and not judged: pages of the images and of libraries that are touched
    # for the first time, which the kernel takes back when it needs them.
    growth = means["RssAnon"][3] / means["RssAnon"][1]
    verdict = "ok" if growth <= WITHIN else "MISSED"
    print(f"RssAnon, fourth quarter against second: {growth:.3f} x, at most {WITHIN} x  {verdict}", flush=True)
    return growth > WITHIN


def _in_host(host: Host, choice: random.Random) -> None:
    language = choice.choice(LANGUAGES)
    session = host.session(str(choice.randrange(KEYS)), language=language)
    code = "n = globals().get('n', 0) + 1; n" if language == "python" else "globalThis.n = (globalThis.n ?? 0) + 1"
    try:
        result = session.run(code)
    except wasmhost.SessionBusy:
        return
    if not result.ok:
        raise SystemExit(result.error)


if __name__ == "__main__":
    sys.exit(load(float(sys.argv[1]) if len(sys.argv) > 1 else 60))
