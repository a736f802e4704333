"""After a hard end of any kind the session is as it was before the cell, by each way in which dirty pages are found."""

import gc
import tracemalloc
from typing import Any

import pytest

from tests.support.drivers import Driver
from tests.support.guests import Guest
from wasmhost import Limits
from wasmhost.sandbox import pages
from wasmhost.session.session import Session

from .tools import Result, ending, stopped, unaskable

pytestmark = pytest.mark.spec("D6.1", "D6.2")

SHORT_MS = 60
# name: Python, JavaScript (None: there is no such way), limits of the cell, ending
HARD: dict[str, tuple[str | None, str | None, Limits | None, str]] = {
    "fuel": ("while True: pass", "for (;;) {}", Limits(fuel=40_000_000), "fuel"),
    "script": ("", "", Limits(script_ms=SHORT_MS), "hard"),
    "wall": ("", "", Limits(wall_ms=SHORT_MS), "hard"),
    "memory": ("#" * (48 << 20), "//" + "x" * (48 << 20), None, "memory"),
    "stack": (
        "g = iter([1])\nfor _ in range(10**5): g = map(int, g)\nlist(g)",
        "(function f() { return f() })()",
        None,
        "stack",
    ),
    "abort": ("import posix; posix.abort()", None, None, "crash"),
    "exit": ("import posix; posix._exit(0)", None, None, "crash"),
}
LIMITS = Limits(script_ms=20_000, memory_bytes=48 << 20)
SMALL_STACK = Limits(script_ms=20_000, memory_bytes=48 << 20, stack_bytes=256 << 10)
SPOIL = {
    "python": "big[:] = [0] * 50_000; n = -1; more = 'x' * 1_000_000\n",
    "javascript": "big.fill(0); n = -1; var more = 'x'.repeat(1_000_000);\n",
}


_KINDS: dict[str, Any] = {"scan": pages._Scan, "pagemap": pages._Pagemap}
# One of each: they hold a descriptor open for as long as the process lives.
_made: dict[str, Any] = {}


@pytest.fixture(params=["scan", "pagemap", "comparing"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Checkpoints are made by this way, whatever the kernel offers."""
    made = _made.get(request.param)
    if made is None and request.param in _KINDS:
        try:
            made = _KINDS[request.param]()
        except (OSError, ImportError) as error:
            pytest.skip(f"not here: {error}")
        if not pages._works(made):
            pytest.skip("not told by this kernel")
        _made[request.param] = made
    monkeypatch.setattr(pages, "_way", made)
    monkeypatch.setattr(pages, "_chosen", True)
    return str(request.param)


def end_hard(session: Session, guest: Guest, kind: str, before: str = "") -> Result:
    """Runs a cell that spoils what it finds and then ends in that way."""
    python, javascript, limits, expected = HARD[kind]
    code = guest.pick(python=python, javascript=javascript)
    if code is None:
        pytest.skip(f"{guest.name} has no {kind}")
    result = session.run(before + (code or unaskable(guest)), limits=limits)
    assert (ending(result), result.state) == (expected, "restored"), result
    assert "went back" in result.notes[-1]
    return result


@pytest.mark.spec("S7")
@pytest.mark.parametrize("kind", HARD)
def test_by_each_way_after_each_end(way: str, guest: Guest, kind: str) -> None:
    # QuickJS looks at its own stack before that of the sandbox is spent, unless that is small.
    with guest.runtime(limits=SMALL_STACK if kind == "stack" else LIMITS) as session:
        numbers = guest.pick(python="big = list(range(50_000))", javascript="var big = [...Array(50_000).keys()]")
        assert session.run(numbers).ok
        for round_ in range(2):
            assert session.run(guest.assign("n", str(round_))).ok
            # A checkpoint is taken before the next cell, and put back after it.
            session._journal.exact = False
            end_hard(session, guest, kind, SPOIL[guest.name])
            total = guest.pick(python="sum(big)", javascript="big.reduce((a, b) => a + b)")
            assert session.run(total).value == 1_249_975_000
            assert session.run("n").value == round_
            gone = guest.pick(python="'more' in globals()", javascript="typeof more !== 'undefined'")
            assert session.run(gone).value is False


@pytest.mark.parametrize("kind", HARD)
def test_twice_in_a_row_and_in_the_first_cell_and_after_reset(guest: Guest, kind: str) -> None:
    with guest.runtime(limits=SMALL_STACK if kind == "stack" else LIMITS) as session:
        for _ in range(2):
            for _ in range(2):
                end_hard(session, guest, kind)
            nothing = guest.pick(python="'x' in globals()", javascript="typeof x !== 'undefined'")
            assert session.run(nothing).value is False
            assert session.run(guest.assign("x", "41")).ok
            for _ in range(2):
                end_hard(session, guest, kind)
            assert session.run("x + 1").value == 42
            session.reset_blocking()


def test_a_soft_stop_and_then_a_hard_one(guest: Guest, driver: Driver) -> None:
    with guest.runtime(limits=LIMITS) as session:
        assert driver.run(session, guest.assign("x", "1")).ok
        # Where it was stopped no replay would find again.
        halfway = driver.run(session, f"{guest.assign('x', '2')}\n{guest.spin}", limits=Limits(script_ms=SHORT_MS))
        assert stopped(halfway) == ("script", "soft", "kept")
        for _ in range(2):
            hard = driver.run(session, f"x = 3\n{guest.spin}", limits=Limits(fuel=40_000_000))
            assert stopped(hard) == ("fuel", "hard", "restored")
            assert driver.value(session, "x") == 2


@pytest.mark.spec("D1.5")
def test_what_a_cell_that_was_ended_held_is_freed_at_once(guest: Guest, driver: Driver) -> None:
    # And not by the collector, which counts objects and not bytes.
    size = 2 << 20
    with guest.runtime(limits=LIMITS) as session:
        source = guest.spin + " " * size

        def end_three() -> int:
            for _ in range(3):
                assert stopped(driver.run(session, source, limits=Limits(fuel=100_000_000)))[0] == "fuel"
            return tracemalloc.get_traced_memory()[0]

        gc.collect()
        gc.disable()
        tracemalloc.start()
        try:
            before = end_three()
            assert end_three() - before < size
        finally:
            tracemalloc.stop()
            gc.enable()


@pytest.mark.spec("D6.3")
def test_after_two_hundred_cells_the_last_state_is_there(guest: Guest, driver: Driver) -> None:
    with guest.runtime(limits=LIMITS) as session:
        assert driver.run(session, guest.assign("n", "0")).ok
        assert driver.run(session, guest.assign("seen", "[]")).ok
        random = guest.pick(python="import random\nr = random.random()", javascript="var r = Math.random()")
        append = guest.pick(python="n += 1; seen.append(n)", javascript="n += 1; seen.push(n); undefined")
        last = 0.0
        for number in range(200):
            assert session.run(append).ok
            if number % 50 == 49:
                assert session.run(random).ok
                last = session.run("r").value
        hard = driver.run(session, f"n = 0; seen = []\n{guest.spin}", limits=Limits(fuel=40_000_000))
        assert stopped(hard) == ("fuel", "hard", "restored")
        assert driver.value(session, "n") == 200
        assert driver.value(session, "seen") == list(range(1, 201))
        assert driver.value(session, "r") == last
        # What it takes on the host: one checkpoint of what differs from the image, and a short journal.
        assert session._checkpoint is not None
        assert session._checkpoint.bytes < 16 << 20
        assert len(session._journal._entries) <= 64
