"""No two sessions draw the same random numbers, whatever way they came from one another."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.support.guests import Guest
from wasmhost import Allow, ApprovalRequest, FileStore, Host, Limits, Suspend
from wasmhost.session.session import Session

# Everything that is drawn from: the generator of the language and the system's.
DRAW = {
    "python": "import random, os, uuid, secrets\n[random.random(), os.urandom(8).hex(), uuid.uuid4().hex, "
    "secrets.token_hex(8)]",
    "javascript": "[Math.random(), crypto.randomUUID(), [...crypto.getRandomValues(new Uint8Array(8))].join()]",
}


def later(request: ApprovalRequest) -> Suspend:
    return Suspend()


async def buy() -> str:
    return "tea"


def order() -> str:
    return "tea"


OPTIONS: dict[str, Any] = {"capabilities": [buy, order], "approve": later}


def suspended(guest: Guest, tool: str, then: str) -> Session:
    """A session with a cell that waits for a decision and does something else after it."""
    session = guest.runtime(**OPTIONS)
    assert session.run(DRAW[guest.name]).ok
    await_ = "" if (guest.name, tool) == ("python", "order") else "await "
    cell = session.run(f"{await_}tools.{tool}();\n{then}")
    assert cell.status == "suspended", cell.error
    return session


def copies(guest: Guest, session: Session, way: str) -> list[Session]:
    if way == "fork":
        return [*session.fork(2), session]
    data = session.snapshot()
    return [guest.runtime.restore(data, **OPTIONS), guest.runtime.restore(data, **OPTIONS), session]


def go_on(session: Any, **options: Any) -> Any:
    [request] = session.pending_approvals
    return session.resume_blocking(approvals={request.call_id: Allow()}, **options)


def all_differ(rows: list[list[Any]]) -> None:
    for column in zip(*rows, strict=True):
        assert len(set(column)) == len(column), column


WAYS = pytest.mark.parametrize("way", ["fork", "restore"])
TOOLS = pytest.mark.parametrize("tool", ["buy", "order"])


@WAYS
@TOOLS
@pytest.mark.spec("D4.7", "D5.1")
def test_after_a_cell_that_went_on_in_copies(guest: Guest, way: str, tool: str) -> None:
    session = suspended(guest, tool, "1")
    made = copies(guest, session, way)
    rows = []
    for one in made:
        assert go_on(one).value == 1
        rows.append(one.run(DRAW[guest.name]).value)
        one.close()
    all_differ(rows)


@WAYS
@TOOLS
@pytest.mark.spec("D4.7", "D5.1")
def test_in_the_rest_of_a_cell_that_went_on_in_copies(guest: Guest, way: str, tool: str) -> None:
    session = suspended(guest, tool, DRAW[guest.name])
    made = copies(guest, session, way)
    rows = [go_on(one).value for one in made]
    for one in made:
        one.close()
    all_differ(rows)


@WAYS
@TOOLS
@pytest.mark.spec("D4.7", "D6.2")
def test_after_a_cell_that_was_ended_in_copies(guest: Guest, way: str, tool: str) -> None:
    session = suspended(guest, tool, guest.spin)
    made = copies(guest, session, way)
    rows = []
    for one in made:
        ended = go_on(one, limits=Limits(fuel=30_000_000))
        assert ended.state == "restored", ended
        rows.append(one.run(DRAW[guest.name]).value)
        one.close()
    all_differ(rows)


@WAYS
@pytest.mark.spec("D4.7")
def test_after_a_cell_that_was_given_up_in_copies(guest: Guest, way: str) -> None:
    session = suspended(guest, "buy", "1")
    made = copies(guest, session, way)
    rows = []
    for one in made:
        one.reset_blocking()
        rows.append(one.run(DRAW[guest.name]).value)
        one.close()
    all_differ(rows)


@WAYS
@pytest.mark.spec("D4.7", "D6.2")
def test_of_a_copy_whose_first_cell_is_ended_or_refused(guest: Guest, way: str) -> None:
    with guest.runtime() as session:
        session.run(DRAW[guest.name])
        data = session.snapshot()
        rows = []
        for first in (guest.spin, "", "'\ud800'"):
            [one] = session.fork() if way == "fork" else [guest.runtime.restore(data)]
            assert not one.run(first, limits=Limits(fuel=30_000_000)).ok
            rows.append(one.run(DRAW[guest.name]).value)
            one.close()
        rows.append(session.run(DRAW[guest.name]).value)
    all_differ(rows)


@pytest.mark.spec("D4.7")
def test_of_copies_of_copies(guest: Guest) -> None:
    with guest.runtime() as session:
        branches = session.fork(3)
        for one in list(branches):
            branches += one.fork(2)
        rows = [one.run(DRAW[guest.name]).value for one in (session, *branches)]
        for one in branches:
            one.close()
    all_differ(rows)


@WAYS
@TOOLS
@pytest.mark.spec("D4.7", "D6.1")
def test_what_a_copy_drew_is_drawn_again_when_it_goes_back(guest: Guest, way: str, tool: str) -> None:
    """Two calls, and copies at each of them: the journal knows which seed came where."""
    await_ = "" if (guest.name, tool) == ("python", "order") else "await "
    draw = guest.pick(python="a = [random.random(), os.urandom(4)]", javascript="var a = [Math.random()]")
    again = guest.pick(python="b = [random.random(), os.urandom(4)]", javascript="var b = [Math.random()]")
    session = suspended(guest, tool, f"{draw};\n{await_}tools.{tool}();\n{again}")
    rows = []
    for one in copies(guest, session, way):
        assert go_on(one).status == "suspended"
        for other in copies(guest, one, way):
            assert go_on(other).ok
            drawn = other.run("[a, b]").value
            rows.append([repr(other.run("b").value)])
            # The last but one copy went on in place: its cell is in the journal, as those of the others are.
            assert other.run(guest.spin, limits=Limits(fuel=30_000_000)).state == "restored"
            assert other.run("[a, b]").value == drawn
            rows.append([repr(other.run(DRAW[guest.name]).value)])
            other.close()
    all_differ(rows)


@pytest.mark.spec("D4.7", "D6.2")
@pytest.mark.parametrize("ms", [0.001, 0.01, 0.03, 0.1, 0.3])
def test_of_a_session_whose_first_cell_was_ended_almost_at_once(guest: Guest, ms: float) -> None:
    rows = []
    for limits in [Limits(script_ms=ms), Limits(wall_ms=ms)] * 3:
        with guest.runtime() as session:
            session.run(guest.spin, limits=limits)
            rows.append(session.run(DRAW[guest.name]).value)
    all_differ(rows)


@WAYS
@TOOLS
@pytest.mark.spec("D4.7", "D5.1")
@pytest.mark.parametrize("limits", [{"script_ms": 0.001}, {"wall_ms": 0.001}, {"script_ms": 0.3}], ids=str)
def test_after_a_cell_that_was_ended_as_it_went_on_in_copies(
    guest: Guest, way: str, tool: str, limits: dict[str, Any]
) -> None:
    """Its time is spent before it goes on, so it may be stopped before it has its seed."""
    session = suspended(guest, tool, "1")
    rows = []
    for one in copies(guest, session, way):
        go_on(one, limits=Limits(**limits))
        rows.append(one.run(DRAW[guest.name]).value)
        one.close()
    all_differ(rows)


@pytest.mark.spec("D4.7", "B3.3")
@pytest.mark.parametrize("tool", [None, "buy", "order"])
def test_of_one_store_copied(guest: Guest, tool: str | None, tmp_path: Path) -> None:
    """A session that leaves memory and comes back, and one in a copy of the folder: none draws what another has."""
    code = DRAW[guest.name]
    rows = []
    with Host(FileStore(tmp_path / "one"), language=guest.name, **OPTIONS) as host:
        session = host.session("a")
        rows += [session.run(code).value, session.run(code).value]
        host.evict_idle(0)
        rows.append(session.run(code).value)
        if tool is not None:
            await_ = "" if (guest.name, tool) == ("python", "order") else "await "
            assert session.run(f"{await_}tools.{tool}();\n{code}").status == "suspended"
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    for folder in ("one", "two"):
        with Host(FileStore(tmp_path / folder), language=guest.name, **OPTIONS) as host:
            session = host.load("a")
            if tool is not None:
                rows.append(go_on(session).value)
            rows.append(session.run(code).value)
    all_differ(rows)
