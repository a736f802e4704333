"""A1: every runtime is a CodeRuntime, without a language argument, and each can be replaced alone."""

import inspect
from typing import Any

import anyio
import pytest

import wasmhost
from tests.support.drivers import BACKENDS, Driver
from tests.support.guests import Guest
from wasmhost import CodeRuntime, JavaScriptRuntime, Limits, PythonRuntime, RuntimeSuccess, SessionClosed, WasmhostError
from wasmhost.session.session import Session

pytestmark = pytest.mark.spec("A1")


def test_a_runtime_is_a_code_runtime(guest: Guest, session: Session) -> None:
    assert isinstance(session, CodeRuntime)
    assert isinstance(session, guest.runtime)
    assert guest.runtime.language == guest.name
    assert inspect.iscoroutinefunction(session.execute)
    assert inspect.iscoroutinefunction(session.reset)


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_contract_is_all_that_a_caller_needs(guest: Guest, backend: str) -> None:
    async def use(runtime: CodeRuntime) -> list[Any]:
        first = await runtime.execute(guest.assign("x", "20"))
        second = await runtime.execute("x + 1")
        await runtime.reset()
        third = await runtime.execute("x")
        return [first.ok, second.value, third.ok]

    with guest.runtime() as runtime:
        assert anyio.run(use, runtime, backend=backend) == [True, 21, False]


def test_a_language_is_a_property_of_the_runtime_and_no_argument(guest: Guest, session: Session) -> None:
    for function in (guest.runtime, session.execute, session.run, session.reset):
        assert "language" not in inspect.signature(function).parameters
    with pytest.raises(AttributeError):
        _ = session.nothing_of_the_kind  # type: ignore[attr-defined]


class Other:
    """A runtime of somebody else: it takes the place of one of ours without knowing wasmhost's classes."""

    async def execute(self, code: str) -> RuntimeSuccess:
        raise NotImplementedError

    async def reset(self) -> None: ...


def test_what_keeps_the_contract_is_a_code_runtime_and_nothing_else_is() -> None:
    replaced: dict[str, CodeRuntime] = {"python": PythonRuntime(), "javascript": Other()}
    assert all(isinstance(runtime, CodeRuntime) for runtime in replaced.values())
    assert not isinstance(object(), CodeRuntime)
    assert not isinstance(Limits(), CodeRuntime)


def test_both_languages_live_side_by_side() -> None:
    with PythonRuntime() as python, JavaScriptRuntime() as javascript:
        assert python.run("x = 'py'").ok
        assert javascript.run("var x = 'js'").ok
        assert (python.run("x").value, javascript.run("x").value) == ("py", "js")


def test_sessions_of_one_image_know_nothing_of_each_other(guest: Guest) -> None:
    with guest.runtime() as one, guest.runtime() as other:
        assert one.run(guest.assign("x", "1")).ok
        result = other.run("x")
        assert not result.ok
        assert result.error_type in ("NameError", "ReferenceError")


def test_public_names() -> None:
    assert sorted(wasmhost.__all__) == wasmhost.__all__
    for name in wasmhost.__all__:
        assert getattr(wasmhost, name) is not None
        assert name in dir(wasmhost)
    assert wasmhost.__version__
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = wasmhost.nothing


def test_a_closed_runtime_says_so(guest: Guest, driver: Driver) -> None:
    session = guest.runtime()
    assert driver.run(session, "1 + 1").value == 2
    driver.close(session)
    driver.close(session)
    for misuse in (lambda: driver.run(session, "1"), lambda: driver.reset(session)):
        with pytest.raises(SessionClosed) as caught:
            misuse()
        assert isinstance(caught.value, WasmhostError)


@pytest.mark.parametrize("backend", BACKENDS)
def test_with_closes(guest: Guest, backend: str) -> None:
    with guest.runtime() as session:
        session.run("1")
    with pytest.raises(SessionClosed):
        session.run("1")

    async def use() -> None:
        async with guest.runtime() as other:
            await other.execute("1")
        with pytest.raises(SessionClosed):
            await other.execute("1")

    anyio.run(use, backend=backend)
