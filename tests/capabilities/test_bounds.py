"""What guest code can make the host hold of its calls, and messages that no honest guest sends."""

from typing import Any

import pytest

from tests.support.drivers import Driver
from tests.support.guests import Guest
from tests.support.tools import call, caught
from wasmhost import CapabilityDefinitionError, Limits, capability
from wasmhost.capabilities.registered import RegisteredTools
from wasmhost.capabilities.session import KEPT_BYTES


@capability(inline=True)
def take(data: str) -> int:
    return len(data)


@capability(inline=True)
def give(n: int) -> str:
    return "x" * n


def loop(guest: Guest, count: int, body: str) -> str:
    if guest.name == "python":
        return f"for i in range({count}): {body}"
    return f"for (let i = 0; i < {count}; i++) await {body}"


@pytest.mark.spec("D1")
def test_records_keep_values_up_to_a_bound(guest: Guest, driver: Driver) -> None:
    size = KEPT_BYTES // 4
    text = guest.pick(python=f"s = 'x' * {size}\n", javascript=f"var s = 'x'.repeat({size});")
    with guest.runtime(capabilities=[take, give], policy="allow", limits=Limits(script_ms=60_000)) as session:
        body = guest.pick(python="tools.take(data=s)", javascript="tools.take({ data: s })")
        result = driver.run(session, text + loop(guest, 8, body))
        assert result.ok, result.error
        kept = [record.input for record in result.calls if isinstance(record.input, dict)]
        assert len(result.calls) == 8
        assert len(kept) == 3
        body = guest.pick(python=f"tools.give(n={size})", javascript=f"tools.give({{ n: {size} }})")
        result = driver.run(session, loop(guest, 8, body))
        assert sum(len(record.result) for record in result.calls) < KEPT_BYTES + 8 * 200


@pytest.mark.spec("D6")
def test_a_cell_with_more_calls_than_the_journal_takes_is_gone_back_to_all_the_same(
    guest: Guest, driver: Driver
) -> None:
    limits = Limits(calls=10_000, script_ms=60_000)
    with guest.runtime(capabilities=[give], policy="allow", limits=limits) as session:
        body = guest.pick(python="tools.give(n=1)", javascript="tools.give({ n: 1 })")
        assert driver.run(session, loop(guest, 5_000, body)).ok
        assert driver.run(session, guest.assign("kept", "7")).ok
        result = driver.run(session, guest.spin_that_cannot_be_asked, limits=Limits(script_ms=100))
        assert result.state == "restored"
        assert driver.value(session, "kept") == 7


@capability(inline=True)
def look_at(value: Any) -> str:
    return type(value).__name__


def deep(guest: Guest, depth: int, of: str) -> str:
    """Defines a value that is nested that deep, in lists or in objects with lists."""
    inner = {"lists": "[deep]", "objects": guest.pick(python="{'a': [deep]}", javascript="{ a: [deep] }")}[of]
    return str(
        guest.pick(
            python=f"deep = []\nfor _ in range({depth}): deep = {inner}\n",
            javascript=f"var deep = []; for (let i = 0; i < {depth}; i++) deep = {inner}; ",
        )
    )


@pytest.mark.spec("C7", "D6")
@pytest.mark.parametrize("value_depth", [1, 64, 200])
@pytest.mark.parametrize("of", ["lists", "objects"])
def test_arguments_that_are_nested_deep_are_refused_and_the_session_goes_on(
    guest: Guest, of: str, value_depth: int
) -> None:
    with guest.runtime(capabilities=[look_at], policy="allow", limits=Limits(value_depth=value_depth)) as session:
        assert session.run(guest.assign("kept", "5")).ok
        told = []
        for depth in (1, 20, 45, 65, 72, 73, 85, 99, 100, 150, 198, 199, 201, 400):
            assert session.run(deep(guest, depth, of) + "0").ok
            for call_ in (
                guest.pick(python="tools.look_at(deep)", javascript="(await tools.look_at({ value: deep }))"),
                guest.pick(
                    python="(await tools.look_at.start(deep))", javascript="(await tools.look_at({ value: deep }))"
                ),
            ):
                result = session.run(caught(guest, call_))
                assert result.ok, (depth, result.error)
                told.append(result.value)
            assert session.run("kept").value == 5
        assert told[0] in ("list", "dict")
        if value_depth < 200:
            assert ["ValueError", "the arguments are nested too deep"] in told


@pytest.mark.spec("C7", "D6")
@pytest.mark.parametrize("depth", [60, 73, 99, 150, 199, 400])
def test_tools_of_a_guest_with_schemas_and_results_that_are_nested_deep(
    guest: Guest, driver: Driver, depth: int
) -> None:
    register = guest.pick(
        python="registerTool('mine', 'd', {'type': 'object', 'x': deep}, lambda args: deep)",
        javascript="registerTool('mine', 'd', { type: 'object', x: deep }, () => deep)",
    )
    with guest.runtime(capabilities=[look_at], policy="allow") as session:
        assert driver.run(session, guest.assign("kept", "5")).ok
        driver.run(session, deep(guest, depth, "objects") + register)
        for code in (
            register,
            register.replace("'x': deep", "").replace("x: deep", ""),
            guest.pick(python="tools.mine()", javascript="await tools.mine({})"),
        ):
            result = driver.run(session, code)
            assert result.error_type not in ("GuestCrash", "ProtocolError"), result.error
            assert result.state == "kept"
        assert driver.value(session, "kept") == 5


def test_arguments_beyond_the_limit_are_refused_and_not_read(guest: Guest, driver: Driver) -> None:
    limits = Limits(value_bytes=1000, script_ms=60_000)
    with guest.runtime(capabilities=[take], policy="allow", limits=limits) as session:
        large = guest.pick(
            python="tools.take(data='x' * (5 << 20))", javascript="(await tools.take({ data: 'x'.repeat(5 << 20) }))"
        )
        kind, message = driver.value(session, caught(guest, large))
        assert kind == "ValueError"
        assert "too large" in message
        assert driver.value(session, call(guest, "take", sync=True, data="abc")) == 3


def test_a_definition_of_megabytes_is_refused(guest: Guest, driver: Driver) -> None:
    schema = guest.pick(
        python="{'type': 'object', 'title': 'x' * (1 << 20)}",
        javascript="({ type: 'object', title: 'x'.repeat(1 << 20) })",
    )
    handler = guest.pick(python="lambda input: 1", javascript="() => 1")
    with guest.runtime(policy="allow") as session:
        result = driver.run(session, f"registerTool('t', 'd', {schema}, {handler})")
        assert not result.ok
        # The JavaScript guest does not even pass it on.
        assert guest.pick(python="at most 262144 bytes", javascript="schema must be") in (result.error or "")


def test_sixty_five_tools_are_one_too_many(guest: Guest, driver: Driver) -> None:
    code: Any = guest.pick(
        python="for i in range(65): registerTool(f't{i}', 'd', {'type': 'object'}, lambda input: 1)",
        javascript="for (let i = 0; i < 65; i++) registerTool(`t${i}`, 'd', { type: 'object' }, () => 1)",
    )
    with guest.runtime(policy="allow") as session:
        result = driver.run(session, code)
        assert not result.ok
        assert "64 tools are registered" in (result.error or "")
        assert len(session.registered_tools) == 64


@pytest.mark.spec("B17.2")
@pytest.mark.parametrize("part", ["displayName", "name"])
def test_a_definition_with_a_huge_number_for_a_text_is_refused(part: str) -> None:
    definition = {"name": "t", "description": "", "schema": {}, part: 1 << 100_000}
    with pytest.raises(CapabilityDefinitionError, match="not int"):
        RegisteredTools({}).register(definition)


@pytest.mark.spec("D1", "B17.2")
def test_the_schemas_of_all_tools_are_bounded_together() -> None:
    tools = RegisteredTools({})
    schema = {"type": "object", "properties": {f"p{i}": {"type": "string", "pattern": "a{900}"} for i in range(10)}}
    for name in ("a", "b", "c"):
        tools.register({"name": name, "description": "", "schema": schema})
    with pytest.raises(CapabilityDefinitionError, match="too large together"):
        tools.register({"name": "d", "description": "", "schema": schema})
    # One that takes the place of another counts in its stead.
    tools.register({"name": "c", "description": "", "schema": schema})
    assert len(tools.tools) == 3
