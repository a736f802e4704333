"""What Python code in the guest sees of tools."""

import asyncio
from typing import Any

import pytest

from wasmhost import Capability, PythonRuntime, capability


async def lookup(id: int, deep: bool = False) -> dict[str, int]:
    """Look a row up.

    More of it."""
    if id < 0:
        raise ValueError(f"row {id} missing")
    return {"id": id}


def add(a: int, b: int = 10) -> int:
    """Adds."""
    return a + b


@capability(name="fs.read")
def read(path: str) -> str:
    return path


def error_of(session: PythonRuntime, code: str) -> str:
    result = session.run(code)
    assert result.error is not None
    return result.error


def runtime(*capabilities: Any) -> PythonRuntime:
    return PythonRuntime(capabilities=capabilities or (lookup, add, read), policy="allow", approve=lambda request: True)


@pytest.mark.spec("A10.1")
def test_tools_tell_what_they_are() -> None:
    with runtime() as session:
        assert session.run("import inspect; str(inspect.signature(tools.add))").value == "(a: int, b: int = 10) -> int"
        assert session.run("[inspect.iscoroutinefunction(t) for t in (tools.lookup, tools.add)]").value == [True, False]
        assert session.run("[tools.add.__name__, tools.add.__doc__]").value == ["add", "Adds."]
        assert "tools.add(a: int, b: int = 10) -> int  # Adds." in session.run("print(tools)").stdout
        assert "More of it." in session.run("help(tools.lookup)").stdout
        assert session.run("[dir(tools), len(tools), 'fs.read' in tools, list(tools.fs)]").value == [
            ["add", "fs", "lookup"],
            3,
            True,
            ["read"],
        ]


def test_each_form_has_the_other_beside_it() -> None:
    with runtime() as session:
        assert session.run("[tools.lookup.call(3), await tools.add.start(1)]").value == [{"id": 3}, 11]
        assert session.run("import asyncio; asyncio.run(tools.lookup(4))").value == {"id": 4}
        assert session.run("await asyncio.wait_for(tools.lookup(5), 60)").value == {"id": 5}


@pytest.mark.parametrize("code", ["tools.x = 1", "tools.add.name = 1", "del tools.add", "tools.fs.y = 1"])
def test_tools_cannot_be_changed(code: str) -> None:
    with runtime() as session:
        assert "cannot be changed" in error_of(session, code)


@pytest.mark.parametrize(("code", "kind"), [("tools.lokup", "AttributeError"), ("tools['lokup']", "KeyError")])
def test_an_unknown_tool_names_what_is_near(code: str, kind: str) -> None:
    with runtime() as session:
        error = error_of(session, code)
    assert f"{kind}: there is no tool tools.lokup; did you mean lookup?" in error


@pytest.mark.spec("B8")
@pytest.mark.parametrize(
    "code",
    ["f'got {tools.lookup(1)}'", "'got ' + tools.lookup(1)", "'%s' % tools.lookup(1)", "'{}'.format(tools.lookup(1))"],
)
def test_a_call_that_is_not_awaited_is_no_text(code: str) -> None:
    with runtime() as session:
        assert "write `await tools.lookup(...)`" in error_of(session, code)
        assert session.run("repr(tools.lookup(1))").value == "<call of tools.lookup, not awaited>"


@pytest.mark.spec("B23")
def test_a_dropped_call_is_told() -> None:
    with runtime() as session:
        result = session.run("tools.lookup(1)\n2")
    assert [(record.name, record.state) for record in result.calls] == [("lookup", "never-started")]


def test_a_failure_knows_its_tool_and_its_call() -> None:
    with runtime() as session:
        result = session.run(
            "try:\n    await tools.lookup(-1)\nexcept ValueError as e:\n    out = [e.tool, bool(e.call_id)]\nout"
        )
        assert result.value == ["lookup", True]
        assert "in the call of tools.lookup (call " in error_of(session, "await tools.lookup(-1)")


def test_a_task_left_in_flight_fails_in_the_next_cell() -> None:
    async def forever() -> None:
        await asyncio.Event().wait()

    with runtime(forever) as session:
        session.run(
            "import asyncio\nt = asyncio.create_task(tools.forever())\nawait asyncio.sleep(0)\nawait asyncio.sleep(0)"
        )
        assert "the call was not awaited before its cell ended" in error_of(session, "await t")


@pytest.mark.spec("B17")
def test_a_registered_tool_is_run_by_later_cells() -> None:
    with runtime() as session:
        code = "async def up(i): return i['t'].upper()\n"
        code += "register_tool('up', 'Upper', {'type': 'object'}, up, display_name='Up')"
        assert session.run(code).value == "eval_registered__up"
        assert session.run("await tools.eval_registered__up(t='abc')").value == "ABC"
        assert session.run("[getTool('up')['displayName'], len(list_tools())]").value == ["Up", 1]
        assert session.run("def bad(i): raise ValueError('oops')\nregisterTool('bad', 'd', {}, bad)").ok
        assert "ValueError: oops" in error_of(session, "await tools.eval_registered__bad()")
        assert session.run("[unregister_tool('up'), 'eval_registered__up' in tools]").value == [True, False]
        assert "1 to 111 characters" in error_of(session, "register_tool('no name', 'd', {}, up)")


@pytest.mark.spec("A10.1")
def test_a_tool_may_be_called_as_what_every_mapping_has() -> None:
    names = ["cache.get", "items", "path", "_own", "x.keys", "x.path"]
    with runtime(*(Capability.of(echo, name=name) for name in names)) as session:
        code = "[tools.cache.get('a'), tools.items('b'), tools.path('c'), tools._own('d'), tools.x.path('e')]"
        assert session.run(code).value == list("abcde")
        assert "tools.x: 2 tools\ntools.x.keys(text: str)" in session.run("print(tools.x)").stdout
        assert "there is no tool tools.x.y" in error_of(session, "tools.x.y")
        assert "tools.x cannot be changed" in error_of(session, "tools.x.path = 1")
        assert session.run("list(tools.x.values())[0]('g')").value == "g"


def echo(text: str) -> str:
    return text


@pytest.mark.spec("B8")
def test_awaiting_a_plain_function_says_what_to_write() -> None:
    def add(n: int) -> int:
        return n

    with PythonRuntime(capabilities=[Capability.of(add, name="notes.add", read_only=True)]) as session:
        for code in ("await tools.notes.add(1)", "await notes.add(n=1)"):
            result = session.run(code)
            assert result.error_type == "TypeError"
            assert (result.error or "").endswith(
                "Note: tools.notes.add is a plain function: leave out the `await`, or write "
                "`await tools.notes.add.start(...)`."
            )
        assert session.run("await tools.notes.add.start(1)").value == 1
        # Only where it is about that.
        assert "Note:" not in (session.run("await 5").error or "")
        assert "Note:" not in (session.run("badd = lambda n: n\nawait badd(1)").error or "")
