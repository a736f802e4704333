"""Calls as guests make them: both languages, every driver."""

import asyncio
import contextvars
import threading
import time
from typing import Any

import anyio
import pytest
from pydantic import BaseModel

from tests.support.drivers import Driver
from tests.support.guests import Guest
from tests.support.tools import call, caught
from wasmhost import CallRecord, Capability, CapabilityError, Limits, capability, current_call
from wasmhost.session.session import Session


class User(BaseModel):
    id: int
    name: str


async def fetch_user(user_id: int, fields: list[str] | None = None) -> User:
    """Read one user."""
    await anyio.sleep(0)
    return User(id=user_id, name=",".join(fields or ["all"]))


def add(a: int, b: int = 10) -> int:
    """Adds."""
    return a + b


@capability(inline=True)
def double(n: float) -> float:
    return n * 2


@capability(name="fs.read")
def read(path: str) -> str:
    return f"content of {path}"


def session_with(guest: Guest, *capabilities: Any, **options: Any) -> Session:
    return guest.runtime(capabilities=capabilities, **{"policy": "allow", **options})


@pytest.mark.spec("A10.1", "A10.2", "B10.7")
def test_sync_async_and_inline_capabilities_answer(guest: Guest, driver: Driver) -> None:
    with session_with(guest, fetch_user, add, double, read) as session:
        assert driver.value(session, call(guest, "add", sync=True, a=1, b=2)) == 3
        assert driver.value(session, call(guest, "add", sync=True, a=1)) == 11
        assert driver.value(session, call(guest, "fetch_user", user_id=7)) == {"id": 7, "name": "all"}
        assert driver.value(session, call(guest, "double", sync=True, n=1.5)) == 3
        assert driver.value(session, call(guest, "fs.read", sync=True, path="a")) == "content of a"


def test_positional_arguments_and_the_bare_name(guest: Guest, driver: Driver) -> None:
    code = guest.pick(
        python="[add(1, 2), tools.add(1, b=5), tools['fs.read']('x'), fs.read('y')]",
        javascript="[await add(1, 2), await tools.add(1), await tools['fs.read']('x'), await fs.read('y')]",
    )
    with session_with(guest, add, read) as session:
        values = driver.value(session, code)
    assert values == [3, guest.pick(python=6, javascript=11), "content of x", "content of y"]


def test_a_bare_name_never_hides_what_is_there(guest: Guest) -> None:
    @capability(inline=True)
    def isNaN(x: int) -> str:
        return "the tool"

    @capability(inline=True)
    def print(x: int) -> str:
        return "the tool"

    @capability(inline=True)
    def mine(x: int) -> str:
        return "the tool"

    with session_with(guest, isNaN, print, mine) as session:
        builtin = guest.pick(
            python="print is __builtins__.print if hasattr(__builtins__, 'print') else True", javascript="isNaN(1)"
        )
        assert session.run(builtin).value is guest.pick(python=True, javascript=False)
        assert session.run(guest.assign("mine", "5")).ok
        assert session.run("mine").value == 5
        assert session.run(call(guest, "mine", sync=True, x=1)).value == "the tool"


@pytest.mark.spec("B6")
@pytest.mark.parametrize("how", ["assigned", "deleted", "declared"])
def test_tools_is_put_back_before_each_cell(guest: Guest, how: str) -> None:
    code = {
        "assigned": guest.pick(python="tools = 5", javascript="globalThis.tools = 5"),
        "deleted": guest.pick(python="del tools", javascript="delete globalThis.tools"),
        "declared": guest.pick(python="class tools: pass", javascript="const tools = 5"),
    }[how]
    with session_with(guest, add) as session:
        session.run(code)
        assert session.run(call(guest, "add", sync=True, a=1)).value == 11


def test_a_tool_that_is_not_there_names_what_is(guest: Guest, driver: Driver) -> None:
    with session_with(guest, fetch_user) as session:
        result = driver.run(session, call(guest, "fetch_usr", user_id=1))
    assert not result.ok
    assert "fetch_user" in result.error


@pytest.mark.spec("B10.2")
def test_a_wrong_argument_is_an_exception_that_says_what_was_expected(guest: Guest, driver: Driver) -> None:
    runs: list[int] = []

    def strict(count: int) -> None:
        runs.append(count)

    with session_with(guest, strict) as session:
        kind, message = driver.value(session, caught(guest, call(guest, "strict", sync=True, count="many")))
        assert kind == "TypeError"
        assert "'count'" in message
        assert "integer" in message
        assert "'many'" in message
        result = driver.run(session, call(guest, "strict", sync=True))
        assert not result.ok
        assert "'count' is missing" in result.error
    assert runs == []
    (record,) = result.calls
    assert (record.state, record.executed) == ("failed", False)


@pytest.mark.spec("A3.4", "B10.11")
def test_an_error_arrives_with_type_message_and_call_id(guest: Guest, driver: Driver) -> None:
    async def lookup(id: int) -> None:
        raise ValueError(f"row {id} missing")

    def fail() -> None:
        raise CapabilityError("not today", type="QuotaError")

    with session_with(guest, lookup, fail) as session:
        assert driver.value(session, caught(guest, call(guest, "lookup", id=7))) == ["ValueError", "row 7 missing"]
        kind, message = driver.value(session, caught(guest, call(guest, "fail", sync=True)))
        assert "QuotaError" in kind + message
        assert "not today" in message
        result = driver.run(session, call(guest, "lookup", id=8))
    assert not result.ok
    assert "ValueError" in result.error
    assert "row 8 missing" in result.error
    assert "lookup" in result.error
    (record,) = result.calls
    assert record.state == "failed"
    assert record.error == ("ValueError", "row 8 missing")
    assert record.executed


def test_no_path_or_traceback_of_the_host_reaches_the_guest(guest: Guest) -> None:
    import os

    def opens() -> None:
        open(os.path.join(os.getcwd(), "no-such-file"))  # noqa: SIM115

    def tells() -> None:
        raise RuntimeError(f"bad thing in {os.getcwd()}/x.py")

    with session_with(guest, opens, tells) as session:
        for name in ("opens", "tells"):
            result = session.run(call(guest, name, sync=True))
            assert not result.ok
            assert os.getcwd() not in result.to_json()
            assert "Traceback" not in (result.calls[0].error or ("", ""))[1]


def test_errors_under_gather_go_to_whoever_awaits(guest: Guest, driver: Driver) -> None:
    async def work(n: int) -> int:
        await anyio.sleep(0.001)
        if n == 1:
            raise ValueError("one refused")
        return n * 10

    code = guest.pick(
        python="import asyncio\n"
        "got = await asyncio.gather(*(tools.work(n=n) for n in range(3)), return_exceptions=True)\n"
        "[str(x) for x in got]",
        javascript="(await Promise.allSettled([0, 1, 2].map(n => tools.work({ n }))))"
        ".map(r => String(r.value ?? r.reason.message))",
    )
    with session_with(guest, work) as session:
        assert driver.value(session, code) == ["0", "one refused", "20"]
        first = guest.pick(
            python="import asyncio\nasync def go():\n    async with asyncio.TaskGroup() as g:\n"
            "        for n in range(3): g.create_task(tools.work(n=n))\n"
            "try:\n    await go()\nexcept* ValueError as e:\n    out = str(e.exceptions[0])\nout",
            javascript="try { await Promise.all([0, 1, 2].map(n => tools.work({ n }))) }"
            " catch (e) { out = e.message } out",
        )
        assert driver.value(session, first if guest.name == "python" else f"var out; {first}") == "one refused"


@pytest.mark.spec("B22.2")
def test_calls_run_in_parallel_and_answers_keep_their_order(guest: Guest, driver: Driver) -> None:
    together = most = 0

    async def work(i: int) -> int:
        nonlocal together, most
        together += 1
        most = max(most, together)
        await anyio.sleep(0.02 if i % 2 else 0.002)
        together -= 1
        return i * 10

    code = guest.pick(
        python="import asyncio\nawait asyncio.gather(*(tools.work(i=i) for i in range(20)))",
        javascript="await Promise.all(Array.from({ length: 20 }, (_, i) => tools.work({ i })))",
    )
    with session_with(guest, work, limits=Limits(parallel_calls=4)) as session:
        result = driver.run(session, code)
    assert result.value == [i * 10 for i in range(20)]
    assert 2 <= most <= 4
    assert [record.state for record in result.calls] == ["completed"] * 20


@pytest.mark.spec("B22.2")
@pytest.mark.parametrize(("options", "most_allowed"), [({"concurrency": 2}, 2), ({"exclusive": True}, 1)])
def test_a_capability_bounds_its_own_parallel_calls(
    guest: Guest, driver: Driver, options: Any, most_allowed: int
) -> None:
    lock = threading.Lock()
    together = most = 0

    @capability(**options)
    def work(i: int) -> int:
        nonlocal together, most
        with lock:
            together += 1
            most = max(most, together)
        time.sleep(0.005)
        with lock:
            together -= 1
        return i

    code = guest.pick(
        python="import asyncio\nawait asyncio.gather(*(tools.work.start(i=i) for i in range(8)))",
        javascript="await Promise.all(Array.from({ length: 8 }, (_, i) => tools.work({ i })))",
    )
    with session_with(guest, work) as session:
        assert driver.value(session, code) == list(range(8))
    assert most <= most_allowed


def test_bytes_cross_both_ways_as_they_are(guest: Guest, driver: Driver) -> None:
    def size_of(data: bytes) -> int:
        assert isinstance(data, bytes)
        return len(data)

    async def blob(n: int) -> dict[str, Any]:
        return {"a": bytes(range(256)) * n, "b": [b"x", b"yz"]}

    code = guest.pick(
        python="got = await tools.blob(n=4)\n"
        "[tools.size_of(data=got['a']), got['a'][255], got['b'][1], type(got['a']).__name__]",
        javascript="var got = await tools.blob({ n: 4 });"
        "[await tools.size_of({ data: got.a }), got.a[255], got.b[1], got.a.constructor.name]",
    )
    with session_with(guest, size_of, blob) as session:
        expected = [1024, 255, b"yz", guest.pick(python="bytes", javascript="Uint8Array")]
        assert driver.value(session, code) == expected


def test_several_answers_with_bytes_at_a_time(guest: Guest, driver: Driver) -> None:
    async def blob(n: int) -> bytes:
        await anyio.sleep(0.001)
        return bytes([n]) * 10

    code = guest.pick(
        python="import asyncio\nawait asyncio.gather(*(tools.blob(n=n) for n in range(5)))",
        javascript="await Promise.all([0, 1, 2, 3, 4].map(n => tools.blob({ n })))",
    )
    with session_with(guest, blob) as session:
        assert driver.value(session, code) == [bytes([n]) * 10 for n in range(5)]


VALUES: list[Any] = [
    None, True, 1, -5, 2**53 - 1, 1.5, float("inf"), -0.0, "", "text", "\ud800", "\u2028 \x00", [], [[1], {}],
    {"a": {"b": [None]}}, {"$wasmhost": "int", "v": "x"}, b"bytes", 2**70,
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_values_come_back_as_they_went(guest: Guest, value: Any) -> None:
    def give() -> Any:
        return value

    seen: list[Any] = []

    def take(value: Any) -> None:
        seen.append(value)

    with session_with(guest, give, take) as session:
        code = guest.pick(
            python="tools.take(value=tools.give())", javascript="await tools.take({ value: await tools.give() })"
        )
        result = session.run(code)
        assert result.ok, result.error
    assert seen == [value]
    assert repr(seen[0]) == repr(value)


def test_a_result_that_cannot_be_passed_is_an_error_of_the_capability(guest: Guest) -> None:
    def odd() -> Any:
        return object()

    def cyclic() -> Any:
        loop: list[Any] = []
        loop.append(loop)
        return loop

    def wrong() -> int:
        return "no number"  # type: ignore[return-value]

    with session_with(guest, odd, cyclic, wrong) as session:
        for name, said in (("odd", "object cannot be passed"), ("cyclic", "a cycle"), ("wrong", "does not fit")):
            result = session.run(call(guest, name, sync=True))
            assert not result.ok
            assert said in result.error
            assert result.calls[0].executed


def test_a_value_of_megabytes_crosses(guest: Guest, driver: Driver) -> None:
    def big() -> str:
        return "é" * (1 << 20) + "end"

    def length(text: str) -> int:
        return len(text)

    code = guest.pick(
        python="x = tools.big()\n[len(x), tools.length(text=x)]",
        javascript="var x = await tools.big(); [x.length, await tools.length({ text: x })]",
    )
    with session_with(guest, big, length) as session:
        assert driver.value(session, code) == [(1 << 20) + 3] * 2


def test_a_capability_knows_its_call_and_the_callers_context(guest: Guest, driver: Driver) -> None:
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="nothing")
    seen: list[tuple[str, str]] = []

    def note(kind: str) -> None:
        record = current_call()
        assert record is not None
        seen.append((f"{kind} {record.name}", variable.get()))

    def plain() -> None:
        note("plain")

    @capability(inline=True)
    def here() -> None:
        note("here")

    async def later() -> None:
        await anyio.sleep(0)
        note("later")

    token = variable.set("the caller's")
    try:
        with session_with(guest, plain, here, later) as session:
            for name in ("plain", "here", "later"):
                assert driver.run(session, call(guest, name, sync=name != "later")).ok
    finally:
        variable.reset(token)
    assert [name for name, _ in seen] == ["plain plain", "here here", "later later"]
    assert [value for name, value in seen if name != "here here"] == ["the caller's"] * 2
    assert current_call() is None


def test_run_inside_a_running_loop_is_refused_with_async_capabilities_only(guest: Guest) -> None:
    async def inside(session: Session) -> Any:
        return session.run("1")

    with session_with(guest, fetch_user) as session, pytest.raises(RuntimeError, match=r"await session\.execute"):
        asyncio.run(inside(session))
    with session_with(guest, add) as session:
        assert asyncio.run(inside(session)).value == 1


def test_calls_per_cell_are_limited(guest: Guest, driver: Driver) -> None:
    code = guest.pick(
        python="n = 0\ntry:\n    while True:\n        tools.double(n=1); n += 1\n"
        "except Exception as e:\n    out = [n, str(e)]\nout",
        javascript="var n = 0, out; try { for (;;) { await tools.double({ n: 1 }); n++ } }"
        " catch (e) { out = [n, e.message] } out",
    )
    with session_with(guest, double, limits=Limits(calls=5)) as session:
        result = driver.run(session, code)
        assert result.value == [5, "the limit of 5 calls in one cell is spent"]
        assert len(result.calls) == 5
        assert any("refused" in note for note in result.notes)
        assert driver.value(session, call(guest, "double", sync=True, n=1)) == 2


def test_the_json_of_a_result_holds_the_calls(guest: Guest) -> None:
    with session_with(guest, add, read) as session:
        result = session.run(call(guest, "add", sync=True, a=1))
    import json

    (made,) = json.loads(result.to_json())["calls"]
    assert made["name"] == "add"
    assert made["input"] == {"a": 1, "b": 10}
    assert made["result"] == 11
    assert made["state"] == "completed"
    assert [step["step"] for step in made["steps"]] == ["schema", "permission", "execute", "output", "complete"]


def test_capabilities_of_one_name_or_attribute_are_refused() -> None:
    from wasmhost import CapabilityDefinitionError, PythonRuntime

    made = Capability.of(add)
    with pytest.raises(CapabilityDefinitionError, match="given twice"):
        PythonRuntime(capabilities=[add, made])
    with pytest.raises(CapabilityDefinitionError, match="would both be"):
        PythonRuntime(capabilities=[_named("a-b"), _named("a_b")])
    with pytest.raises(CapabilityDefinitionError, match="namespace at once"):
        PythonRuntime(capabilities=[_named("fs"), _named("fs.read")])


def _named(name: str) -> Capability:
    return Capability.from_json_schema(name, lambda: None, {"type": "object"})


def test_a_tool_from_a_json_schema(guest: Guest, driver: Driver) -> None:
    async def remote(**arguments: Any) -> Any:
        return arguments

    tool = Capability.from_json_schema(
        "srv.look-up",
        remote,
        {"type": "object", "properties": {"q": {"type": "string", "pattern": "^(a+)+$"}}, "required": ["q"]},
    )
    with session_with(guest, tool) as session:
        assert driver.value(session, call(guest, "srv.look_up", q="aa", more=1)) == {"q": "aa", "more": 1}
        result = driver.run(session, call(guest, "srv.look_up", q="a" * 100 + "!"))
        assert not result.ok
        assert "'q'" in result.error


def test_records_are_records(guest: Guest) -> None:
    with session_with(guest, add) as session:
        (record,) = session.run(call(guest, "add", sync=True, a=1)).calls
    assert isinstance(record, CallRecord)
    assert record.id.startswith("c1.")
    assert record.duration_ms >= 0


@pytest.mark.parametrize("kind", ["inline", "sync", "async"])
def test_a_capability_that_exits_fails_and_the_program_goes_on(guest: Guest, driver: Driver, kind: str) -> None:
    import sys

    @capability(inline=kind == "inline", name="leave")
    def leave() -> None:
        sys.exit(3)

    @capability(name="leave")
    async def leave_async() -> None:
        raise KeyboardInterrupt

    with session_with(guest, leave_async if kind == "async" else leave) as session:
        result = driver.run(session, call(guest, "leave", sync=kind != "async"))
        assert not result.ok
        assert result.calls[0].state == "failed"
        assert driver.value(session, "1 + 1") == 2
