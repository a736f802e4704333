"""What JavaScript cells see of tools: the object, calls, errors, bytes; also after a cell that broke all else."""

from collections.abc import Iterator
from typing import Any

import anyio
import pytest

from wasmhost import JavaScriptRuntime, capability
from wasmhost.session.session import Session


@capability(inline=True)
def echo(value: Any = None, other: Any = None) -> Any:
    """Gives back what it got.

    Not shown.
    """
    return [value, other]


@capability(name="fs.read", inline=True)
def read(path: str) -> str:
    """Reads a file."""
    return f"content of {path}"


@capability(name="my-tool", inline=True)
def my_tool() -> str:
    return "dashed"


@capability(inline=True)
def refuse(type: str = "ValueError") -> None:
    raise {"ValueError": ValueError, "TypeError": TypeError}[type]("it does not do")


@capability(inline=True)
def flip(data: bytes) -> bytes:
    return data[::-1]


async def slow(value: Any = None) -> Any:
    await anyio.sleep(0)
    return value


async def never() -> None:
    await anyio.sleep_forever()


async def slow_refuse() -> None:
    await anyio.sleep(0)
    raise ValueError("later")


@pytest.fixture
def session() -> Iterator[Session]:
    tools: list[Any] = [echo, read, my_tool, refuse, flip, slow, slow_refuse, never]
    with JavaScriptRuntime(capabilities=tools, policy="allow") as made:
        yield made


def value(session: Session, code: str) -> Any:
    result = session.run(code)
    assert result.ok, result.error
    return result.value


def error(session: Session, code: str) -> str:
    result = session.run(code)
    assert not result.ok
    return str(result.error)


def test_tools_lists_itself(session: Session) -> None:
    listing = session.run("tools").value_text
    assert "tools.fs.read(" in listing
    assert 'tools["my-tool"]' in listing
    assert "Gives back what it got." in listing
    assert "Not shown" not in listing
    assert value(session, "Object.keys(tools)") == [
        "echo", "fs", "my-tool", "refuse", "flip", "slow", "slow_refuse", "never",
    ]  # fmt: skip
    assert value(session, "Object.keys(tools.fs)") == ["read"]
    there = "['fs.read' in tools, 'fs' in tools, 'nope' in tools, tools.fs.read === tools['fs.read']]"
    assert value(session, there) == [True, True, False, True]
    assert "tools.fs.read(" in session.run("console.log(tools.fs)").stdout


def test_an_exact_name_and_its_identifier_are_one_tool(session: Session) -> None:
    assert value(session, "[await tools['my-tool'](), await tools.my_tool(), await my_tool()]") == ["dashed"] * 3


def test_an_unknown_name_says_what_is_near(session: Session) -> None:
    assert "did you mean tools.fs.read?" in error(session, "tools.fs.raed")
    assert "did you mean tools.echo?" in error(session, "tools.ecko({})")
    assert "Object.keys(tools) lists" in error(session, "tools.somethingElseEntirely")


def test_what_the_language_asks_of_any_object_is_no_error(session: Session) -> None:
    code = "[await tools === tools, JSON.stringify(tools.fs), String(tools), tools[Symbol.iterator] === undefined]"
    assert value(session, code) == [True, "{}", "[object Object]", True]


@pytest.mark.parametrize(
    "code",
    [
        "tools.echo = 1", "tools.more = 1", "delete tools.echo", "tools.fs.read = 1", "Object.freeze(tools)",
        "Object.defineProperty(tools, 'echo', { value: 1 })", "Object.create(tools).x = 1",
    ],
)  # fmt: skip
def test_tools_cannot_be_changed(session: Session, code: str) -> None:
    assert "cannot be changed" in error(session, code)
    assert value(session, "await tools.echo(1)") == [1, None]


@pytest.mark.spec("B6")
def test_a_non_configurable_tools_is_replaced_too(session: Session) -> None:
    assert value(session, "Object.defineProperty(globalThis, 'tools', { value: 5 }); tools") == 5
    assert value(session, "await tools.echo(2)") == [2, None]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("{ value: 1, other: undefined }", [1, None]),
        ("1, 2", [1, 2]),
        ("1, undefined", [1, None]),
        ("[1], undefined, undefined", [[1], None]),
        ("{ a: 1 }, { b: 2 }", [{"a": 1}, {"b": 2}]),
        ("", [None, None]),
    ],
)
def test_one_object_is_the_named_arguments(session: Session, arguments: str, expected: list[Any]) -> None:
    assert value(session, f"await tools.echo({arguments})") == expected


def test_arguments_keep_their_types(session: Session) -> None:
    code = "const d = new Date(0), [v] = await tools.echo({ value: [d, 2n ** 70n, new Map([[1, 2]]), -0, NaN] }); v"
    got = value(
        session, f"{code}; [v[0] instanceof Date, v[1] === 2n ** 70n, v[2].get(1), Object.is(v[3], -0), v[4] !== v[4]]"
    )
    assert got == [True, True, 2, True, True]


@pytest.mark.parametrize("tool", ["echo", "slow"])
def test_bytes_cross_in_both_directions(session: Session, tool: str) -> None:
    code = (
        "const b = new Uint8Array(5_000_000); b[4_999_999] = 7; b[0] = 255;"
        f"let r = await tools.{tool}({{ value: [b, new Float64Array([1.5, 2]), b.subarray(0, 2)] }});"
        + ("r = r[0];" if tool == "echo" else "")
        + "[r[0].length, r[0][0], r[0][4_999_999], r[0] instanceof Uint8Array, r[1] instanceof Float64Array, "
        "r[1][1], r[2].length]"
    )
    assert value(session, code) == [5_000_000, 255, 7, True, True, 2, 2]
    assert value(session, "String(await tools.flip({ data: new Uint8Array([1, 2, 3]) }))") == "3,2,1"


def test_a_call_in_a_getter_of_the_result_does_not_mix_up_bytes(session: Session) -> None:
    code = (
        "const first = new Uint8Array([1, 2]); const p = [];"
        "({ first, get g() { p.push(tools.flip({ data: new Uint8Array([3, 4]) })); return 1 }, "
        "last: new Uint8Array([5, 6]) })"
    )
    assert value(session, code) == {"first": b"\x01\x02", "g": 1, "last": b"\x05\x06"}


@pytest.mark.spec("A3.4")
def test_errors_are_errors_of_the_language(session: Session) -> None:
    code = (
        "let e;\ntry {\n  await tools.{}\n} catch (caught) { e = caught }\n"
        "[e instanceof TypeError, e instanceof Error, e.name, e.message, typeof e.callId, e.tool, "
        "e.stack.split('\\n').pop().trim()]"
    )
    got = value(session, code.replace("{}", "refuse({ type: 'TypeError' })", 1))
    assert got[:4] == [True, True, "TypeError", "it does not do"]
    assert got[4:6] == ["string", "refuse"]
    assert ":3:" in got[6]
    got = value(session, code.replace("{}", "slow_refuse()", 1))
    assert got[:6] == [False, True, "ValueError", "later", "string", "slow_refuse"]
    assert ":3:" in got[6]


def test_an_uncaught_error_names_the_tool(session: Session) -> None:
    assert "tool: 'refuse'" in error(session, "await tools.refuse()")
    assert "tool: 'slow_refuse'" in error(session, "await Promise.all([tools.slow(1), tools.slow_refuse()])")


@pytest.mark.spec("B8")
@pytest.mark.parametrize(
    "use",
    [
        "'got ' + {}", "`${{}}`", "String({})", "[{}].join()", "JSON.stringify({ a: {} })", "({}).toString()", "+{}",
        "({ })[{}]", "'x'.concat({})",
    ],
)  # fmt: skip
@pytest.mark.parametrize("tool", ["echo", "slow"])
def test_a_call_that_is_not_awaited_is_no_text(session: Session, use: str, tool: str) -> None:
    text = error(session, use.replace("({ })", "({x: 1})").replace("{}", f"tools.{tool}()"))
    assert f"await tools.{tool}(...)" in text
    assert "TypeError" in text


def test_a_pending_call_as_argument_is_an_error(session: Session) -> None:
    assert "write `await` before it" in error(session, "await tools.echo({ value: tools.never() })")


def test_calls_of_an_ended_cell_never_settle(session: Session) -> None:
    assert session.run("var settled = 0; tools.never().then(() => settled++, () => settled++); 1").value == 1
    assert value(session, "await tools.slow(2); settled") == 0


def test_a_promise_of_a_call_is_a_promise(session: Session) -> None:
    code = (
        "const p = tools.slow(1); [p instanceof Promise, p.constructor === Promise, "
        "await Promise.race([p, new Promise(() => 1)])]"
    )
    assert value(session, code) == [True, True, 1]


BREAK = """
Promise.prototype.then = Promise.resolve = Promise.prototype.constructor = null;
Object.prototype.then = () => { throw 1 };
Array.prototype[Symbol.iterator] = Array.prototype.push = Array.prototype.map = null;
JSON.parse = JSON.stringify = Object.keys = Reflect.ownKeys = null;
Object.defineProperty(Object.prototype, 'callId', { set() { throw 2 } });
Error.prototype.name = 'x'; globalThis.Promise = undefined; globalThis.Error = undefined;
0
"""


def test_calls_go_on_after_a_cell_that_breaks_the_builtins(session: Session) -> None:
    assert value(session, BREAK) == 0
    assert value(session, "await tools.echo({ value: { a: [1] } })") == [{"a": [1]}, None]
    assert value(session, "await tools.slow('x')") == "x"
    got = value(session, "let e; try { await tools.refuse() } catch (c) { e = c } e.tool + ' ' + e.message")
    assert got == "refuse it does not do"
    assert "await tools.echo(...)" in error(session, "'' + tools.echo()")
