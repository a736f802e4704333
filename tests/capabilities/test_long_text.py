"""Texts of thousands of characters: they cross beside the JSON of a message, and nobody sees a difference."""

from typing import Any

import pytest

from tests.support.drivers import Driver
from tests.support.guests import Guest
from tests.support.tools import call
from wasmhost import Capability, CapabilityError
from wasmhost.errors import ProtocolError
from wasmhost.protocol.encode import LONG_TEXT, Unencodable, encode
from wasmhost.protocol.packed import pack, read_request

EDGE = LONG_TEXT


def of(guest: Guest, unit: str, times: int) -> str:
    """An expression for a repeated text."""
    text = "".join(f"\\u{n:04x}" for n in _units(unit))
    if guest.name == "python":
        return f"({unit.encode('unicode_escape').decode()!r}.encode().decode('unicode_escape') * {times})"
    return f"'{text}'.repeat({times})"


def _units(text: str) -> list[int]:
    raw = text.encode("utf-16-le", "surrogatepass")
    return [int.from_bytes(raw[i : i + 2], "little") for i in range(0, len(raw), 2)]


TEXTS = [
    pytest.param(unit, times, id=name)
    for name, unit, times in [
        ("below", "x", EDGE - 1),
        ("edge", "x", EDGE),
        ("escapes", '\\"\n\x00', EDGE),
        ("latin", "\xe9", EDGE),
        ("two-byte-wide", "\u0416", EDGE),
        ("pairs", "\U0001f600a", EDGE),
        ("lone-surrogates", "a\ud800", EDGE),
    ]
]


@pytest.mark.parametrize(("unit", "times"), TEXTS)
def test_a_long_text_arrives_as_it_is_and_comes_back(guest: Guest, unit: str, times: int) -> None:
    got: list[str] = []

    def echo(data: str) -> str:
        got.append(data)
        return data

    source = of(guest, unit, times)
    code = guest.pick(
        python=f"s = {source}\ntools.echo(data=s) == s",
        javascript=f"var s = {source}; (await tools.echo({{ data: s }})) === s",
    )
    with guest.runtime(capabilities=[Capability.of(echo, inline=True)], policy="allow") as session:
        result = session.run(code)
    assert result.value is True, result.error
    # JavaScript's halves of a pair that stand side by side are one character.
    assert _units(got[0]) == _units(unit * times)


def test_long_texts_inside_of_values_in_every_place(guest: Guest, driver: Driver) -> None:
    """As list item, value of a key, key, positional argument, and beside bytes."""
    long = "long " * EDGE

    async def turn(items: list[Any], table: dict[str, Any]) -> dict[str, Any]:
        return {"items": items[::-1], "table": table}

    code = guest.pick(
        python=f"s = 'long ' * {EDGE}\nr = await tools.turn([s, 'b', b'xy', s], {{'k': s, s: 1}})\nr",
        javascript=f"var s = 'long '.repeat({EDGE});"
        "var r = await tools.turn([s, 'b', new Uint8Array([120, 121]), s], { k: s, [s]: 1 }); r",
    )
    with guest.runtime(capabilities=[turn], policy="allow") as session:
        value = driver.value(session, code)
    assert value == {"items": [long, b"xy", "b", long], "table": {"k": long, long: 1}}


def test_a_joined_text_of_many_parts_crosses(guest: Guest) -> None:
    """JavaScript keeps it as a tree of its parts until somebody looks."""

    def size(data: str) -> int:
        return len(data)

    code = guest.pick(
        python="s = ''\nfor i in range(9000): s = s + 'ab'\ntools.size(data=s)",
        javascript="var s = ''; for (let i = 0; i < 9000; i++) s = s + 'ab'; await tools.size({ data: s })",
    )
    with guest.runtime(capabilities=[size], policy="allow") as session:
        assert session.run(code).value == 18_000


def test_long_texts_of_handlers_definitions_and_errors(guest: Guest) -> None:
    """Messages that are not calls: input and result of a registered tool, its description, an exception."""

    def fail() -> None:
        raise CapabilityError("x" * 9_000)

    code = guest.pick(
        python=f"""
registerTool("twice", "d" * {EDGE}, {{"type": "object", "description": "e" * {EDGE}}}, lambda i: i["t"] + i["t"])
try:
    tools.fail()
except Exception as e:
    told = len(str(e))
r = await tools["eval_registered__twice"](t="y" * {EDGE})
[told, r == "y" * {2 * EDGE}]
""",
        javascript=f"""
registerTool("twice", "d".repeat({EDGE}), {{ type: "object", description: "e".repeat({EDGE}) }}, i => i.t + i.t);
var told;
try {{ await tools.fail() }} catch (e) {{ told = e.message.length }}
var r = await tools["eval_registered__twice"]({{ t: "y".repeat({EDGE}) }});
[told, r === "y".repeat({2 * EDGE})]
""",
    )
    with guest.runtime(capabilities=[fail], policy="allow", approve=lambda request: True) as session:
        result = session.run(code)
        assert result.value == [9_000, True], result.error
        assert session.call_tool_blocking("twice", {"t": "z" * EDGE}).value == "z" * 2 * EDGE


def test_an_exception_with_a_long_message_is_passed_as_a_value(guest: Guest) -> None:
    got: list[Any] = []

    def take(value: Any) -> None:
        got.append(value)

    code = guest.pick(
        python=f"tools.take(ValueError('m' * {EDGE}))",
        javascript=f"await tools.take([new RangeError('m'.repeat({EDGE}))])",
    )
    with guest.runtime(capabilities=[take], policy="allow") as session:
        assert session.run(code).ok
    error = got[0] if guest.name == "python" else got[0][0]
    assert error.message == "m" * EDGE


def test_a_session_that_goes_back_replays_long_answers(guest: Guest) -> None:
    calls = 0

    def book() -> str:
        nonlocal calls
        calls += 1
        return "page " * EDGE

    with guest.runtime(capabilities=[book], policy="allow") as session:
        kept = guest.pick(python="b = tools.book()\nlen(b)", javascript="var b = await tools.book(); b.length")
        assert session.run(kept).value == 5 * EDGE
        stopped = session.run(guest.spin_that_cannot_be_asked)
        assert stopped.state == "restored"
        after = session.run(guest.pick(python="len(b)", javascript="b.length"))
    assert after.value == 5 * EDGE
    assert calls == 1


def test_without_attachments_all_is_in_the_json() -> None:
    assert encode("x" * EDGE) == f'"{"x" * EDGE}"'
    with pytest.raises(Unencodable, match="bytes"):
        encode({"a": b"x"})


@pytest.mark.parametrize("at", ["1", "-1", "null", '"0"', "0.5"])
def test_a_forged_reference_to_a_text_is_refused(at: str) -> None:
    head = f'[1,"f",[{{"$wasmhost":"text","at":{at}}}],{{}}]'.encode()
    with pytest.raises(ProtocolError):
        read_request(pack(head, [b"x"]), 70)


def test_a_text_that_is_not_utf8_is_refused() -> None:
    with pytest.raises(ProtocolError):
        read_request(pack(b'[1,"f",[{"$wasmhost":"text","at":0}],{}]', [b"\xff\xfe"]), 70)


def test_the_call_helper_crosses_too(guest: Guest, driver: Driver) -> None:
    """A long literal in the source of a cell."""

    async def echo(data: str) -> str:
        return data

    with guest.runtime(capabilities=[echo], policy="allow") as session:
        assert driver.value(session, call(guest, "echo", data="q" * EDGE)) == "q" * EDGE
