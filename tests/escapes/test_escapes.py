"""Attacks on each guest, through both drivers. After each: the host is there, the same session answers with its
state, and a fresh one works."""

import gc
import os
from functools import partial

import anyio
import pytest

from tests.limits.tools import ending
from tests.support.guests import GUESTS
from wasmhost import Limits, RuntimeFailure, RuntimeSuccess
from wasmhost.session.session import Session

from .cases import MATRIX, Case, cases, matrix

pytestmark = pytest.mark.spec("A3", "C4", "D1", "D6")

MEMORY_BYTES = 128 << 20
# An attack that ends by itself gets time for it, one that does not is stopped soon.
SHORT_MS, LONG_MS = 60, 20_000
EVERY = cases()
# Those by time once more behind an event loop; the others take the same way through the guest.
AWAITED = [case for number, case in enumerate(EVERY) if number % 3 == 0 or "deadlock" in case.ends]


def attack(case: Case, awaited: bool) -> None:
    guest = GUESTS[case.guest]
    script_ms = SHORT_MS if case.ends & {"soft", "hard"} else LONG_MS

    def run(session: Session, code: str, limits: Limits | None = None) -> RuntimeSuccess | RuntimeFailure:
        if awaited:
            return anyio.run(partial(session.execute, code, limits=limits))
        return session.run(code, limits=limits)

    with guest.runtime(limits=Limits(script_ms=LONG_MS, memory_bytes=MEMORY_BYTES)) as session:
        assert run(session, guest.assign("kept", "[7]")).ok
        result = run(session, case.source, Limits(script_ms=script_ms))
        assert ending(result) in case.ends, result
        assert result.wall_ms < script_ms + 30_000
        result.to_json()
        ended_by_itself = ending(result) in ("value", "error", "deadlock", "soft")
        assert result.state == ("kept" if ended_by_itself else "restored")
        # Some of the attacks hold all of the memory in this variable.
        run(session, "x = None")
        after = run(session, "kept")
        assert after.ok, after.error
        assert after.value == [7]
        assert run(session, "1 + 1").value == 2
    with guest.runtime() as fresh:
        assert fresh.run("1 + 1").value == 2


@pytest.mark.spec("D6.3")
@pytest.mark.parametrize("case", EVERY, ids=[case.name for case in EVERY])
def test_attack(case: Case) -> None:
    attack(case, awaited=False)


@pytest.mark.spec("D6.3")
@pytest.mark.parametrize("case", AWAITED, ids=[case.name for case in AWAITED])
def test_attack_behind_an_event_loop(case: Case) -> None:
    attack(case, awaited=True)


def resident_bytes() -> int:
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_the_memory_comes_back() -> None:
    """The attacks on memory, one after the other: what they took is not kept."""
    hungry = [case for case in EVERY if case.kind == "memory"]
    assert len(hungry) > 20
    for case in hungry[:5]:
        attack(case, awaited=False)
    before = resident_bytes()
    for case in hungry:
        attack(case, awaited=False)
    assert resident_bytes() - before < MEMORY_BYTES // 2


def test_there_are_enough_and_none_twice() -> None:
    assert len(EVERY) >= 150
    by_source = {(case.guest, case.source.strip()) for case in EVERY}
    assert len(by_source) == len(EVERY)
    assert len({(case.guest, case.kind, case.mechanism) for case in EVERY}) == len(EVERY)


def test_the_matrix_shows_them_all() -> None:
    assert MATRIX.read_text(encoding="utf-8") == matrix(), "run scripts/escapes"
