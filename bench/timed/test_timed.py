"""Whole processes, sandboxes, cells, calls, values, snapshots, programs, memory and threads, for both guests."""

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from bench.calls import CAPABILITIES, LIMITS
from bench.cold import private_megabytes
from bench.peers.programs import PROGRAMS
from bench.state import FILLED
from wasmhost import Limits, capability
from wasmhost.session.session import Session

Runtime = Callable[..., Session]
Pick = Callable[..., Any]

CALLS = 200
LIVE = 50
SANDBOXES = 40
ROWS = 6_000


def checked(session: Session, code: str) -> Any:
    result = session.run(code)
    assert result.ok, result.error
    return result.value


def new(runtime: Runtime) -> None:
    with runtime() as session:
        session.run("1 + 1")


@pytest.mark.benchmark(group="whole process")
@pytest.mark.parametrize("cache", ["warm", "empty"])
def test_process(benchmark: BenchmarkFixture, language: str, cache: str, tmp_path: Any) -> None:
    script = os.path.join(os.path.dirname(sys.executable), "wasmhost")
    words = [script, "run", "-l", language, "-c", "1 + 1"]
    env = {**os.environ, "WASMHOST_CACHE": str(tmp_path)} if cache == "empty" else None
    benchmark(lambda: subprocess.run(words, env=env, check=True, stdout=subprocess.DEVNULL))


@pytest.mark.benchmark(group="whole process")
def test_bare_python(benchmark: BenchmarkFixture) -> None:
    benchmark(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True))


@pytest.mark.benchmark(group="sandbox")
def test_new_sandbox(benchmark: BenchmarkFixture, runtime: Runtime) -> None:
    benchmark(new, runtime)


@pytest.mark.benchmark(group="cell")
def test_repeated_cell(benchmark: BenchmarkFixture, runtime: Runtime) -> None:
    with runtime() as session:
        benchmark(session.run, "1 + 1")


@pytest.mark.benchmark(group=f"{CALLS} calls")
@pytest.mark.parametrize("tool", ["inline", "hop"])
def test_calls(benchmark: BenchmarkFixture, runtime: Runtime, pick: Pick, tool: str) -> None:
    code = pick(
        f"for (let i = 0; i < {CALLS}; i++) await tools.{tool}({{ i }})", f"for i in range({CALLS}): tools.{tool}(i=i)"
    )
    with runtime(capabilities=CAPABILITIES, policy="allow", limits=LIMITS) as session:
        benchmark(checked, session, code)


@pytest.mark.benchmark(group="values")
@pytest.mark.parametrize("what", ["text there and back", "rows to the host", "rows to the guest", "rows as the value"])
def test_values(benchmark: BenchmarkFixture, runtime: Runtime, pick: Pick, what: str) -> None:
    """A megabyte each."""
    rows = [{"id": i, "name": f"row {i} " + "x" * 80, "price": i / 4, "at": [i, -i]} for i in range(ROWS)]

    @capability(inline=True)
    def text(data: str) -> str:
        return data

    @capability(inline=True)
    def take(rows: Any) -> int:
        return len(rows)

    @capability(inline=True)
    def give() -> Any:
        return rows

    programs = {
        "text there and back": pick("(await tools.text({ data: s })).length", "len(tools.text(data=s))"),
        "rows to the host": pick("await tools.take({ rows })", "tools.take(rows=rows)"),
        "rows to the guest": pick("(await tools.give()).length", "len(tools.give())"),
        "rows as the value": "rows",
    }
    limits = Limits(calls=1_000_000, script_ms=600_000)
    with runtime(capabilities=[text, take, give], policy="allow", limits=limits) as session:
        checked(
            session,
            pick(
                "var s = 'x'.repeat(1 << 20), rows = await tools.give(); 0", "s = 'x' * (1 << 20)\nrows = tools.give()"
            ),
        )
        benchmark(checked, session, programs[what])


@pytest.mark.benchmark(group="state")
@pytest.mark.parametrize("what", ["snapshot", "restore", "fork"])
@pytest.mark.parametrize("filled", ["empty", "filled"])
def test_state(benchmark: BenchmarkFixture, runtime: Runtime, pick: Pick, what: str, filled: str) -> None:
    with runtime() as session:
        checked(session, pick(FILLED["JavaScript"], FILLED["Python"]) if filled == "filled" else "1 + 1")
        data = session.snapshot()
        benchmark.extra_info["kilobytes"] = len(data) / 1000

        def restored() -> None:
            with type(session).restore(data) as made:
                made.run("1 + 1")

        def forked() -> None:
            for made in session.fork(1):
                made.run("1 + 1")
                made.close()

        benchmark({"snapshot": session.snapshot, "restore": restored, "fork": forked}[what])


@pytest.mark.benchmark(group="programs")
@pytest.mark.parametrize("program", sorted(PROGRAMS["python"]))
def test_program(benchmark: BenchmarkFixture, runtime: Runtime, language: str, program: str) -> None:
    one = PROGRAMS[language][program]
    with runtime(limits=Limits(script_ms=600_000)) as session:
        checked(session, one.code)
        assert benchmark(checked, session, one.value) == one.answer


@pytest.mark.benchmark(group=f"{LIVE} live sandboxes")
def test_memory(benchmark: BenchmarkFixture, runtime: Runtime) -> None:
    """The time is that of making them; what each takes stands in ``extra_info``."""

    def live() -> float:
        before = private_megabytes()
        sessions = [runtime() for _ in range(LIVE)]
        for session in sessions:
            session.run("1 + 1")
        each = (private_megabytes() - before) / LIVE
        for session in sessions:
            session.close()
        return each

    benchmark.extra_info["private megabytes of each"] = benchmark(live)


@pytest.mark.benchmark(group=f"{SANDBOXES} sandboxes")
@pytest.mark.parametrize("threads", [1, 2])
def test_throughput(benchmark: BenchmarkFixture, runtime: Runtime, threads: int) -> None:
    with ThreadPoolExecutor(threads) as pool:
        benchmark(lambda: list(pool.map(new, [runtime] * SANDBOXES)))


@pytest.mark.benchmark(group="work on threads")
@pytest.mark.parametrize("threads", [1, 2])
def test_parallel_work(benchmark: BenchmarkFixture, runtime: Runtime, language: str, threads: int) -> None:
    """Four times the same program: guests on two threads run beside each other."""
    one = PROGRAMS[language]["fib"]

    def work(_: int) -> None:
        with runtime(limits=Limits(script_ms=600_000)) as session:
            checked(session, one.code)
            checked(session, one.value)

    with ThreadPoolExecutor(threads) as pool:
        benchmark(lambda: list(pool.map(work, range(4))))
