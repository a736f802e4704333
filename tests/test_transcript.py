"""B16: calls as paired messages of the APIs, within the caps of B14, and read back."""

import json
from collections.abc import Iterator
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import strict_json
from tests.support.drivers import Driver
from tests.support.guests import Guest
from tests.support.pictures import GIF, PDF, PNG
from tests.support.tools import call, caught, literal
from wasmhost import CapabilityError, Limits, Media, Policy, PythonRuntime, RuntimeFailure, Suspend, capability
from wasmhost.session.session import Session
from wasmhost.transcript import MAX_CHARS, MAX_MESSAGES, TranscriptCell, TranscriptError, api_name, from_messages

FORMATS = ("anthropic", "openai")

# ---- the shapes, as the APIs have them; written here again on purpose ----

_ID = {"type": "string", "pattern": "^[a-zA-Z0-9_-]{1,64}$"}
_TEXT = {"type": "string", "pattern": r"\S"}


def _object(properties: dict[str, Any], *optional: str) -> dict[str, Any]:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _one_of(*schemas: dict[str, Any]) -> dict[str, Any]:
    return {"oneOf": list(schemas)}


def _source(mimes: list[str]) -> dict[str, Any]:
    return _object({"type": {"const": "base64"}, "media_type": {"enum": mimes}, "data": _TEXT})


_IMAGES = ["image/png", "image/jpeg", "image/gif", "image/webp"]
_A_BLOCKS = {
    "type": "array",
    "items": _one_of(
        _object({"type": {"const": "text"}, "text": _TEXT}),
        _object({"type": {"const": "image"}, "source": _source(_IMAGES)}),
        _object({"type": {"const": "document"}, "source": _source(["application/pdf"])}),
    ),
}
_A_NAME = {"type": "string", "pattern": "^[a-zA-Z0-9_-]{1,128}$"}
_A_USE = _object({"type": {"const": "tool_use"}, "id": _ID, "name": _A_NAME, "input": {"type": "object"}})
_A_RESULT = _object(
    {"type": {"const": "tool_result"}, "tool_use_id": _ID, "content": _A_BLOCKS, "is_error": {"type": "boolean"}},
    "is_error",
)
_A_TEXT = _object({"type": {"const": "text"}, "text": _TEXT})
_O_NAME = {"type": "string", "pattern": "^[a-zA-Z0-9_-]{1,64}$"}
_O_CALL = _object(
    {"id": _ID, "type": {"const": "function"}, "function": _object({"name": _O_NAME, "arguments": _TEXT})}
)
_O_PART = _one_of(
    _A_TEXT,
    _object(
        {"type": {"const": "image_url"}, "image_url": _object({"url": {"type": "string", "pattern": "^data:image/"}})}
    ),
    _object(
        {
            "type": {"const": "file"},
            "file": _object({"filename": _TEXT, "file_data": {"type": "string", "pattern": "^data:application/pdf;"}}),
        }
    ),
)
SCHEMAS = {
    "anthropic": {
        "type": "array",
        "items": _one_of(
            _object({"role": {"const": "assistant"}, "content": {"type": "array", "items": _A_USE, "minItems": 1}}),
            _object({"role": {"const": "user"}, "content": {"type": "array", "items": _one_of(_A_RESULT, _A_TEXT)}}),
        ),
    },
    "openai": {
        "type": "array",
        "items": _one_of(
            _object(
                {
                    "role": {"const": "assistant"},
                    "content": {"type": "null"},
                    "tool_calls": {"type": "array", "items": _O_CALL, "minItems": 1},
                }
            ),
            _object({"role": {"const": "tool"}, "tool_call_id": _ID, "content": _TEXT}),
            _object({"role": {"const": "user"}, "content": {"type": "array", "items": _O_PART, "minItems": 1}}),
        ),
    },
}
TOOLS = {
    "anthropic": _object({"name": _A_NAME, "description": {"type": "string"}, "input_schema": {"type": "object"}}),
    "openai": _object(
        {
            "type": {"const": "function"},
            "function": _object({"name": _O_NAME, "description": {"type": "string"}, "parameters": {"type": "object"}}),
        }
    ),
}


def checked(made: list[dict[str, Any]], format: str) -> list[dict[str, Any]]:
    """Messages held against the API's shape, strictness, and the pairing of ids."""
    text = json.dumps(made, allow_nan=False)
    strict_json.loads(text)
    jsonschema.Draft202012Validator(SCHEMAS[format]).validate(made)
    if format == "anthropic":
        asked = [block["id"] for turn in made if turn["role"] == "assistant" for block in turn["content"]]
        answered = [
            block["tool_use_id"]
            for turn in made
            if turn["role"] == "user"
            for block in turn["content"]
            if block["type"] == "tool_result"
        ]
    else:
        asked = [call["id"] for turn in made if turn["role"] == "assistant" for call in turn["tool_calls"]]
        answered = [turn["tool_call_id"] for turn in made if turn["role"] == "tool"]
    assert asked == answered
    assert len(set(asked)) == len(asked)
    return made


def text_chars(made: list[dict[str, Any]]) -> int:
    """Characters of text for the model: inputs, names and answers, without media and without the cell's own code."""
    total = 0
    for turn in made:
        content = turn.get("content")
        for one in turn.get("tool_calls", ()):
            if one["id"] != "cell":
                total += len(one["function"]["arguments"])
        if isinstance(content, str):
            total += len(content)
        for block in content if isinstance(content, list) else ():
            if block["type"] == "tool_use" and block["id"] != "cell":
                total += len(json.dumps(block["input"], separators=(",", ":")))
            elif block["type"] == "tool_result":
                total += sum(len(inner.get("text", "")) for inner in block["content"])
            elif block["type"] == "text":
                total += len(block["text"])
    return total


# ---- a session with calls that end in every way ----


@capability(read_only=True, name="notes.find")
def find(word: str) -> str:
    return f"{word}: a small bird"


@capability(read_only=True)
def echo(x: Any) -> Any:
    return x


@capability(read_only=True)
async def fails() -> None:
    raise CapabilityError("no \x1b[31mtea\u202e left", type="ValueError")


@capability
def denied(secret: str) -> None:
    raise AssertionError("never made")


@capability(read_only=True)
def picture() -> Media:
    return Media(PNG)


@pytest.fixture
def tooled(guest: Guest) -> Iterator[Session]:
    with guest.runtime(capabilities=[find, echo, fails, denied, picture], policy=Policy(deny=["denied"])) as made:
        yield made


def program(guest: Guest) -> str:
    lines = [
        call(guest, "notes.find", sync=True, word="wren"),
        call(guest, "echo", sync=True, x={"a": [1, None, "42"]}),
        call(guest, "picture", sync=True),
    ]
    lines.append(caught(guest, call(guest, "fails")))
    lines.append(caught(guest, call(guest, "denied", sync=True, secret="x")))
    return str(guest.pick(python="\n", javascript=";\n").join(lines))


@pytest.mark.spec("B16.1", "B16.2")
@pytest.mark.parametrize("format", FORMATS)
def test_calls_are_paired_by_id_in_the_shape_of_the_api(
    tooled: Session, guest: Guest, driver: Driver, format: str
) -> None:
    code = program(guest)
    result = driver.run(tooled, code)
    assert result.ok, result.error
    made = checked(result.messages(format, code=code, id="toolu_1", tool="run_code"), format)
    (cell,) = from_messages(json.dumps(made), tool="run_code", names=["notes.find", "echo"])
    assert (cell.id, cell.code, cell.ok, cell.complete) == ("toolu_1", code, True, True)
    told = [(one.id, one.name, one.state, one.result, one.error) for one in cell.calls]
    assert told == [
        ("c1_1", "notes.find", "completed", "wren: a small bird", None),
        ("c1_2", "echo", "completed", {"a": [1, None, "42"]}, None),
        ("c1_3", "picture", "completed", PNG, None),
        ("c1_4", "fails", "failed", None, ("ValueError", "no \\x1b[31mtea\\u202e left")),
        ("c1_5", "denied", "denied", None, ("PermissionError", "denied was denied: the policy denies it")),
    ]
    assert [one.input for one in cell.calls] == [
        {"word": "wren"},
        {"x": {"a": [1, None, "42"]}},
        {},
        {},
        {"secret": "x"},
    ]
    assert [one.id.replace("_", ".") for one in cell.calls] == [record.id for record in result.calls]


@pytest.mark.spec("B16.2")
def test_only_what_went_wrong_is_an_error(tooled: Session, guest: Guest) -> None:
    result = tooled.run(program(guest))
    user = result.messages("anthropic")[1]
    errors = [block["tool_use_id"] for block in user["content"] if block.get("is_error")]
    assert errors == ["c1_4", "c1_5"]
    said = [turn["content"] for turn in result.messages("openai") if turn["role"] == "tool"]
    assert [text.startswith("error: ") for text in said] == [False, False, False, True, True]


@pytest.mark.spec("B16.1")
@pytest.mark.parametrize("format", FORMATS)
def test_without_the_code_there_are_the_calls_alone(tooled: Session, guest: Guest, format: str) -> None:
    assert tooled.run("1 + 1").messages(format) == []
    made = checked(tooled.run(call(guest, "picture", sync=True)).messages(format), format)
    outer = {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "x", "name": "execute", "input": {"code": ""}}],
    }
    answer = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "x", "content": "done"}]}
    (cell,) = from_messages([outer, answer, *made])
    assert [one.id for one in cell.calls] == ["c2_1"]


@pytest.mark.spec("B16.3", "B14.2")
@pytest.mark.parametrize("format", FORMATS)
def test_the_result_itself_is_text_and_media(guest: Guest, format: str) -> None:
    code = guest.pick(
        python=f"print('a\\x1b[0m')\nimport sys; print('b', file=sys.stderr)\n[{PNG!r}, {PDF!r}]",
        javascript="console.log('a\\x1b[0m'); console.error('b'); "
        f"[new Uint8Array({list(PNG)}), new Uint8Array({list(PDF)})]",
    )
    with guest.runtime() as session:
        result = session.run(code)
        blocks = result.content(format)
        texts = [block["text"] for block in blocks if block["type"] == "text"]
        assert texts[:2] == ["a\\x1b[0m", "[stderr]\nb"]
        assert len(texts) == 3
        kinds = [block["type"] for block in blocks[3:]]
        assert kinds == (["image", "document"] if format == "anthropic" else ["image_url", "file"])
        made = checked(result.messages(format, code=code), format)
        (cell,) = from_messages(made)
        assert [bytes(one) for one in cell.media] == [PNG, PDF]
        assert cell.text == "\n".join(texts)


@pytest.mark.spec("B16.3")
@pytest.mark.parametrize("format", FORMATS)
def test_a_failed_cell_is_an_error(guest: Guest, format: str) -> None:
    code = f"{guest.out('error: not really')}\n{guest.pick(python='1 / 0', javascript='null.x')}"
    with guest.runtime() as session:
        (cell,) = from_messages(checked(session.run(code).messages(format, code=code), format))
        assert not cell.ok
        assert "error: not really" in cell.text
        fine = guest.out("error: not really")
        (cell,) = from_messages(checked(session.run(fine).messages(format, code=fine), format))
        assert cell.ok
        assert cell.text.strip() == "error: not really"
        nothing = guest.assign("x", "1")
        (cell,) = from_messages(checked(session.run(nothing).messages(format, code=nothing), format))
        assert cell.text == "(no output)"


AMBIGUOUS: list[Any] = [
    "", " ", "42", "null", '"x"', "[1]", "{}", "true", "error: denied: PermissionError: no", "[cut: 5]", "[media: x]",
    "[calls left out: 5]", "line\nline", "\x1b[31m", "\u202e", "\ud800", "NaN", "tea", "é😀", "  indented", "\r\n",
    None, True, 0, -1.5, 2**53, 2**70, float("inf"), [], {}, [[]], {"$wasmhost": "cut"}, {"": ""}, b"", b"ab",
    (1, (2,)), {1: 2}, {"error": "x"},
]  # fmt: skip


@pytest.mark.spec("B16.4")
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("value", AMBIGUOUS, ids=[str(n) for n in range(len(AMBIGUOUS))])
def test_an_answer_is_read_back_as_it_was(format: str, value: Any) -> None:
    with PythonRuntime(capabilities=[echo]) as session:
        code = f"r = echo({value!r})" if value != float("inf") else "r = echo(float('inf'))"
        result = session.run(code)
        assert result.ok, result.error
        (cell,) = from_messages(checked(result.messages(format, code=code), format))
        (one,) = cell.calls
        assert (one.state, one.complete) == ("completed", True)
        assert one.result == value
        assert type(one.result) is type(value)
        assert one.input == {"x": value}


@settings(max_examples=40)
@given(st.text())
def test_any_text_is_read_back_as_it_was(text: str) -> None:
    with PythonRuntime(capabilities=[echo]) as session:
        result = session.run(f"r = echo({text!r})")
        for format in FORMATS:
            made = checked(result.messages(format, code="x"), format)
            assert from_messages(made)[0].calls[0].result == text


# ---- caps ----


@pytest.mark.spec("B16.5", "B14.1")
@pytest.mark.parametrize("format", FORMATS)
def test_all_text_stays_within_the_cap(guest: Guest, format: str) -> None:
    @capability(read_only=True)
    def large(size: int, x: str) -> str:
        return "word " * size

    calls = ";\n".join(
        call(guest, "large", sync=True, size=size, x="y" * size) for size in (10, 100, 1_000, 5_000, 20_000)
    )
    code = f"{calls};\n{guest.out('z' * 150_000)}"
    with guest.runtime(capabilities=[large]) as session:
        result = session.run(code)
        assert result.ok, result.error
        for most in (2_000, 5_000, 20_000, 100_000, 500_000):
            made = checked(result.messages(format, code=code, text_chars=most), format)
            assert text_chars(made) <= most + 20
            assert sum(len(block["text"]) for block in result.content(format, text_chars=most)) <= most
            (cell,) = from_messages(made)
            assert cell.calls[0].complete
            assert len(cell.calls) == 5
            whole = most == 500_000
            assert cell.complete is whole
            assert ("left out" in cell.text) is (most < 150_000)
            assert (cell.calls[4].result is not None) is whole
        assert text_chars(result.messages(format, code=code)) <= 100_020


@pytest.mark.spec("B16.5")
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("code", ["x", None])
def test_calls_without_room_are_left_out_and_counted(guest: Guest, format: str, code: str | None) -> None:
    loop = guest.pick(
        python="for i in range(60):\n    try: (echo if i % 3 else denied)('x' * 50)\n    except PermissionError: pass",
        javascript="for (let i = 0; i < 60; i++) { try { await (i % 3 ? echo : denied)('x'.repeat(50)) } catch {} }",
    )
    with guest.runtime(capabilities=[echo, denied], policy=Policy(deny=["denied"])) as session:
        result = session.run(loop)
        assert len(result.calls) == 60
        made = checked(result.messages(format, code=code, text_chars=2_000), format)
        assert text_chars(made) <= 2_020
        assert "calls left out" not in json.dumps(made[:1])
        notices = [
            block["text"]
            for turn in made
            if turn["role"] == "user"
            for block in turn["content"]
            if block["type"] == "text"
        ]
        assert len(notices) == 1
        assert notices[0].startswith("[calls left out: 4")
        if code is not None:
            (cell,) = from_messages(made)
            assert not cell.complete


@pytest.mark.spec("B16.5", "B14.3")
@pytest.mark.parametrize("format", FORMATS)
def test_images_of_calls_count_with_those_of_the_result(guest: Guest, format: str) -> None:
    code = guest.pick(
        python="shown = [picture() for _ in range(6)]\nshown[:5]",
        javascript="const shown = []; for (let i = 0; i < 6; i++) shown.push(await picture()); shown.slice(0, 5)",
    )
    with guest.runtime(capabilities=[picture]) as session:
        result = session.run(code)
        made = checked(result.messages(format, code=code), format)
        text = json.dumps(made)
        assert text.count("image/png;base64" if format == "openai" else '"media_type"') == 8
        (cell,) = from_messages(made)
        assert len(cell.media) == 5
        assert [one.complete for one in cell.calls] == [True] * 3 + [False] * 3


@pytest.mark.spec("B16.5")
def test_a_value_that_was_not_kept_is_not_made_up(guest: Guest) -> None:
    @capability(read_only=True)
    def huge() -> str:
        return "x" * (7 << 20)

    one = call(guest, "huge", sync=True)
    with guest.runtime(capabilities=[huge]) as session:
        result = session.run(guest.pick(python=f"for _ in range(3): {one}", javascript=f"for (let i=0;i<3;i++) {one}"))
        assert result.ok, result.error
        (cell,) = from_messages(result.messages(code="x"))
        assert [one.complete for one in cell.calls] == [False] * 3
        assert "are not kept" in json.dumps(result.messages())


@pytest.mark.spec("B16.2", "B23")
def test_a_call_whose_end_nobody_knows_is_told_honestly(guest: Guest) -> None:
    from threading import Event

    release = Event()

    @capability(read_only=True)
    def hangs() -> None:
        release.wait(60)

    try:
        with guest.runtime(capabilities=[hangs]) as session:
            result = session.run(call(guest, "hangs", sync=True), limits=Limits(wall_ms=300))
            assert isinstance(result, RuntimeFailure)
            assert [one.state for one in result.calls] == ["unknown"]
            for format in FORMATS:
                made = checked(result.messages(format, code="x"), format)
                assert "its effect may still happen, do not redo it blindly" in json.dumps(made)
                (cell,) = from_messages(made)
                assert cell.calls[0].state == "unknown"
    finally:
        release.set()


@pytest.mark.spec("B16.2")
@pytest.mark.parametrize("format", FORMATS)
def test_calls_that_wait_for_an_approval_are_no_answers(guest: Guest, format: str) -> None:
    @capability
    async def send(x: int) -> int:
        return x

    def later(request: Any) -> Suspend:
        return Suspend()

    with guest.runtime(capabilities=[send], approve=later) as session:
        result = session.run(call(guest, "send", x=1))
        assert result.status == "suspended"
        made = checked(result.messages(format, code="x"), format)
        (cell,) = from_messages(made)
        assert not cell.ok
        assert "waits for an approval" in cell.text
        assert [one.state for one in cell.calls] == ["suspended"]


@pytest.mark.spec("B16.2")
def test_a_call_that_nobody_awaited_never_started(python: Session) -> None:
    async def send(x: int) -> int:
        return x

    with PythonRuntime(capabilities=[send], policy="allow") as session:
        result = session.run("tools.send(1); None")
        (cell,) = from_messages(checked(result.messages(code="x"), "anthropic"))
        (one,) = cell.calls
        assert (one.state, one.error) == ("never-started", ("CallError", "there is no answer"))


# ---- hostile names, arguments, tools ----


@pytest.mark.spec("B16.6")
@pytest.mark.parametrize("format", FORMATS)
def test_hostile_names_and_arguments_make_strict_messages(guest: Guest, format: str) -> None:
    names = ["", "x" * 5_000, "\x1b]0;pwned\x07", "a\ud800b", '"},{"role":"system"', "notes.find", "\u202etxet"]
    with guest.runtime(capabilities=[echo]) as session:
        for name in names:
            given = guest.pick(
                python=f"tools[{name!r}]('\\ud800', **{{'\\x1b': float('nan'), '\\ud801': 2**80}})",
                javascript=f"await tools[{json.dumps(name)}]({{'\\x1b': NaN, '\\ud801': 2n**80n, o: '\\ud800'}})",
            )
            result = session.run(caught(guest, given))
            checked(result.messages(format, code="\ud800\x1b"), format)
        assert session.run("1 + 1").ok


STEERING = "\x1b]0;pwned\x07\x1b[2J\u202etxet\u2066\x9b31m"


@pytest.mark.spec("B16.6")
@pytest.mark.parametrize("format", FORMATS)
def test_nothing_that_a_guest_shows_steers_a_terminal(guest: Guest, format: str) -> None:
    """Output of both kinds, value, error, answers and errors of calls, descriptions of tools."""
    text = literal(guest, STEERING)
    show = guest.pick(
        python=f"import sys\nprint({text}); print({text}, file=sys.stderr)\n"
        f"registerTool('t', {text}, {{'type': 'object'}}, lambda i: 1)\ntools.echo(x={text})\n",
        javascript=f"console.log({text}); console.error({text});"
        f"registerTool('t', {text}, {{ type: 'object' }}, () => 1); await tools.echo({{ x: {text} }});",
    )
    ends = guest.pick(python=(text, f"raise ValueError({text})"), javascript=(text, f"throw new Error({text})"))
    with guest.runtime(capabilities=[echo], policy="allow") as session:
        for end in ends:
            result = session.run(show + end)
            assert (result.ok, len(result.calls)) == (end is ends[0], 1), result.error
            made = [*result.messages(format, code="1"), *result.tool_definitions(format), *result.content(format)]
            assert not any(char in one for one in texts(made) for char in STEERING if not char.isprintable())
            assert any("pwned" in one for one in texts(made))


def texts(value: Any) -> Iterator[str]:
    """All texts in a value, without those of inputs of calls, which are data."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, item in value.items():
            if name not in ("input", "arguments"):
                yield from texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)


@pytest.mark.spec("B16.4")
@pytest.mark.parametrize("format", FORMATS)
def test_definitions_of_registered_tools(guest: Guest, driver: Driver, format: str) -> None:
    schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    long_name = "n" * 111
    code = guest.pick(
        python=f"registerTool('shout', 'In \\x1b[1mcapitals', {schema!r}, lambda input: 1)\n"
        f"registerTool({long_name!r}, 'Long', {{}}, lambda input: 1)",
        javascript=f"registerTool('shout', 'In \\x1b[1mcapitals', {json.dumps(schema)}, (input) => 1);"
        f"registerTool({long_name!r}, 'Long', {{}}, (input) => 1)",
    )
    with guest.runtime(capabilities=[echo]) as session:
        result = driver.run(session, code)
        assert result.ok, result.error
        made = result.tool_definitions(format)
        for one in made:
            jsonschema.Draft202012Validator(TOOLS[format]).validate(one)
        inner = made if format == "anthropic" else [one["function"] for one in made]
        assert inner[0]["name"] == "eval_registered__shout"
        assert inner[0]["description"] == "In \\x1b[1mcapitals"
        assert inner[0]["input_schema" if format == "anthropic" else "parameters"] == schema
        assert len(made) == 2
        assert driver.run(session, "1 + 1").tool_definitions(format) == []


@pytest.mark.spec("B16.5")
def test_definitions_that_do_not_fit_are_left_out(guest: Guest) -> None:
    text = literal(guest, "d" * 9_000)
    code = "\n".join(
        f"registerTool('t{n}', {text}, {{}}, {guest.pick(python='print', javascript='() => 1')})" for n in range(5)
    )
    with guest.runtime(capabilities=[echo]) as session:
        result = session.run(code)
        assert result.ok, result.error
        assert len(result.registered_tools) == 5
        assert len(result.tool_definitions(text_chars=20_000)) == 2
        assert len(result.tool_definitions()) == 5


@pytest.mark.spec("B16.1")
def test_misuse_is_refused_with_what_is_wrong(python: Session) -> None:
    result = python.run("1 + 1")
    with pytest.raises(ValueError, match="format is 'anthropic' or 'openai'"):
        result.messages("gemini")
    with pytest.raises(ValueError, match="whole number from 1000"):
        result.content(text_chars=10)
    for wrong in ("", "a b", "x" * 65, "c1_2"):
        with pytest.raises(ValueError, match="an id has 1 to 64"):
            result.messages(code="x", id=wrong)
    with pytest.raises(ValueError, match="a tool's name"):
        result.messages(code="x", tool="a.b")
    assert api_name("a.b/c") == "a_b_c"
    assert len(api_name("x" * 300, "openai")) == 64


# ---- transcripts of others ----

USE = {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "execute", "input": {"code": "1"}}]}
ANSWER = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "1"}]}


@pytest.mark.spec("B16.7")
def test_a_conversation_with_other_things_in_it() -> None:
    other = {"role": "assistant", "content": [{"type": "text", "text": "hm"}, {"type": "thinking", "thinking": "..."},
             {"type": "tool_use", "id": "toolu_9", "name": "search", "input": {"q": 1}}]}  # fmt: skip
    answer = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_9", "content": []}]}
    before, after = {"role": "user", "content": "compute"}, {"role": "assistant", "content": "1"}
    turns: list[dict[str, Any]] = [before, other, answer, USE, ANSWER, after]
    assert from_messages(turns) == (TranscriptCell("t1", "1", True, "1", (), (), True),)
    openai = [
        {"role": "system", "content": "be brief"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "execute", "arguments": '{"code": "2"}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": "2"},
    ]
    assert from_messages(json.dumps(openai).encode()) == (TranscriptCell("call_1", "2", True, "2", (), (), True),)
    assert from_messages([]) == ()


@pytest.mark.spec("B16.7")
def test_tools_of_openai_that_take_a_text() -> None:
    def asked(id: str, name: str, given: Any) -> dict[str, Any]:
        one = {"id": id, "type": "custom", "custom": {"name": name, "input": given}}
        return {"role": "assistant", "content": None, "tool_calls": [one]}

    answers = [{"role": "tool", "tool_call_id": id, "content": "4"} for id in ("a", "b")]
    turns = [asked("a", "search", "owls"), answers[0], asked("b", "execute", "2 + 2"), answers[1]]
    assert from_messages(turns) == (TranscriptCell("b", "2 + 2", True, "4", (), (), True),)
    with pytest.raises(TranscriptError, match="has no text 'code'"):
        from_messages([asked("a", "execute", 5)])


def _with(message: dict[str, Any], **changed: Any) -> dict[str, Any]:
    block = {**message["content"][0], **changed}
    return {**message, "content": [{key: value for key, value in block.items() if value is not ...}]}


def _openai(arguments: Any, **changed: Any) -> dict[str, Any]:
    one = {"id": "t1", "type": "function", "function": {"name": "execute", "arguments": arguments}, **changed}
    return {"role": "assistant", "content": None, "tool_calls": [one]}


def _image(**source: Any) -> dict[str, Any]:
    return _with(ANSWER, content=[{"type": "image", "source": {"type": "base64", **source}}])


_DEEP = json.loads("[" * 900 + "]" * 900)
WRONG: dict[str, tuple[Any, str]] = {
    "no list": ({"role": "user"}, "a transcript is a list of messages"),
    "no JSON": ("[", "not JSON"),
    "NaN": ('[{"role": "user", "content": NaN}]', "NaN is no JSON"),
    "a key twice": ('[{"role": "user", "role": "user"}]', "a key stands twice"),
    "too deep in text": ("[" * 100_000, "nested too deep"),
    "too long": ("x" * (MAX_CHARS + 1), "at most"),
    "too many": ([{"role": "user"}] * (MAX_MESSAGES + 1), "at most 10000 messages"),
    "no object": ([1], "message 0 is int and no object"),
    "no role": ([{"content": "x"}], "there is no role NoneType"),
    "other role": ([{"role": "root"}], "there is no role 'root'"),
    "not JSON's": ([{"role": "user", "content": b"x"}], "bytes is nothing that JSON has"),
    "too deep": ([{"role": "user", "content": _DEEP}], "nested deeper than 200"),
    "no answer": ([USE], "message 0: call 't1' has no answer"),
    "answered late": ([USE, {"role": "assistant", "content": "x"}, ANSWER], "call 't1' has no answer"),
    "answer alone": ([ANSWER], "an answer to 't1', which was not asked"),
    "answered twice": ([USE, ANSWER, ANSWER], "answered already"),
    "asked twice": ([USE, ANSWER, USE, ANSWER], "there are two calls 't1'"),
    "no id": ([_with(USE, id=...)], "a call has an id"),
    "long id": ([_with(USE, id="x" * 201)], "a call has an id"),
    "no name": ([_with(USE, name=...)], "has no name"),
    "no input": ([_with(USE, input="code")], "the input of call 't1' is no object"),
    "no code": ([_with(USE, input={"code": 1})], "has no text 'code'"),
    "block without type": ([{"role": "assistant", "content": [{}]}], "a block without a type"),
    "is_error": ([USE, _with(ANSWER, is_error="yes")], "neither true nor false"),
    "content": ([USE, _with(ANSWER, content=5)], "neither text nor a list"),
    "text": ([USE, _with(ANSWER, content=[{"type": "text", "text": 5}])], "a text block without text"),
    "inner first": ([_with(USE, id="c1_1", name="echo")], "comes before any cell"),
    "no base64": ([USE, _image(media_type="image/png", data="###")], "media: "),
    "no data": ([USE, _image(media_type="image/png")], "media: no base64 text"),
    "not an image": ([USE, _image(media_type="image/png", data="aGVsbG8gaGVsbG8gaGVsbG8=")], "no image/png"),
    "another image": ([USE, _image(media_type="image/png", data=Media(GIF).base64)], "no image/png but image/gif"),
    "arguments": ([_openai({"code": "1"})], "are no JSON text"),
    "arguments cut": ([_openai('{"code": ')], "not JSON"),
    "arguments a list": ([_openai("[]")], "is no object"),
    "tool_calls": ([{"role": "assistant", "tool_calls": "x"}], "tool_calls is no list"),
    "no function": ([_openai("{}", function=1)], "a tool call without a function"),
}  # fmt: skip


@pytest.mark.spec("B16.7")
@pytest.mark.parametrize("name", WRONG)
def test_a_damaged_or_hostile_transcript_is_refused(name: str) -> None:
    given, text = WRONG[name]
    with pytest.raises(TranscriptError) as caught:
        from_messages(given)
    assert text in str(caught.value)
    assert len(str(caught.value)) < 500


@pytest.mark.spec("B16.7")
def test_a_hostile_answer_of_a_call_is_refused() -> None:
    inner = _with(USE, id="c1_1", name="echo", input={})
    for answer in ('{"$wasmhost": "os.system", "v": "ls"}', '{"$wasmhost": "int", "v": "x"}', "[" * 150 + "]" * 150):
        turns = [USE, ANSWER, inner, _with(ANSWER, tool_use_id="c1_1", content=answer)]
        if answer.startswith("["):
            from_messages(turns)
            continue
        with pytest.raises(TranscriptError):
            from_messages(turns)


@pytest.mark.spec("B16.7")
def test_names_that_are_the_same_in_an_api_are_refused() -> None:
    with pytest.raises(TranscriptError, match=r"'a\.b' and 'a/b' are both 'a_b'"):
        from_messages([], names=["a/b", "a.b"])


@pytest.mark.spec("B14.3", "B16.7")
def test_no_more_media_are_read_than_a_result_has() -> None:
    """And a text of a hundred thousand lines that name an image is not taken apart line by line."""
    media = Media(PNG)
    line = f"[media: image/png, {len(media)} bytes, SHA-256 {media.sha256}]"
    image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{media.base64}"}}
    turns = [
        _openai('{"code": "1"}'),
        {"role": "tool", "tool_call_id": "t1", "content": "\n".join(["said", *[line] * 100_000])},
        {"role": "user", "content": [image]},
    ]
    [cell] = from_messages(turns)
    assert cell.media == (media,) * 12
    assert cell.text.count("\n") == 100_000 - 12


JSONISH = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=5)
    | st.sampled_from(["t1", "execute", "tool_use", "$wasmhost"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "id", "content", "text", "source", "tool_use_id", "input", "code", "role"]), inner
        )
    ),
    max_leaves=12,
)


@pytest.mark.spec("B16.7")
@given(
    st.lists(
        st.fixed_dictionaries(
            {"role": st.sampled_from(["assistant", "user", "tool"])},
            optional={"content": JSONISH, "tool_calls": JSONISH},
        )
    )
)
def test_nothing_but_a_transcript_error_is_raised(turns: list[dict[str, Any]]) -> None:
    try:
        from_messages([USE, ANSWER, *turns])
    except TranscriptError:
        pass
