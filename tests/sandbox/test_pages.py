"""Checkpoints are whole by each of the three ways in which dirty pages are found."""

import random
from ctypes import addressof, c_char

import pytest

from tests.support.drivers import Driver
from tests.support.guests import Guest
from wasmhost import Limits
from wasmhost.sandbox import pages
from wasmhost.sandbox.pages import PAGE, Ranges, dirty_by_comparing
from wasmhost.session.session import Session

WAYS = {"scan": pages._Scan, "pagemap": pages._Pagemap, "comparing": None}


@pytest.fixture(params=sorted(WAYS))
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Checkpoints are made by this way, whatever the kernel offers."""
    kind = WAYS[request.param]
    made = None
    if kind is not None:
        try:
            made = kind()
        except (OSError, ImportError) as error:
            pytest.skip(f"not here: {error}")
        if not pages._works(made):
            pytest.skip("not told by this kernel")
    monkeypatch.setattr(pages, "_way", made)
    monkeypatch.setattr(pages, "_chosen", True)
    return str(request.param)


@pytest.mark.spec("D6.1", "S7")
def test_a_session_goes_back_to_a_checkpoint(way: str, session: Session, guest: Guest, driver: Driver) -> None:
    numbers = guest.pick(python="big = list(range(100_000))", javascript="var big = [...Array(100_000).keys()]")
    assert driver.run(session, numbers, limits=Limits(script_ms=1_000)).ok
    for round_ in range(3):
        # A checkpoint before each of these, and the crash of a cell that has changed much by then.
        session._journal.exact = False
        code = guest.assign("n", str(round_))
        assert driver.run(session, code).ok
        session._journal.exact = False
        spoil = guest.pick(
            python=f"big[:] = [0] * 100_000; n = -1; more = 'x' * 1_000_000\n{guest.spin}",
            javascript="big.fill(0); n = -1; var more = 'x'.repeat(1_000_000); " + guest.spin,
        )
        crashed = driver.run(session, spoil, limits=Limits(fuel=200_000_000))
        assert not crashed.ok
        assert crashed.state == "restored"
        total = guest.pick(python="sum(big)", javascript="big.reduce((a, b) => a + b)")
        assert driver.value(session, total) == 4_999_950_000
        assert driver.value(session, "n") == round_
        gone = guest.pick(python="'more' in globals()", javascript="typeof more !== 'undefined'")
        assert driver.value(session, gone) is False


def test_every_way_finds_what_another_finds(way: str, session: Session, guest: Guest) -> None:
    session.run(guest.pick(python="x = list(range(50_000))", javascript="var x = [...Array(50_000).keys()]"))
    instance = session._instance
    assert instance is not None
    pristine = instance.image.pristine()
    differing = dirty_by_comparing(instance._base, instance.memory_bytes, *pristine)
    made = instance.checkpoint()
    covered = {page for start, data in made.pages for page in range(start, start + len(data), PAGE)}
    # A page that was written with what it held may be in it as well; one that differs must be.
    assert {page for start, end in differing for page in range(start, end, PAGE)} <= covered
    assert made.memory_bytes == instance.memory_bytes


def brute_force(memory: bytes, pristine: bytes) -> Ranges:
    padded = pristine.ljust(len(memory), b"\0")
    found: Ranges = []
    for at in range(0, len(memory), PAGE):
        if memory[at : at + PAGE] != padded[at : at + PAGE]:
            if found and found[-1][1] == at:
                found[-1] = (found[-1][0], at + PAGE)
            else:
                found.append((at, at + PAGE))
    return found


@pytest.mark.parametrize("seed", range(20))
def test_comparing_finds_exactly_the_pages_that_differ(seed: int) -> None:
    draw = random.Random(seed)
    pristine = bytearray(draw.randbytes(PAGE) * 16 * draw.randint(1, 4))
    memory = bytearray(pristine) + bytearray(16 * PAGE * draw.randint(0, 3))
    for _ in range(draw.randint(0, 12)):
        memory[draw.randrange(len(memory))] ^= draw.randint(0, 255)
    mine, theirs = ((c_char * len(data)).from_buffer(data) for data in (memory, pristine))
    found = dirty_by_comparing(addressof(mine), len(memory), addressof(theirs), len(pristine))
    assert found == brute_force(bytes(memory), bytes(pristine))


@pytest.mark.spec("S7")
def test_a_way_that_tells_nothing_is_not_trusted() -> None:
    class Zeros(pages._Pagemap):
        """As gVisor answers."""

        def ranges(self, base: int, size: int) -> Ranges:
            return []

    try:
        zeros = Zeros()
    except OSError:
        pytest.skip("no /proc/self/pagemap")
    assert not pages._works(zeros)
