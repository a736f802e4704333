"""What calls of capabilities cost: through the whole pipeline, from a loop in the guest, and large values."""

import asyncio
import statistics
import threading
import time
from collections.abc import Callable
from typing import Any

import wasmhost
from wasmhost import Limits, capability
from wasmhost.session.session import Session

from .measure import Row, print_table

RUNTIMES: dict[str, Callable[..., Session]] = {
    "JavaScript": wasmhost.JavaScriptRuntime,
    "Python": wasmhost.PythonRuntime,
}
CALLS = 1_000
ROUNDS = 11
LIMITS = Limits(calls=1_000_000, script_ms=600_000)


@capability(inline=True)
def inline(i: int) -> int:
    return i


def hop(i: int) -> int:
    return i


async def later(i: int) -> int:
    return i


def text(data: str) -> str:
    return data


def five_megabytes() -> bytes:
    return bytes(5_000_000)


async def nap(i: int) -> int:
    await asyncio.sleep(0.05)
    return i


CAPABILITIES: list[Any] = [inline, hop, later, text, five_megabytes, nap]


def _loop(name: str, tool: str) -> str:
    if name == "JavaScript":
        return f"for (let i = 0; i < {CALLS}; i++) await tools.{tool}({{ i }})"
    wait = "await " if tool == "later" else ""
    return f"for i in range({CALLS}): {wait}tools.{tool}(i=i)"


async def _median(session: Session, code: str, asynchronous: bool, rounds: int = ROUNDS) -> float:
    """Milliseconds of a cell."""
    times = []
    for turn in range(rounds + 1):
        started = time.perf_counter()
        result = await session.execute(code) if asynchronous else session.run(code)
        elapsed = (time.perf_counter() - started) * 1e3
        if not result.ok:
            raise SystemExit(result.error)
        if turn:
            times.append(elapsed)
    return statistics.median(times)


def _blocking(session: Session, code: str) -> float:
    # Nothing in it awaits, so no event loop is needed.
    try:
        _median(session, code, False).send(None)
    except StopIteration as done:
        return float(done.value)
    raise AssertionError("the blocking driver has waited for an event loop")


def _rows(name: str, must_inline: float) -> list[Row]:
    rows = []
    with RUNTIMES[name](capabilities=CAPABILITIES, policy="allow", limits=LIMITS) as session:
        per_call = 1e3 / CALLS
        rows.append(
            Row(f"{name}: inline call", _blocking(session, _loop(name, "inline")) * per_call, "µs", must_inline)
        )
        rows.append(Row(f"{name}: sync call with a hop", _blocking(session, _loop(name, "hop")) * per_call, "µs", 80))
        both = asyncio.run(_median(session, _loop(name, "later"), True)) * per_call
        rows.append(Row(f"{name}: async call, execute() on asyncio", both, "µs", 120))
        megabyte = 1 << 20
        # Made in a cell of its own: the engine of JavaScript takes 5 ms for the text itself.
        session.run(f"var s = 'x'.repeat({megabyte})" if name == "JavaScript" else f"s = 'x' * {megabyte}")
        code = "(await tools.text({ data: s })).length" if name == "JavaScript" else "len(tools.text(data=s))"
        rows.append(Row(f"{name}: 1 MB of text there and back", _blocking(session, code), "ms", 3))
        code = "(await tools.five_megabytes()).length" if name == "JavaScript" else "len(tools.five_megabytes())"
        rows.append(Row(f"{name}: 5 MB of bytes as a result", _blocking(session, code), "ms", 20))
        code = (
            "await Promise.all(Array.from({ length: 100 }, (_, i) => tools.nap({ i })))"
            if name == "JavaScript"
            else "import asyncio\nawait asyncio.gather(*(tools.nap(i=i) for i in range(100)))"
        )
    limits = Limits(calls=1_000_000, script_ms=600_000, parallel_calls=100)
    with RUNTIMES[name](capabilities=CAPABILITIES, policy="allow", limits=limits) as session:
        took = asyncio.run(_median(session, code, True, 5))
        rows.append(Row(f"{name}: 100 parallel calls of 50 ms", took, "ms", 80))
    return rows


def _blocked(name: str) -> Row:
    """Whether 100 guests that wait for synchronous capabilities keep another from going on."""
    gate = threading.Event()
    inside = threading.Semaphore(0)

    def wait() -> None:
        inside.release()
        gate.wait(60)

    async def one(code: str) -> bool:
        with RUNTIMES[name](capabilities=[wait, hop], policy="allow") as session:
            return (await session.execute(code)).ok

    async def main() -> float:
        call = "await tools.wait({})" if name == "JavaScript" else "tools.wait()"
        other = "await tools.hop({ i: 1 })" if name == "JavaScript" else "tools.hop(i=1)"
        waiting = [asyncio.create_task(one(call)) for _ in range(100)]
        for _ in waiting:  # all hundred are in their capability before the other begins
            if not await asyncio.to_thread(inside.acquire, timeout=30):
                return 1
        try:
            free = await asyncio.wait_for(one(other), 30)
        except TimeoutError:
            free = False
        gate.set()
        return 0 if free and all(await asyncio.gather(*waiting)) else 1

    return Row(f"{name}: guests that 100 waiting ones keep from going on", asyncio.run(main()), "", 0)


def _steps(name: str) -> list[Row]:
    """Where the host's time of an inline call goes, step by step."""
    with RUNTIMES[name](capabilities=CAPABILITIES, policy="allow", limits=LIMITS) as session:
        session.run(_loop(name, "inline"))
        records = session.run(_loop(name, "inline")).calls
    shares: dict[str, list[float]] = {}
    for record in records:
        before = 0.0
        for step, _, at in record.steps:
            shares.setdefault(step, []).append((at - before) * 1e3)
            before = at
    medians = {step: statistics.median(took) for step, took in shares.items()}
    whole = sum(medians.values())
    return [Row(f"{name}: of the pipeline, {step} ({took / whole:.0%})", took, "µs") for step, took in medians.items()]


def main() -> int:
    rows = []
    for name, must in (("JavaScript", 15), ("Python", 25)):
        rows += [*_rows(name, must), _blocked(name), *_steps(name)]
    return print_table("calls", rows)
