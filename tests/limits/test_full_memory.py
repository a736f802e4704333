"""A session whose memory is filled to the last byte, and stays filled, goes on."""

import pytest

from tests.support.guests import Guest
from wasmhost import Limits, TypeScriptRuntime
from wasmhost.session.session import Session

from .tools import ending

pytestmark = pytest.mark.spec("D1.2", "D6.1")

LIMITS = Limits(memory_bytes=64 << 20, script_ms=60_000)

# What fills memory in pieces of each size, holds it in a global variable, and never lets an error out.
FILL = {
    "python": """
y = globals().get('y')
for size in (1 << 16, 1000, 16):
    try:
        while True: y = (y, bytes(size))
    except MemoryError: pass
try:
    while True: y = [y]
except MemoryError: pass
""",
    "javascript": """
var y
for (const size of [1 << 16, 1000, 16]) { try { for (;;) y = [y, new ArrayBuffer(size)] } catch {} }
try { for (;;) y = { y } } catch {}
try { for (;;) y = [y, Symbol()] } catch {}
try { for (;;) y = [y] } catch {}
""",
}
FILL["typescript"] = FILL["javascript"].replace("var y", "var y: any")


def goes_on(session: Session, fill: str, free: str) -> None:
    assert session.run("kept").value == [7]
    assert session.run("1 + 1").value == 2
    first = session.run(fill)
    # It may end without room to tell of its end.
    assert ending(first) in ("value", "error")
    assert first.state == "kept"
    assert session.run("1 + 1").value == 2
    for _ in range(3):
        # What was set aside for cells that free memory is taken as well: nothing could be run after that.
        again = session.run(fill)
        assert ending(again) == "memory"
        assert again.stop is not None
        assert (again.stop.layer, again.state) == ("hard", "restored")
        assert "went back" in again.notes[-1]
        assert session.run("1 + 1").value == 2
        assert session.run("kept").value == [7]
    assert session.run(free).ok
    assert session.run("kept").value == [7]
    assert session.run("'x'.length" if session.language != "python" else "len('x' * 10_000_000)").ok


def test_a_session_goes_on_after_its_memory_was_filled_again_and_again(guest: Guest) -> None:
    with guest.runtime(limits=LIMITS) as session:
        assert session.run(guest.assign("kept", "[7]")).ok
        goes_on(session, FILL[guest.name], guest.pick(python="y = None", javascript="y = null"))


def test_a_session_of_typescript_goes_on_as_well() -> None:
    with TypeScriptRuntime(limits=LIMITS) as session:
        assert session.run("var kept: number[] = [7]").ok
        goes_on(session, FILL["typescript"], "y = null")


@pytest.mark.parametrize("size", [1 << 16, 1000, 16, 0])
def test_an_error_for_want_of_memory_keeps_the_session_where_there_is_room(guest: Guest, size: int) -> None:
    code = guest.pick(
        python=f"y = None\nwhile True: y = (y, bytes({size}))",
        javascript=f"var y = null; for (;;) y = [y, new ArrayBuffer({size})]",
    )
    with guest.runtime(limits=LIMITS) as session:
        assert session.run(guest.assign("kept", "[7]")).ok
        result = session.run(code)
        assert (ending(result), result.state) == ("error", "kept")
        assert "emory" in (result.error or "")
        assert session.run("kept").value == [7]
        assert session.run(guest.pick(python="y = None", javascript="y = null")).ok
        assert session.run("kept").value == [7]


def test_a_request_that_is_too_large_by_itself_leaves_the_session_as_it_is(session: Session, guest: Guest) -> None:
    assert session.run(guest.assign("kept", "[7]")).ok
    for _ in range(3):
        result = session.run(guest.pick(python="bytes(1 << 30)", javascript="new ArrayBuffer(2 ** 30)"))
        assert (ending(result), result.state) == ("error", "kept")
        assert session.run("kept").value == [7]


def test_a_cell_with_a_narrower_limit_is_not_taken_for_one_that_fills_the_session(guest: Guest) -> None:
    with guest.runtime(limits=Limits(memory_bytes=256 << 20, script_ms=60_000)) as session:
        assert session.run(FILL[guest.name], limits=LIMITS).state == "kept"
        assert session.run(FILL[guest.name], limits=LIMITS).state == "kept"
        assert session.run("1 + 1").value == 2
        assert session.run(guest.pick(python="y = None", javascript="y = null")).ok


def test_a_source_that_has_no_room_is_refused_and_the_session_goes_on(guest: Guest) -> None:
    with guest.runtime(limits=LIMITS) as session:
        assert session.run(guest.assign("kept", "[7]")).ok
        for _ in range(2):
            result = session.run("1+" * (32 << 20) + "1")
            assert (ending(result), result.state) == ("memory", "restored")
            assert session.run("kept").value == [7]
