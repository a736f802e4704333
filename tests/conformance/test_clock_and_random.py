"""B20: clock and random numbers come from the host's source and from nowhere else; sandboxes of one image differ."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.drivers import Driver
from tests.support.fixed_source import FixedSource
from tests.support.guests import GUESTS, Guest
from wasmhost import Limits
from wasmhost.sandbox.engine import engine
from wasmhost.sandbox.image import image
from wasmhost.sandbox.instance import Instance
from wasmhost.sandbox.system import Source, SystemSource
from wasmhost.session.session import Session

pytestmark = pytest.mark.spec("B20")

# Every way to a random number or a time that the languages have.
PYTHON_RANDOM = """
import random, uuid, secrets, os, tempfile
[random.random(), random.getrandbits(64), random.Random().random(), random.SystemRandom().random(),
 random.randbytes(8).hex(), uuid.uuid4().hex, secrets.token_hex(8), secrets.randbelow(10**12), os.urandom(8).hex(),
 next(tempfile._RandomNameSequence()), random.sample(range(10**9), 3), uuid.uuid1().hex]
"""
JAVASCRIPT_RANDOM = """
[Math.random(), Math.random(), crypto.randomUUID(), Array.from(crypto.getRandomValues(new Uint32Array(4))),
 String(crypto.getRandomValues(new BigUint64Array(1))[0])]
"""
PYTHON_TIME = """
import time
from datetime import date, datetime, timezone
[time.time(), time.time_ns(), time.monotonic(), time.perf_counter(), time.process_time(),
 time.gmtime()[:6], time.localtime()[:6], datetime.now().isoformat(), datetime.now(timezone.utc).isoformat(),
 date.today().isoformat(), time.ctime(), time.strftime("%H:%M:%S"), time.clock_gettime(time.CLOCK_REALTIME)]
"""
JAVASCRIPT_TIME = """
[Date.now(), new Date().getTime(), performance.now(), performance.timeOrigin, Date(), new Date().toISOString()]
"""


def with_source(guest: Guest, make: Callable[[], Source], cells: list[str]) -> tuple[list[Any], list[int], list[int]]:
    """Values and fuel of cells in a new session whose sandbox has this source, and all that its clock was asked for."""

    class Sourced(guest.runtime):  # type: ignore[name-defined, misc]
        def _new_instance(self, _: Source) -> Instance:
            return Instance(self._image, source, self.limits.memory_bytes, None)

    source = make()
    values, fuel = [], []
    with Sourced() as session:
        for cell in cells:
            result = session.run(cell)
            assert result.ok, result.error
            values.append(result.value)
            fuel.append(result.fuel)
    return values, fuel, source.readings


class Ticking:
    """A clock that is the same on every run: each reading is a millisecond later."""

    def __init__(self, real: int = 1_700_000_000_000_000_000) -> None:
        self.now = [real, 1_000_000_000]

    def __call__(self, which: int) -> int:
        self.now[which] += 1_000_000
        return self.now[which]


def cells_of(guest: Guest) -> list[str]:
    random = guest.pick(python=PYTHON_RANDOM, javascript=JAVASCRIPT_RANDOM)
    now = guest.pick(python=PYTHON_TIME, javascript=JAVASCRIPT_TIME)
    hashes = guest.pick(python="[hash('a'), hash(b'a'), list({'a', 'b', 'c'})]", javascript="1")
    return [random, now, hashes, random, now]


@pytest.mark.spec("D8.1", "D2")
def test_a_fixed_source_gives_the_same_bytes_and_the_same_fuel(guest: Guest) -> None:
    one = with_source(guest, lambda: FixedSource(b"seed", Ticking()), cells_of(guest))
    other = with_source(guest, lambda: FixedSource(b"seed", Ticking()), cells_of(guest))
    assert one == other


def test_another_seed_gives_other_numbers(guest: Guest) -> None:
    cells = cells_of(guest)[:1]
    one, _, _ = with_source(guest, lambda: FixedSource(b"one", Ticking()), cells)
    other, _, _ = with_source(guest, lambda: FixedSource(b"two", Ticking()), cells)
    for mine, theirs in zip(one[0], other[0], strict=True):
        assert mine != theirs


def test_every_time_of_a_guest_is_the_hosts(guest: Guest) -> None:
    # A source far away from now: whatever does not come from it would show.
    then = 4_102_444_800_000_000_000  # 2100-01-01
    values, _, _ = with_source(guest, lambda: FixedSource(b"", Ticking(then)), cells_of(guest)[1:2])
    for value in values[0]:
        if isinstance(value, str):
            assert "2100" in value or value == "00:00:00"
        elif isinstance(value, list | tuple):
            assert value[0] == 2100
        else:
            in_seconds = value / 1e9 if value > 1e17 else value / 1e3 if value > 1e11 else value
            assert in_seconds == pytest.approx(4_102_444_800, abs=10) or 0 <= in_seconds < 2_000


def test_the_clocks_are_those_of_the_host_and_go_on(session: Session, guest: Guest, driver: Driver) -> None:
    code = guest.pick(
        python="import time\n[time.time(), time.monotonic()]", javascript="[Date.now() / 1e3, performance.now() / 1e3]"
    )
    before = time.time()
    real, monotonic = driver.value(session, code)
    assert before - 0.01 <= real <= time.time() + 0.01
    assert 0 <= monotonic < 100
    later, monotonic_later = driver.value(session, code)
    assert later >= real
    assert monotonic_later > monotonic


def test_python_is_in_utc(python: Session, driver: Driver) -> None:
    code = "import time, datetime\n[time.tzname[0], time.timezone, datetime.datetime.fromtimestamp(0).isoformat()]"
    assert driver.value(python, code) == ["UTC", 0, "1970-01-01T00:00:00"]


def test_javascript_is_in_utc(javascript: Session, driver: Driver) -> None:
    assert driver.value(javascript, "[new Date(0).getTimezoneOffset(), new Date(0).getHours()]") == [0, 0]


def draws(guest: Guest, session: Session, driver: Driver) -> list[Any]:
    values = driver.value(session, guest.pick(python=PYTHON_RANDOM, javascript=JAVASCRIPT_RANDOM))
    assert isinstance(values, list)
    return values


def all_differ(columns: list[list[Any]]) -> None:
    for column in zip(*columns, strict=True):
        assert len({repr(value) for value in column}) == len(column), column


def test_random_numbers_of_two_sandboxes_differ(guest: Guest, driver: Driver) -> None:
    rows = []
    for _ in range(4):
        with guest.runtime() as session:
            rows.append(draws(guest, session, driver))
            rows.append(draws(guest, session, driver))
    all_differ(rows)


def test_random_numbers_differ_after_a_reset(session: Session, guest: Guest, driver: Driver) -> None:
    rows = [draws(guest, session, driver)]
    for _ in range(3):
        driver.reset(session)
        rows.append(draws(guest, session, driver))
    all_differ(rows)


@pytest.mark.parametrize("first", ["", "  ", "'\ud800'", "("])
def test_random_numbers_differ_whatever_the_first_cell_was(guest: Guest, driver: Driver, first: str) -> None:
    # The seed goes in with the first cell that enters the guest, which is not the first cell of the session here.
    rows = []
    for _ in range(3):
        with guest.runtime() as session:
            assert not driver.run(session, first).ok
            rows.append(draws(guest, session, driver))
    all_differ(rows)


@pytest.mark.spec("D6.2")
def test_random_numbers_differ_after_a_restore(session: Session, guest: Guest, driver: Driver) -> None:
    rows = [draws(guest, session, driver)]
    for _ in range(2):
        stopped = driver.run(session, guest.spin, limits=Limits(fuel=3_000_000))
        assert stopped.state == "restored"
        rows.append(draws(guest, session, driver))
    all_differ(rows)


@pytest.mark.spec("D6.2")
@pytest.mark.parametrize("layer", ["soft", "hard"])
def test_random_numbers_differ_after_a_first_cell_that_was_stopped(guest: Guest, driver: Driver, layer: str) -> None:
    limits = Limits(script_ms=20) if layer == "soft" else Limits(fuel=3_000_000)
    rows = []
    for _ in range(3):
        with guest.runtime() as session:
            stopped = driver.run(session, guest.spin, limits=limits)
            assert stopped.stop is not None
            assert stopped.stop.layer == layer
            rows.append(draws(guest, session, driver))
    all_differ(rows)


def test_a_seed_that_the_program_sets_holds(python: Session, driver: Driver) -> None:
    import random

    assert driver.value(python, "import random\nrandom.seed(42)\nrandom.random()") == random.Random(42).random()


def test_random_numbers_are_spread(session: Session, guest: Guest, driver: Driver) -> None:
    code = guest.pick(
        python="import random\n[random.random() for _ in range(4000)]",
        javascript="Array.from({ length: 4000 }, () => Math.random())",
    )
    values = driver.value(session, code)
    assert all(0 <= value < 1 for value in values)
    assert len(set(values)) == 4000
    counts = [0] * 16
    for value in values:
        counts[int(value * 16)] += 1
    assert all(150 < count < 350 for count in counts)


@pytest.mark.parametrize("name", sorted(GUESTS))
def test_nothing_of_the_builds_randomness_is_left(name: str) -> None:
    # Two instances with the same seed agree, so nothing else feeds the generators: no address, no time of the start.
    guest = GUESTS[name]
    assert image(engine(), guest.runtime.image_name).sha256
    cells = [guest.pick(python=PYTHON_RANDOM, javascript=JAVASCRIPT_RANDOM)]

    def values(tick: int) -> Any:
        made, _, _ = with_source(guest, lambda: FixedSource(b"same", lambda which: (2 + which) * tick), cells)
        return made[0][:-1]

    assert values(10**18) == values(10**15)


def test_a_system_source_is_what_a_session_has(session: Session) -> None:
    session.run("1")
    assert session._instance is not None
    assert isinstance(session._instance.source, SystemSource)
