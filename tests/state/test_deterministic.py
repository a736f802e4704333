"""Sessions that see nothing of this machine: equal cells, equal results, equal fuel."""

import json
import random
import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import anyio
import pytest

from tests.support.child import ROOT, environment
from tests.support.drivers import Driver
from tests.support.guests import GUESTS, Guest
from wasmhost import Allow, ApprovalRequest, Deterministic, Limits, Suspend
from wasmhost.session.session import Session

from .programs import PROGRAMS, World

EVERY = [(language, name) for language, programs in PROGRAMS.items() for name in programs]
START = datetime(2000, 1, 1, tzinfo=UTC)


class Uneven(World):
    """The same answers, at times that are never the same."""

    async def later(self, name: str, turns: int = 0) -> str:
        await anyio.sleep(random.random() * 0.003)
        return f"{name}{turns}"

    async def fails_later(self, turns: int) -> None:
        await anyio.sleep(random.random() * 0.003)
        raise LookupError(f"gone {turns}")


def allow(request: ApprovalRequest) -> Allow:
    return Allow()


def session_of(guest: Guest, **given: Any) -> Session:
    return guest.runtime(**{"deterministic": Deterministic(7), **given})


def course(language: str, name: str, run: Callable[[Session, str], Any] | None = None) -> list[Any]:
    """All that can be told of the cells of a program."""
    cells, probe = PROGRAMS[language][name]
    options = {"capabilities": Uneven().capabilities(), "policy": "allow", "approve": allow}
    made = []
    with session_of(GUESTS[language], **options) as session:
        for cell in [*cells, probe]:
            result = session.run(cell) if run is None else run(session, cell)
            made.append([result.fuel, result.value_text, result.error, result.stdout])
    return made


@pytest.mark.spec("D8.1", "D8.2", "D2")
@pytest.mark.parametrize(("language", "name"), EVERY, ids=[f"{one}-{other}" for one, other in EVERY])
def test_equal_cells_give_equal_results_and_equal_fuel(language: str, name: str) -> None:
    first = course(language, name)
    assert course(language, name) == first
    assert course(language, name, lambda session, cell: anyio.run(session.execute, cell)) == first


_CHILD = """
import json
from tests.state.test_deterministic import EVERY, course
print(json.dumps([course(language, name) for language, name in EVERY]))
"""


@pytest.mark.spec("D8.2")
def test_in_another_process_too() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _CHILD],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**environment(), "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "3", "TZ": "Asia/Tokyo"},
        timeout=120,
        check=True,
    )
    assert json.loads(done.stdout) == [course(language, name) for language, name in EVERY]


DRAW = {"python": "import random, os\nrandom.random(), os.urandom(4)", "javascript": "Math.random()"}
NOW = {"python": "import time\ntime.time()", "javascript": "Date.now() / 1000"}


@pytest.mark.spec("D8.1")
def test_another_seed_gives_other_numbers(guest: Guest) -> None:
    seeds: list[bytes | str | int] = [0, 1, -1, "", "0", b"", b"0", "\udc80", 10**50]
    drawn = []
    for seed in seeds:
        for _ in range(2):
            with session_of(guest, deterministic=Deterministic(seed)) as session:
                drawn.append([session.run(DRAW[guest.name]).value_text for _ in range(2)])
    assert drawn[::2] == drawn[1::2]
    assert len({text for pair in drawn for text in pair}) == 2 * len(seeds)


@pytest.mark.spec("D8.1")
def test_the_clock_starts_where_it_is_said(guest: Guest) -> None:
    for start in (START, datetime(2031, 5, 6, 7, 8, 9, tzinfo=timezone(timedelta(hours=3)))):
        with session_of(guest, deterministic=Deterministic(start=start)) as session:
            now = session.run(NOW[guest.name]).value
            assert 0 <= now - start.timestamp() < 1


@pytest.mark.spec("D8.3")
def test_the_clock_moves_by_fuel(guest: Guest) -> None:
    with session_of(guest) as session:
        before = session.run(NOW[guest.name])
        work = session.run(
            guest.pick(python="for i in range(200_000): pass", javascript="for (let i = 0; i < 1e6; i++);")
        )
        after = session.run(NOW[guest.name])
        moved = (after.value - before.value) * 1e9 * 2
        # JavaScript's clock has milliseconds.
        assert work.fuel - 4e6 < moved < work.fuel + before.fuel + after.fuel + 4e6


SLEEPS = {
    "python": [
        "import time\na = time.time(); time.sleep(3600); time.time() - a",
        "import time, asyncio\na = time.time(); await asyncio.sleep(3600); time.time() - a",
    ],
    "javascript": ["const a = Date.now(); await new Promise(r => setTimeout(r, 3600000)); (Date.now() - a) / 1000"],
}


@pytest.mark.spec("D8.3")
def test_sleeping_takes_no_real_time(guest: Guest, driver: Driver) -> None:
    """An hour, which the test does not have."""
    for cell in SLEEPS[guest.name]:
        with session_of(guest) as session:
            assert 3600 <= driver.value(session, cell) < 3601


@pytest.mark.spec("D8.3")
def test_sleeping_for_ever_costs_fuel(guest: Guest, driver: Driver) -> None:
    cell = guest.pick(
        python="import asyncio\nwhile True: await asyncio.sleep(1e6)",
        javascript="for (;;) await new Promise(r => setTimeout(r, 1e9))",
    )
    stops = []
    for _ in range(2):
        with session_of(guest) as session:
            result = driver.run(session, cell, limits=Limits(fuel=200_000_000))
            stops.append((result.stop and result.stop.limit, result.fuel))
            assert driver.value(session, "1 + 1") == 2
    assert stops == [("fuel", 200_000_000)] * 2


@pytest.mark.spec("D8.4")
def test_the_budget_is_fuel(guest: Guest) -> None:
    with session_of(guest, limits=Limits(script_ms=50)) as session:
        result = session.run(guest.spin)
        assert result.stop is not None
        assert (result.stop.limit, result.fuel) == ("fuel", 100_000_000)
        result = session.run(guest.spin, limits=Limits(fuel=9_000_000))
        assert (result.stop and result.stop.limit, result.fuel) == ("fuel", 9_000_000)


@pytest.mark.spec("D8.4")
def test_the_wall_clock_is_real(guest: Guest) -> None:
    with session_of(guest, limits=Limits(script_ms=600_000, wall_ms=50)) as session:
        result = session.run(guest.spin)
        assert result.stop is not None
        assert result.stop.limit == "wall"


def test_going_back_is_the_same_each_time(guest: Guest) -> None:
    cells = [guest.assign("x", "1"), guest.spin, NOW[guest.name], DRAW[guest.name], guest.spin, NOW[guest.name]]
    courses = []
    for _ in range(2):
        with session_of(guest, limits=Limits(fuel=20_000_000)) as session:
            courses.append([(r.fuel, r.value_text, r.state) for r in map(session.run, cells)])
    assert courses[0] == courses[1]
    assert [state for _, _, state in courses[0]] == ["kept", "restored", "kept", "kept", "restored", "kept"]


def test_a_snapshot_in_between_changes_nothing(guest: Guest) -> None:
    cells = [NOW[guest.name], DRAW[guest.name], guest.assign("x", "2"), NOW[guest.name], DRAW[guest.name]]
    with session_of(guest) as session:
        whole = [(r.fuel, r.value_text) for r in map(session.run, cells)]
    for at in range(1, len(cells)):
        with session_of(guest) as session:
            made = [(r.fuel, r.value_text) for r in map(session.run, cells[:at])]
            data = session.snapshot()
            branch = session.fork(reseed=False)[0]
        rest = guest.runtime.restore(data, reseed=False, deterministic=Deterministic(7))
        for going_on in (rest, branch):
            with going_on:
                assert made + [(r.fuel, r.value_text) for r in map(going_on.run, cells[at:])] == whole


ASKS = {
    "await": {
        "python": "import time, random\na = time.time()\nb = await later('x')\n(time.time(), a, b, random.random())",
        "javascript": "const a = Date.now(); const b = await later('x'); [Date.now(), a, b, Math.random()]",
    },
    "blocking": {
        "python": "import time, random\na = time.time()\nb = next_number()\n(time.time(), a, b, random.random())"
    },
}


@pytest.mark.parametrize("kind", ASKS)
@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_suspended_cell_goes_on_as_if_it_had_not_been(guest: Guest, kind: str, elsewhere: bool) -> None:
    cell = ASKS[kind].get(guest.name)
    if cell is None:
        pytest.skip("JavaScript has no blocking calls")

    def options(**given: Any) -> dict[str, Any]:
        return {"capabilities": Uneven().capabilities(), "deterministic": Deterministic(7), **given}

    with guest.runtime(**options(policy="allow")) as session:
        session.run(guest.assign("before", "1"))
        value = session.run(cell).value
    parks = options(approve=lambda _: Suspend())
    session = guest.runtime(**parks)
    session.run(guest.assign("before", "1"))
    assert session.run(cell).status == "suspended"
    call = session.pending_approvals[0].call_id
    if elsewhere:
        data = session.snapshot()
        session.close()
        session = guest.runtime.restore(data, reseed=False, **parks)
    with session:
        going_on = session.resume_blocking(approvals={call: Allow()}).value
        # To be suspended costs a little fuel, and so a little time.
        assert list(going_on[1:]) == list(value[1:])
        assert 0 <= going_on[0] - value[0] < 1


@pytest.mark.spec("D8.5")
def test_answers_come_in_the_order_of_the_calls(guest: Guest, driver: Driver) -> None:
    """The first call ends after the others: it is what they end that lets it go on."""
    others = threading.Semaphore(0)

    def first() -> str:
        for _ in range(3):
            others.acquire()
        return "first"

    def other(n: int) -> str:
        others.release()
        return f"other {n}"

    cell = guest.pick(
        python="import asyncio\nlog = []\nasync def w(call):\n    log.append(await call)\n"
        "await asyncio.gather(w(first.start()), *[w(other.start(n=n)) for n in (2, 0, 1)])\nlog",
        javascript="const log = []; await Promise.all([first(), ...[2, 0, 1].map(n => other({n}))]"
        ".map(async call => log.push(await call))); log",
    )
    with session_of(guest, capabilities=[first, other], policy="allow") as session:
        assert driver.value(session, cell) == ["first", "other 2", "other 0", "other 1"]


@pytest.mark.spec("D8.5")
def test_the_clock_stands_still_while_a_call_is_in_flight(guest: Guest, driver: Driver) -> None:
    cell = guest.pick(
        python="import asyncio, time\na = time.time()\nr = await asyncio.wait_for(slow(), 0.001)\n(r, time.time() - a)",
        javascript="const a = Date.now(); const r = await Promise.race([slow(), "
        "new Promise(r => setTimeout(() => r('late'), 1))]); [r, (Date.now() - a) / 1000]",
    )

    async def slow() -> str:
        await anyio.sleep(0.02)
        return "in time"

    with session_of(guest, capabilities=[slow], policy="allow") as session:
        answer, moved = driver.value(session, cell)
        assert answer == "in time"
        assert moved < 0.02


def test_a_tool_of_the_guest_may_sleep(guest: Guest, driver: Driver) -> None:
    cell = guest.pick(
        python="import asyncio\nasync def nap(arguments):\n    await asyncio.sleep(60)\n    return 'rested'\n"
        "registerTool('nap', 'sleeps', {'type': 'object'}, nap)\nawait tools.eval_registered__nap.start()",
        javascript="registerTool('nap', 'sleeps', {type: 'object'}, async () => "
        "{ await new Promise(r => setTimeout(r, 60000)); return 'rested' }); await tools.eval_registered__nap({})",
    )
    with session_of(guest, capabilities=World().capabilities(), policy="allow", approve=allow) as session:
        assert driver.value(session, cell) == "rested"


def test_while_a_person_is_waited_for_time_passes(guest: Guest, driver: Driver) -> None:
    """A call that waits for a decision from elsewhere does not hold up a timer; then the cell is suspended."""
    cell = guest.pick(
        python="import asyncio\ncall = asyncio.ensure_future(later('x'))\nawait "
        "asyncio.sleep(60)\nprint('slept')\nawait call",
        javascript="const call = later('x'); await new Promise(r => setTimeout(r, 60000)); "
        "console.log('slept'); await call",
    )
    with session_of(guest, capabilities=Uneven().capabilities(), approve=lambda _: Suspend()) as session:
        result = driver.run(session, cell)
        assert (result.status, result.stdout) == ("suspended", "slept\n")
        call = session.pending_approvals[0].call_id
        assert driver.resume(session, approvals={call: Allow()}).value == "x0"


@pytest.mark.spec("D8.2")
def test_a_nan_has_the_same_bits_on_every_machine(guest: Guest) -> None:
    """The CPU at hand may make another one: those of Intel and AMD set the sign."""
    cell = guest.pick(
        python="import struct\ninf = float('inf')\n[struct.pack('>d', x).hex() for x in (inf - inf, inf * "
        "0.0, -(inf - inf))]",
        javascript="const inf = Infinity; [inf - inf, inf * 0, -(inf - inf)].map(x => "
        "[...new Uint8Array(new Float64Array([x]).buffer)].reverse().map(b => b.toString(16).padStart(2, "
        "'0')).join(''))",
    )
    for deterministic in (None, Deterministic()):
        with guest.runtime(deterministic=deterministic) as session:
            made = session.run(cell).value
            assert made[:2] == ["7ff8000000000000"] * 2
            assert made[2] in ("7ff8000000000000", "fff8000000000000")


@pytest.mark.parametrize(
    ("given", "kind", "text"),
    [
        ({"seed": 1.5}, TypeError, "seed must be bytes, a str or an int, not float"),
        ({"seed": True}, TypeError, "seed must be bytes, a str or an int, not bool"),
        ({"seed": b"x" * 70_000}, ValueError, "seed must have less than 65536 bytes"),
        ({"start": 5}, TypeError, "start must be a datetime, not int"),
        ({"start": datetime(2000, 1, 1)}, ValueError, "start must have a time zone"),
        ({"start": datetime(1960, 1, 1, tzinfo=UTC)}, ValueError, "start must be between 1970 and 2096"),
        ({"start": datetime(2500, 1, 1, tzinfo=UTC)}, ValueError, "start must be between 1970 and 2096"),
    ],
)
def test_what_is_none_is_refused(given: dict[str, Any], kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        Deterministic(**given)


def test_another_thing_in_its_place_is_refused(guest: Guest) -> None:
    with pytest.raises(TypeError, match="deterministic must be a Deterministic, not bool"):
        guest.runtime(deterministic=True)  # type: ignore[arg-type]


def test_the_seed_is_not_shown() -> None:
    assert "secret" not in repr(Deterministic("secret"))
