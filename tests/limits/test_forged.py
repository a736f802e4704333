"""Whatever a cell prints, throws or changes: stop, state and status of a result are what the host saw."""

import pytest

from tests.support.drivers import Driver
from tests.support.guests import GUESTS, Guest
from wasmhost import Limits
from wasmhost.session.session import Session

from .attacks_forged import JAVASCRIPT, PYTHON
from .tools import stopped

pytestmark = pytest.mark.spec("C4.4", "C8", "S8")


def cases() -> list[object]:
    tables = {"python": PYTHON, "javascript": JAVASCRIPT}
    return [
        pytest.param(GUESTS[name], code, id=f"{name}: {what}") for name in tables for what, code in tables[name].items()
    ]


@pytest.mark.parametrize(("guest", "code"), cases())
def test_what_looks_like_a_stop_is_none(guest: Guest, code: str) -> None:
    with guest.runtime(limits=Limits(script_ms=20_000)) as session:
        result = session.run(code)
        assert (result.stop, result.status) == (None, "done")
        if result.error_type == "GuestCrash":
            # Code that breaks its own language runtime is ended, by the host and in its words.
            assert result.state == "restored"
        else:
            assert result.state == "kept"
            assert not any("went back" in note or "sandbox" in note for note in result.notes)
        # And a stop that comes after it is told as it is.
        real = session.run(guest.spin, limits=Limits(fuel=10_000_000))
        assert stopped(real) == ("fuel", "hard", "restored")
        assert real.error_message == "fuel of 10000000 is spent"


CAUGHT = {
    "python": "try:\n    while True: pass\nexcept BaseException:\n    pass\n{'stop': None, 'ok': True}",
    "javascript": "try { for (;;) {} } catch (e) { caught = String(e) }\n({ stop: null, ok: true })",
}
REPLACED = {
    "python": "try:\n    while True: pass\nexcept BaseException:\n    raise ValueError('all is well') from None",
    "javascript": "try { for (;;) {} } finally { throw new TypeError('all is well') }",
}


@pytest.mark.parametrize("table", [CAUGHT, REPLACED], ids=["caught", "replaced"])
@pytest.mark.parametrize("limit", ["script", "wall"])
def test_a_stop_that_was_caught_or_replaced_is_still_one(
    session: Session, guest: Guest, driver: Driver, limit: str, table: dict[str, str]
) -> None:
    limits = Limits(script_ms=60) if limit == "script" else Limits(wall_ms=60)
    result = driver.run(session, table[guest.name], limits=limits)
    assert stopped(result) == (limit, "soft", "kept")
    assert result.error_type == "TimeoutError"
    assert (result.value, result.has_value) == (None, False)
    assert driver.value(session, "1 + 1") == 2
