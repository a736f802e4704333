"""D3: a sandbox starts from a pre-initialised image, copy-on-write."""

import gc
from pathlib import Path

import pytest

from tests.support.guests import Guest

pytestmark = pytest.mark.spec("D3")

ROLLUP = Path("/proc/self/smaps_rollup")


def private_bytes() -> int:
    fields = dict(line.split(":", 1) for line in ROLLUP.read_text().splitlines()[1:])
    return sum(int(fields[name].split()[0]) for name in ("Private_Clean", "Private_Dirty")) * 1024


@pytest.mark.spec("D3.2")
@pytest.mark.skipif(not ROLLUP.exists(), reason="only Linux tells the private memory")
def test_a_live_sandbox_has_little_memory_of_its_own(guest: Guest) -> None:
    count = 100
    sessions = [guest.runtime()]
    assert sessions[0].run("1 + 1").value == 2
    gc.collect()
    before = private_bytes()
    for _ in range(count):
        session = guest.runtime()
        assert session.run("1 + 1").value == 2
        sessions.append(session)
    each = (private_bytes() - before) / count
    for session in sessions:
        session.close()
    # Of an image of 15 MB and more. The figures that must be reached stand in the benchmarks.
    assert each < guest.pick(python=1_000_000, javascript=300_000)


def test_nothing_is_started_before_the_first_cell(guest: Guest) -> None:
    with guest.runtime() as session:
        assert session._instance is None
        session.run("")
        session.run("1")
        assert session._instance is not None


@pytest.mark.spec("D3.1")
def test_the_interpreter_was_started_when_the_image_was_made(guest: Guest) -> None:
    # CPython alone takes over 100 million units of fuel to start.
    with guest.runtime() as session:
        assert session.run("1 + 1").fuel < 3_000_000


def test_a_thousand_sandboxes_one_after_the_other(guest: Guest) -> None:
    for number in range(1_000 if guest.name == "javascript" else 300):
        with guest.runtime() as session:
            assert session.run(f"{number} + 1").value == number + 1


def test_many_live_sandboxes_are_apart(guest: Guest) -> None:
    sessions = [guest.runtime() for _ in range(50)]
    for number, session in enumerate(sessions):
        assert session.run(guest.assign("x", str(number))).ok
    assert [session.run("x").value for session in sessions] == list(range(50))
    for session in sessions:
        session.close()
