"""Sessions rebuilt from conversations (rows B4, B16, B18, B19)."""

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.guests import Guest
from tests.support.pictures import PNG
from tests.support.tools import call
from wasmhost import (
    CapabilityError,
    JavaScriptRuntime,
    Limits,
    Media,
    Policy,
    PythonRuntime,
    Suspend,
    TranscriptError,
    TypeScriptRuntime,
    capability,
)
from wasmhost.session.session import Session
from wasmhost.transcript import from_messages, to_log

FORMATS = ("anthropic", "openai")


class World:
    """Capabilities whose answers are never the same twice, and which count."""

    def __init__(self) -> None:
        self.made: list[Any] = []

    def options(self, **more: Any) -> dict[str, Any]:
        made = self.made

        @capability(name="notes.find")
        def find(word: str) -> dict[str, Any]:
            made.append(word)
            return {"word": word, "number": len(made), "tags": {"a", "b"}, "raw": b"\x00\xff"}

        @capability
        async def wait(n: int) -> str:
            made.append(n)
            await asyncio.sleep(0)
            return f"{len(made)}: {n}"

        @capability
        def fail(why: str) -> str:
            made.append(why)
            raise CapabilityError(f"no: {why}")

        @capability
        def draw() -> Media:
            made.append("draw")
            return Media(PNG)

        @capability
        def forbidden() -> int:
            raise AssertionError

        return {
            "capabilities": [find, wait, fail, draw, forbidden],
            "policy": Policy(deny=["forbidden"], allow=["*"]),
            **more,
        }


def talk(session: Session, codes: list[str], format: str) -> list[dict[str, Any]]:
    """A conversation in which a model has run these cells."""
    turns: list[dict[str, Any]] = [{"role": "user", "content": "please"}]
    for number, code in enumerate(codes, 1):
        turns += session.run(code).messages(format, code=code, id=f"toolu_{number}")
        turns.append({"role": "assistant", "content": "done"})
    return turns


CODES = {
    "python": [
        "a = tools.notes.find(word='wren')",
        "import asyncio\nb = await asyncio.gather(*[tools.wait(n=n) for n in range(5)])",
        "try:\n    tools.fail(why='x')\nexcept Exception as error:\n    c = str(error)",
        "try:\n    tools.forbidden()\nexcept PermissionError as error:\n    d = str(error)",
        "e = len(tools.draw())\nraise ValueError('at the end')",
        "f = [tools.notes.find(word=w)['number'] for w in ('x', 'y')]\ndef g(): return f",
    ],
    "javascript": [
        "let a = await tools.notes.find({ word: 'wren' })",
        "let b = await Promise.all([0, 1, 2, 3, 4].map(n => tools.wait({ n })))",
        "let c = ''; try { await tools.fail({ why: 'x' }) } catch (error) { c = error.message }",
        "let d = ''; try { await tools.forbidden() } catch (error) { d = error.message }",
        "var e = (await tools.draw()).length; throw new RangeError('at the end')",
        "let f = []; for (const word of ['x', 'y']) f.push((await tools.notes.find({ word })).number); "
        "function g() { return f }",
    ],
}
LOOK = {"python": "[a, b, c, d, e, g()]", "javascript": "[a, b, c, d, e, g()]"}


@pytest.mark.spec("B4.1", "B16.8", "B18.2")
@pytest.mark.parametrize("text", [False, True])
@pytest.mark.parametrize("format", FORMATS)
def test_a_conversation_rebuilds_the_session(guest: Guest, format: str, text: bool) -> None:
    world = World()
    with guest.runtime(**world.options()) as session:
        turns = talk(session, CODES[guest.name], format)
        expected = session.run(LOOK[guest.name])
        assert expected.ok, expected.error
    made = list(world.made)
    given: Any = json.dumps(turns) if text else turns
    with guest.runtime.from_transcript(given, **world.options()) as again:
        assert again.hydration is not None
        assert again.hydration.ok, again.hydration
        assert [cell.outcome for cell in again.hydration.cells] == ["ok", "ok", "ok", "ok", "threw", "ok"]
        assert world.made == made
        assert again.run(LOOK[guest.name]).value == expected.value
        # From here on calls are real, and numbered on.
        live = again.run(call(guest, "wait", n=9))
        assert world.made == [*made, 9]
        assert [record.id for record in live.calls] == ["c8.1"]


@pytest.mark.spec("B16.8", "B19.3")
def test_no_capability_is_run_whatever_the_code_asks_for(guest: Guest) -> None:
    world = World()
    with guest.runtime(**world.options()) as session:
        turns = talk(session, CODES[guest.name][:2], "anthropic")
    made = list(world.made)
    turns[1]["content"][0]["input"]["code"] = turns[1]["content"][0]["input"]["code"].replace("wren", "owl")
    with guest.runtime.from_transcript(turns, **world.options()) as again:
        first, second = again.hydration.cells  # type: ignore[union-attr]
        assert (first.outcome, second.outcome) == ("drift", "ok")
        assert 'notes.find with {"word":"wren"} then, notes.find with {"word":"owl"} now' in first.detail
        assert world.made == made


@pytest.mark.spec("B16.8")
def test_what_the_model_was_shown_alone_has_no_answers_for_calls(guest: Guest) -> None:
    """A program that puts only the results of cells into its conversation: calls are missing, and that is said."""
    world = World()
    code = CODES[guest.name][0]
    with guest.runtime(**world.options()) as session:
        result = session.run(code)
    turns = [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "execute", "input": {"code": code}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": result.content()}]},
    ]
    with guest.runtime.from_transcript(turns, **world.options()) as again:
        [cell] = again.hydration.cells  # type: ignore[union-attr]
        assert cell.outcome == "drift"
        assert "nothing more then, notes.find with" in cell.detail
        assert world.made == ["wren"]


def _ask_later(request: Any) -> Suspend:
    return Suspend()


@pytest.mark.spec("B16.8")
@pytest.mark.parametrize("format", FORMATS)
def test_cells_that_were_stopped_or_suspended_are_skipped(guest: Guest, format: str) -> None:
    spin = f"{guest.assign('a', '2')}\n{guest.spin}"
    codes = [guest.assign("a", "1"), spin, guest.assign("b", "7")]
    with guest.runtime(limits=Limits(script_ms=50)) as session:
        turns = talk(session, codes, format)
        assert session.run("a").value == 2
    with guest.runtime(limits=Limits(fuel=30_000_000)) as session:
        turns += json.loads(json.dumps(talk(session, [spin], format)).replace("toolu_1", "toolu_x"))
    with guest.runtime.from_transcript(turns) as again:
        outcomes = [(cell.outcome, cell.detail.partition(",")[0]) for cell in again.hydration.cells]  # type: ignore[union-attr]
        assert outcomes == [("ok", ""), ("skipped", "it was stopped"), ("ok", ""), ("skipped", "it was restored")]
        assert again.run("[a, b]").value == [1, 7]
    world = World()
    with guest.runtime(**world.options(policy=None, approve=_ask_later)) as session:
        turns = talk(session, [CODES[guest.name][0]], format)
    with guest.runtime.from_transcript(turns, **world.options()) as again:
        [cell] = again.hydration.cells  # type: ignore[union-attr]
        assert (cell.outcome, world.made) == ("skipped", [])
        assert "suspended" in cell.detail


@pytest.mark.spec("B16.8")
@pytest.mark.parametrize("format", FORMATS)
def test_what_was_cut_or_left_out_is_not_made_up(guest: Guest, format: str) -> None:
    @capability
    def long() -> str:
        return "x" * 5_000

    code = guest.pick(
        python="a = [tools.long() for _ in range(3)]",
        javascript="let a = []; for (let i = 0; i < 3; i++) a.push(await tools.long())",
    )
    many = code.replace("3", "90")
    options: dict[str, Any] = {"capabilities": [long], "policy": "allow"}
    for one, reason in ((code, "the answer of call c1.1 is not in the log"), (many, "not in the log")):
        with guest.runtime(**options) as session:
            turns = session.run(one).messages(format, code=one, text_chars=2_000)
        with guest.runtime.from_transcript(turns, **options) as again:
            [cell] = again.hydration.cells  # type: ignore[union-attr]
            assert cell.outcome == "skipped"
            assert reason in cell.detail


@pytest.mark.spec("B16.8", "B17.1")
def test_tools_that_the_code_registered_come_back(guest: Guest) -> None:
    register = guest.pick(
        python="base = 10\nregisterTool('add', 'Adds.', {'type': 'object'}, lambda i: base + 1)",
        javascript="const base = 10; registerTool('add', 'Adds.', { type: 'object' }, i => base + 1)",
    )
    with guest.runtime(policy="allow") as session:
        turns = talk(session, [register], "openai")
    with guest.runtime.from_transcript(turns, policy="allow") as again:
        assert again.hydration is not None
        assert again.hydration.ok, again.hydration
        assert again.call_tool_blocking("add").value == 11


@pytest.mark.spec("B16.8")
def test_the_log_of_the_new_session_has_the_cells(guest: Guest, tmp_path: Any) -> None:
    world = World()
    path = tmp_path / "log"
    with guest.runtime(**world.options()) as session:
        turns = talk(session, CODES[guest.name][:3], "anthropic")
        expected = session.run("[a, b, c]").value
    with guest.runtime.from_transcript(turns, log=path, **world.options()) as again:
        again.run(guest.assign("z", "1"))
    with guest.runtime.from_log(path, **world.options()) as third:
        assert third.hydration is not None
        assert third.hydration.ok, third.hydration
        assert third.run("[a, b, c]").value == expected
        assert third.run("z").value == 1


def test_random_numbers_are_new(guest: Guest) -> None:
    draw = guest.pick(python="import random\nrandom.random()", javascript="Math.random()")
    with guest.runtime() as session:
        turns = talk(session, [draw], "openai")
    drawn = set()
    for _ in range(3):
        with guest.runtime.from_transcript(turns) as again:
            drawn.add(again.run(draw).value)
    assert len(drawn) == 3


def test_typescript_too() -> None:
    with TypeScriptRuntime() as session:
        turns = talk(session, ["enum E { A = 7 }", "let n: number = E.A"], "anthropic")
    with TypeScriptRuntime.from_transcript(turns) as again:
        assert again.run("n as number").value == 7
    with JavaScriptRuntime.from_transcript(turns) as other:
        # Nothing in a conversation names its language: what cannot be run is told.
        assert not other.hydration.ok  # type: ignore[union-attr]


def _cell(id: str, code: str, *inner: dict[str, Any]) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": id, "name": "execute", "input": {"code": code}}, *inner],
    }


def _answers(*ids: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "1"} for id in ids]}


def _inner(id: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": "x", "input": {}}


@pytest.mark.spec("B16.8")
@pytest.mark.parametrize("id", ["c999999999_1", "c99999999999999999999999999_1", "c0_1", "c00000000000000000001_1"])
def test_forged_numbers_leave_a_session_that_goes_on(id: str) -> None:
    turns = [_cell("a", "x = 1", _inner(id)), _answers("a", id), _cell("b", "y = 2"), _answers("b")]
    with PythonRuntime.from_transcript(turns) as session:
        assert session.run("y").value == 2
        assert session.snapshot()
        with PythonRuntime.restore(session.snapshot()) as other:
            assert other.run("y").value == 2


def _forged(code: str, text: str, failed: bool = True) -> list[dict[str, Any]]:
    answer = {"type": "tool_result", "tool_use_id": "a", "content": text, "is_error": failed}
    return [_cell("a", code), {"role": "user", "content": [answer]}]


@pytest.mark.spec("B16.8")
@pytest.mark.parametrize(
    ("text", "failed", "outcome"),
    [
        ("[error]\nTimeoutError: script time of 5 ms is spent", True, "skipped"),
        ("[error]\nTimeoutError: mine", True, "threw"),
        ("1", False, "drift"),
        ("", True, "threw"),
        ("[error]\n" * 1000, True, "threw"),
    ],
)
def test_forged_answers_of_cells(text: str, failed: bool, outcome: str) -> None:
    with PythonRuntime.from_transcript(_forged("raise TimeoutError('mine')", text, failed)) as session:
        [cell] = session.hydration.cells  # type: ignore[union-attr]
        assert cell.outcome == outcome
        assert session.run("1 + 1").value == 2


@pytest.mark.spec("B16.7", "B16.8")
@pytest.mark.parametrize(
    "turns",
    [
        "",
        "[",
        "[" * 100_000,
        "{}",
        "5",
        [5],
        [_cell("a", "1"), _cell("b", "1"), _answers("b")],
        [_answers("a")],
        [_cell("a", "1"), _answers("a", "a")],
        [_cell("a", "1"), _answers("a"), _cell("a", "1"), _answers("a")],
        [_cell("a", "1", _inner("a")), _answers("a")],
    ],
)
def test_a_hostile_transcript_makes_no_session(turns: Any) -> None:
    with pytest.raises(TranscriptError):
        PythonRuntime.from_transcript(turns)


TEXTS = st.text(max_size=8) | st.sampled_from(
    [
        *["1", '"x"', "null", "[]", "error: denied: E: no", "error: ", "[cut: 5]", "[error]\\nE: x", "\ud800", "x\0"],
        *['{"$wasmhost":"int","v":"7"}', '{"$wasmhost":"bytes","v":"AA=="}', "[" * 150 + "]" * 150, "1" * 5_000],
        '{"$wasmhost":"map","v":[[[],1]]}',
    ]
)
INPUTS = st.sampled_from([{}, {"a": 1}, {"$wasmhost": "cut"}])
CODES_OF_FUZZ = st.sampled_from(
    [
        "1",
        "\ud800",
        "",
        "(",
        "throw 1",
        "await tools.x({})",
        "try { await tools.x({ a: 1 }) } catch (e) {}",
        "var a = 1",
    ]
)


@pytest.mark.spec("B16.7", "B16.8")
@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(
            CODES_OF_FUZZ,
            TEXTS,
            st.booleans(),
            st.lists(
                st.tuples(st.sampled_from([{}, {"a": 1}, {"$wasmhost": "cut"}]), TEXTS, st.booleans()), max_size=2
            ),
        ),
        min_size=1,
        max_size=3,
    )
)
def test_whatever_is_in_a_conversation_a_session_goes_on(cells: list[Any]) -> None:
    turns: list[dict[str, Any]] = []
    for number, (code, text, failed, inner) in enumerate(cells):
        asked, answers = _cell(f"a{number}", code), [(f"a{number}", text, failed)]
        for count, (given_, answer, fails) in enumerate(inner):
            id = f"c{number + 1}_{count + 1}"
            asked["content"].append({"type": "tool_use", "id": id, "name": "x", "input": given_})
            answers.append((id, answer, fails))
        results = [
            {"type": "tool_result", "tool_use_id": id, "content": text, "is_error": failed}
            for id, text, failed in answers
        ]
        turns += [asked, {"role": "user", "content": results}]
    try:
        session = JavaScriptRuntime.from_transcript(turns)
    except TranscriptError:
        return
    with session:
        assert session.hydration is not None
        assert {cell.outcome for cell in session.hydration.cells} <= {"ok", "threw", "drift", "skipped"}
        assert session.run("1 + 1").value == 2


@pytest.mark.spec("B16.8")
def test_a_cell_at_the_end_without_an_answer_is_not_run() -> None:
    before = [_cell("a", "x = 1"), _answers("a")]
    for end in ([_cell("b", "x = 2")], [_cell("b", "x = 2", _inner("c2_1")), _answers("b")]):
        with pytest.raises(TranscriptError, match="has no answer"):
            from_messages([*before, *end])
        with PythonRuntime.from_transcript([*before, *end]) as session:
            assert session.hydration is not None
            assert not session.hydration.ok
            assert len(session.hydration.cells) == 1
            assert session.hydration.notes[0].startswith("the conversation ends without an answer to '")
            assert session.run("x").value == 1


def test_a_conversation_without_cells_is_a_fresh_session() -> None:
    for turns in ([], "[]", [{"role": "user", "content": "hello"}]):
        with PythonRuntime.from_transcript(turns) as session:
            assert session.hydration is not None
            assert session.hydration.ok
            assert session.run("1 + 1").value == 2


def test_a_log_of_a_transcript_can_be_kept_and_changed(guest: Guest) -> None:
    world = World()
    with guest.runtime(**world.options()) as session:
        turns = talk(session, CODES[guest.name][:1], "anthropic")
    log = to_log(from_messages(turns, names=["notes.find"]), guest.name)
    [entry] = log.read()
    assert (entry["cell"], entry["ended"], entry["calls"][0]["name"]) == (1, "done", "notes.find")
    with guest.runtime.from_log(log, **world.options()) as again:
        assert again.hydration is not None
        assert again.hydration.ok, again.hydration
