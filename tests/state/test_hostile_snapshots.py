"""Snapshots that an attacker without the key has made: every value exchanged, every byte of the content changed."""

import hashlib
import zlib
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from tests.support.guests import Guest
from wasmhost import Allow, ApprovalRequest, Deny, Limits, SnapshotError, Suspend
from wasmhost.session.session import Session
from wasmhost.state.snapshot import read, write


async def buy(item: Any) -> str:
    return f"got {item}"


def order(item: Any) -> str:
    return f"ordered {item}"


def later(request: ApprovalRequest) -> Suspend:
    return Suspend()


OPTIONS: dict[str, Any] = {
    "capabilities": [buy, order],
    "approve": later,
    "limits": Limits(script_ms=300, wall_ms=3_000),
}
REGISTER = {
    "python": "registerTool('t', 'T.', {'type': 'object'}, lambda i: 1)\nb = 2",
    "javascript": "registerTool('t', 'T.', { type: 'object' }, () => 1); var b = 2",
}
# Between cells; waiting; waiting with a call that blocks (Python), or with two.
CELLS = {
    "plain": {"python": "1", "javascript": "1"},
    "buy": {
        "python": "print('x')\nz = await tools.buy(item='tea')",
        "javascript": "console.log('x'); var z = await tools.buy({ item: 'tea' })",
    },
    "order": {
        "python": "print('x')\nz = tools.order(item='tea')",
        "javascript": "const p = tools.buy({ item: 1 }); var z = await tools.order({ item: 'tea' }); await p",
    },
}


def stored(guest: Guest, kind: str) -> bytes:
    with guest.runtime(**OPTIONS) as session:
        assert session.run(REGISTER[guest.name]).ok
        assert (session.run(CELLS[kind][guest.name]).status == "suspended") == (kind != "plain")
        return session.snapshot()


def use(guest: Guest, data: bytes) -> str:
    """All that can be done with a session from such a snapshot: it is refused, or every step is an ordinary one."""
    try:
        session = guest.runtime.restore(data, **OPTIONS)
    except SnapshotError:
        return "refused"
    with session:
        pending = session.pending_approvals
        assert all(isinstance(request.text(), str) for request in pending)
        guest.runtime.restore(session.snapshot(), **OPTIONS).close()
        for branch in session.fork():
            branch.close()
        assert isinstance(session.registered_tools, list)
        try:
            result = session.resume_blocking(approvals={request.call_id: Allow() for request in pending})
        except LookupError:
            assert not pending
        else:
            result.to_json()
            result.messages("openai")
            assert all(call.to_dict() for call in result.calls)
            if result.status == "suspended":
                return "suspended"
        session.run("1 + 1").to_json()
        session.snapshot()
        return "used"


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, dict):
        for name in value:
            yield from places(value[name], (*path, name))
    elif isinstance(value, (list, tuple)):
        for at in range(min(len(value), 6)):
            yield from places(value[at], (*path, at))


def exchanged(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    if not path:
        return other
    made: Any = dict(value) if isinstance(value, dict) else list(value)
    made[path[0]] = exchanged(value[path[0]], path[1:], other)
    return tuple(made) if isinstance(value, tuple) else made


OTHERS: list[Any] = [
    *[None, True, -1, 0, 1, 1 << 31, (1 << 53) + 1, (1 << 62) - 1, 1 << 70, -(1 << 70), 1 << 2_000, 1.5, 1e300],
    *["", "x" * 100, b"", b"x" * 8, [], {}, [None], {"a": 1}, [[1, 2]], [b"", b"", 1 << 61], [["a", "b", 1 << 2_000]]],
]


@pytest.mark.spec("D4.4", "D1")
@pytest.mark.parametrize("kind", CELLS)
def test_any_value_exchanged_for_any_other(guest: Guest, kind: str) -> None:
    data = stored(guest, kind)
    state, _ = read(data, 1 << 30)
    outcomes: Counter[str] = Counter()
    # Each place has every seventh of the others; the next place begins with another one.
    for number, path in enumerate(places(state)):
        for other in OTHERS[number % 7 :: 7]:
            outcomes[use(guest, write(exchanged(state, path, other)))] += 1
    assert outcomes["refused"] > outcomes["used"] > 5


def sealed(data: bytes, content: bytes) -> bytes:
    """Another content, with a length and a SHA-256 that fit."""
    start = data[:16] + len(content).to_bytes(8, "little")
    body = zlib.compress(content, 1)
    return start + hashlib.sha256(start + body).digest() + bytes(32) + body


@pytest.mark.spec("D4.4", "D1")
@pytest.mark.parametrize("kind", CELLS)
def test_any_byte_of_the_content_changed(guest: Guest, kind: str) -> None:
    data = stored(guest, kind)
    content = zlib.decompress(data[88:])
    # Behind the text there are memory and messages; the text and the lengths come first.
    head = int.from_bytes(content[4:8], "little") + 100
    random = Random(kind)
    outcomes: Counter[str] = Counter()
    for at in [*range(64), *range(64, head, 11), *random.choices(range(len(content)), k=50)]:
        changed = bytearray(content)
        changed[at] = random.choice([changed[at] ^ 1 << random.randrange(8), *b'09-"[]{},\x00\xff'])
        outcomes[use(guest, sealed(data, bytes(changed)))] += 1
    assert outcomes["refused"] > 30


@pytest.mark.spec("D4.4")
def test_lengths_of_the_content(guest: Guest) -> None:
    data = stored(guest, "buy")
    content = zlib.decompress(data[88:])
    for at in range(4, 40, 4):
        for length in (0, 1, len(content), 1 << 31, (1 << 32) - 1):
            if content[at : at + 4] != length.to_bytes(4, "little"):
                changed = content[:at] + length.to_bytes(4, "little") + content[at + 4 :]
                assert use(guest, sealed(data, changed)) == "refused"
    for changed in (b"", content[:100], content[:-1], content + b"x", content * 2):
        assert use(guest, sealed(data, changed)) == "refused"


# ---- one cell, several times ---------------------------------------------------------------------------------------


@pytest.mark.spec("D5.5")
@pytest.mark.parametrize("kind", ["buy", "order"])
def test_a_cell_goes_on_once_in_one_session(guest: Guest, kind: str) -> None:
    data = stored(guest, kind)
    with guest.runtime.restore(data, **OPTIONS) as session:
        answers: dict[str, Allow | Deny] = {request.call_id: Allow() for request in session.pending_approvals}
        assert session.resume_blocking(approvals=answers).ok
        with pytest.raises(LookupError, match="nothing to go on with"):
            session.resume_blocking(approvals=answers)
        assert session.run("b").value == 2


@pytest.mark.spec("D4.1", "D5.3")
@pytest.mark.parametrize("kind", ["buy", "order"])
def test_two_from_one_snapshot_do_not_know_each_other(guest: Guest, kind: str) -> None:
    data = stored(guest, kind)

    def decided(session: Session, decision: Allow | Deny) -> Any:
        answers = {request.call_id: decision for request in session.pending_approvals}
        return session.resume_blocking(approvals=answers)

    with guest.runtime.restore(data, **OPTIONS) as one, guest.runtime.restore(data, **OPTIONS) as two:
        assert decided(one, Deny("no")).error_type == "PermissionError"
        one.run(guest.assign("b", "3"))
        assert decided(two, Allow()).ok
        assert (one.run("b").value, two.run("b").value) == (3, 2)
        assert two.run("z").value.endswith("tea")
        assert not one.run("z").ok or guest.name == "javascript"
