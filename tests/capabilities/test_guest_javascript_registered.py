"""Tools that JavaScript cells register: definition, handlers, errors."""

from collections.abc import Iterator
from typing import Any

import pytest

from wasmhost import JavaScriptRuntime, capability
from wasmhost.session.session import Session


@capability(inline=True)
def double(n: float) -> float:
    return n * 2


@pytest.fixture
def session() -> Iterator[Session]:
    with JavaScriptRuntime(capabilities=[double], policy="allow", approve=lambda request: True) as made:
        yield made


def value(session: Session, code: str) -> Any:
    result = session.run(code)
    assert result.ok, result.error
    return result.value


def error(session: Session, code: str) -> str:
    result = session.run(code)
    assert not result.ok
    return str(result.error)


SCHEMA = "{ type: 'object', properties: { a: { type: 'number' } } }"


@pytest.mark.spec("B17")
def test_a_registered_tool_is_there_at_once_and_in_later_cells(session: Session) -> None:
    register = (
        f"registerTool('half', 'Halves', {SCHEMA}, async ({{ a }}) => (await tools.double({{ n: a }})) / 4, "
        "{ displayName: 'Half' })"
    )
    public = "eval_registered__half"
    assert value(session, f"const name = {register}; [name, name in tools]") == [public, True]
    assert value(session, f"await tools.{public}({{ a: 5 }})") == 2.5
    assert value(session, f"await Promise.all([1, 2, 3].map((a) => tools.{public}({{ a }})))") == [0.5, 1, 1.5]
    definition = value(session, "getTool('half')")
    assert definition["name"] == "half"
    assert definition["publicName"] == public
    assert definition["description"] == "Halves"
    assert definition["displayName"] == "Half"
    assert definition["schema"]["type"] == "object"
    assert value(session, "listTools().map((tool) => tool.name)") == ["half"]
    assert public in str(session.run("tools").value_text)
    assert value(session, f"[unregisterTool('half'), unregisterTool('half'), '{public}' in tools, listTools()]") == [
        True, False, False, [],
    ]  # fmt: skip


@pytest.mark.spec("B17")
@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ("'a b', 'd', {}, () => 1", "1 to 111 characters"),
        ("'', 'd', {}, () => 1", "1 to 111 characters"),
        ("'x'.repeat(112), 'd', {}, () => 1", "1 to 111 characters"),
        ("5, 'd', {}, () => 1", "1 to 111 characters"),
        ("'t', 5, {}, () => 1", "description"),
        ("'t', 'd', { a: 1n }, () => 1", "schema"),
        ("'t', 'd', { a() {} }, () => 1", "schema"),
        ("'t', 'd', [], () => 1", "schema"),
        ("'t', 'd', {}", "handler"),
        ("'t', 'd', {}, () => 1, { displayName: 5 }", "displayName"),
        ("'double', 'd', {}, () => 1", "taken"),
        ("'tools', 'd', {}, () => 1", "taken"),
    ],
)
def test_what_does_not_do_is_refused(session: Session, arguments: str, text: str) -> None:
    assert text in error(session, f"registerTool({arguments})")
    assert value(session, "listTools()") == []


@pytest.mark.spec("B17")
@pytest.mark.parametrize(
    ("handler", "text"),
    [
        ("() => { throw new RangeError('too far') }", "too far"),
        ("async () => { await null; throw new RangeError('too far') }", "too far"),
        ("() => { throw 'plain' }", "plain"),
        ("() => { throw { a: 1 } }", "a: 1"),
    ],
)
def test_what_a_handler_throws_is_a_readable_error(session: Session, handler: str, text: str) -> None:
    session.run(f"registerTool('t', 'd', {{ type: 'object' }}, {handler})")
    assert text in error(session, "await tools.eval_registered__t({})")
    assert value(session, "await tools.double({ n: 1 })") == 2


@pytest.mark.spec("B17")
def test_what_a_handler_returns_is_json_or_text(session: Session) -> None:
    session.run("registerTool('t', 'd', { type: 'object' }, ({ kind }) => [undefined, { a: [1] }, Symbol('s')][kind])")
    assert value(session, "await tools.eval_registered__t({ kind: 0 })") is None
    assert value(session, "await tools.eval_registered__t({ kind: 1 })") == {"a": [1]}
    assert "Symbol(s)" in str(value(session, "await tools.eval_registered__t({ kind: 2 })"))


def test_a_handler_that_never_ends_is_a_deadlock(session: Session) -> None:
    session.run("registerTool('t', 'd', { type: 'object' }, () => new Promise(() => {}))")
    assert "DeadlockError" in error(session, "await tools.eval_registered__t({})")
    assert value(session, "1") == 1


@pytest.mark.spec("B17")
def test_the_host_calls_a_registered_tool(session: Session) -> None:
    session.run(f"registerTool('t', 'd', {SCHEMA}, async ({{ a }}) => (await tools.double({{ n: a }})) + 1)")
    result = session.call_tool_blocking("t", {"a": 4})
    assert result.ok, result.error
    assert result.value == 9
    session.run("registerTool('u', 'd', { type: 'object' }, () => { throw new RangeError('no') })")
    failed = session.call_tool_blocking("u", {})
    assert not failed.ok
    assert "RangeError: no" in failed.error
