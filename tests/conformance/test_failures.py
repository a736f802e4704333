"""A3: whatever a cell does is a result; only misuse of the host API raises."""

from typing import Any

import pytest

from tests.support.drivers import Driver
from tests.support.guests import Guest
from wasmhost import Limits, LimitsError
from wasmhost.session.session import Session

pytestmark = pytest.mark.spec("A3")

OUT_OF_MEMORY = ("MemoryError", "RangeError", "InternalError")


@pytest.mark.spec("A3.1", "A7.3")
@pytest.mark.parametrize(
    ("python", "javascript", "kinds", "text"),
    [
        ("x = (", "let x = (", ("SyntaxError",), ""),
        ("def f(:\n  pass", "function f(", ("SyntaxError",), ""),
        ("if True:\nx = 1", "let let = 1", ("IndentationError", "SyntaxError"), ""),
        ("1 / 0", "null.x", ("ZeroDivisionError", "TypeError"), ""),
        ("missing", "missing", ("NameError", "ReferenceError"), "missing"),
        ("raise Exception", "throw new Error", ("Exception", "Error"), ""),
        ("raise KeyboardInterrupt", "throw null", ("KeyboardInterrupt", "null", "object"), ""),
        ("raise SystemExit('bye')", "throw undefined", ("SystemExit", "undefined"), ""),
        ("exit()", "throw Symbol('s')", ("SystemExit", "symbol"), ""),
        ("import os; os._exit(3)", "throw 3", ("SystemExit", "GuestCrash", "number"), "3"),
        ("raise GeneratorExit", "Promise.reject(new Error('late'))", ("GeneratorExit", "Error"), ""),
        ("import asyncio; await asyncio.Future()", "await new Promise(() => {})", ("DeadlockError",), ""),
        (
            "import nothing_of_that_name",
            "import('nothing')",
            ("ModuleNotFoundError", "Error", "TypeError", "SyntaxError"),
            "",
        ),
        ("def r(): return r()\nr()", "function r() { return r() }\nr()", ("RecursionError", "RangeError"), ""),
        ("bytearray(1 << 30)", "new ArrayBuffer(1 << 30)", OUT_OF_MEMORY, ""),
        ("'x' * (1 << 31)", "'x'.repeat(2 ** 31)", (*OUT_OF_MEMORY, "OverflowError"), ""),
        ("", "", ("SyntaxError",), "empty"),
        ("\n \t\n", "\n \t\n", ("SyntaxError",), "empty"),
        ("'\ud800'", "'\ud800'", ("SyntaxError",), "surrogate"),
    ],
)
def test_a_failure_is_a_result_and_the_session_goes_on(
    session: Session, guest: Guest, driver: Driver, python: str, javascript: str, kinds: tuple[str, ...], text: str
) -> None:
    assert driver.run(session, guest.assign("kept", "7")).ok
    result = driver.run(session, guest.pick(python=python, javascript=javascript))
    assert not result.ok
    assert result.error_type in kinds
    assert text in result.error
    assert result.error_type in result.error or guest.name == "javascript"
    assert (result.has_value, result.value, result.value_text) == (False, None, "")
    assert result.state in ("kept", "restored")
    assert driver.value(session, "kept") == 7


@pytest.mark.spec("A7.1", "C4.1")
def test_the_default_timeout_of_a_bare_runtime_is_one_second(session: Session, guest: Guest, driver: Driver) -> None:
    result = driver.run(session, guest.spin)
    assert not result.ok
    assert result.stop is not None
    assert (result.stop.limit, result.stop.layer, result.state) == ("script", "soft", "kept")
    assert 1_000 <= result.stop.used < 10_000
    assert "1000 ms" in result.error


@pytest.mark.spec("A3.2", "A7.2")
@pytest.mark.parametrize(
    ("python", "javascript"),
    [
        ("while True: pass", "for (;;) {}"),
        ("import time; time.sleep(100)", "await new Promise((done) => setTimeout(done, 100_000))"),
        ("import asyncio; await asyncio.sleep(100)", "await new Promise((done) => setInterval(() => 1, 5))"),
        ("sum(iter(int, 1))", "[1].map(function f() { for (;;) {} })"),
        ("import re; re.match('(a+)+$', 'a' * 40 + 'b')", "/(a+)+$/.test('a'.repeat(40) + 'b')"),
        ("9 ** 9 ** 9", "let n = 9n; for (;;) n *= 9n"),
        ("async def f():\n  while True: pass\nawait f()", "await (async () => { for (;;) await null })()"),
        ("class A:\n  def __repr__(self):\n    while True: pass\nA()", "({ get [Symbol.toStringTag]() { for (;;); }})"),
        ("class A:\n  def __del__(self):\n    while True: pass\nA()", "JSON.stringify({ toJSON() { for (;;) {} } })"),
    ],
)  # fmt: skip
def test_whatever_takes_too_long_is_stopped(
    session: Session, guest: Guest, driver: Driver, python: str, javascript: str
) -> None:
    assert driver.run(session, guest.assign("kept", "7")).ok
    result = driver.run(session, guest.pick(python=python, javascript=javascript), limits=Limits(script_ms=50))
    assert not result.ok
    assert result.stop is not None, result.error
    assert result.stop.limit == "script"
    assert result.state == ("kept" if result.stop.layer == "soft" else "restored")
    assert driver.value(session, "kept") == 7


@pytest.mark.spec("C4.2", "C4.3", "D6.1")
@pytest.mark.parametrize(
    "code",
    [
        "while True:\n  try:\n    while True: pass\n  except BaseException: pass",
        "import asyncio\nwhile True:\n  try: await asyncio.sleep(1)\n  except BaseException: pass",
        "import time\nwhile True:\n  try: time.sleep(1)\n  except BaseException: pass",
    ],
)
def test_python_that_catches_everything_is_ended_and_the_state_before_it_comes_back(
    python: Session, driver: Driver, code: str
) -> None:
    assert driver.run(python, "kept = 7").ok
    result = driver.run(python, f"kept = 8\n{code}", limits=Limits(script_ms=50))
    assert not result.ok
    assert result.stop is not None
    assert (result.stop.limit, result.stop.layer, result.state) == ("script", "hard", "restored")
    assert driver.value(python, "kept") == 7


@pytest.mark.spec("C4.1")
def test_javascript_cannot_catch_a_stop(javascript: Session, driver: Driver) -> None:
    code = "for (;;) { try { for (;;) {} } catch { } finally { continue } }"
    result = driver.run(javascript, code, limits=Limits(script_ms=50))
    assert not result.ok
    assert result.stop is not None
    assert result.stop.limit == "script"
    assert driver.value(javascript, "1 + 1") == 2


MISUSE: list[tuple[Any, dict[str, Any], type[Exception], str]] = [
    (b"1", {}, TypeError, "code must be a str, not bytes"),
    (None, {}, TypeError, "code must be a str, not NoneType"),
    ("1", {"limits": 3}, TypeError, "limits must be a Limits, not int"),
    ("1", {"limits": Limits(stack_bytes=1 << 20)}, LimitsError, "stack_bytes"),
    ("1", {"limits": Limits(script_ms=2_000)}, LimitsError, "script_ms"),
    ("1", {"limits": Limits(memory_bytes=1 << 20)}, LimitsError, "memory_bytes of 1048576 is below what the .* image"),
]


@pytest.mark.spec("A3.5")
@pytest.mark.parametrize(("code", "options", "kind", "text"), MISUSE)
def test_misuse_raises_and_leaves_the_session_as_it_was(
    session: Session, driver: Driver, code: Any, options: dict[str, Any], kind: type[Exception], text: str
) -> None:
    with pytest.raises(kind, match=text):
        driver.run(session, code, **options)
    assert driver.value(session, "1 + 1") == 2


def test_a_memory_limit_below_the_image_is_refused_with_the_figure(guest: Guest) -> None:
    needed = guest.runtime()._image.memory_bytes
    with pytest.raises(LimitsError, match=f"below what the {guest.runtime.image_name} image itself needs: {needed}"):
        guest.runtime(limits=Limits(memory_bytes=1 << 20))
    with guest.runtime(limits=Limits(memory_bytes=needed)) as session:
        session.run("1")


def test_an_error_of_the_hosts_own_listener_comes_out(session: Session, guest: Guest, driver: Driver) -> None:
    def listener(stream: str, data: bytes) -> None:
        raise LookupError("mine")

    assert driver.run(session, guest.assign("kept", "7")).ok
    with pytest.raises(LookupError, match="mine"):
        driver.run(session, f"{guest.out('x')}\n{guest.spin}", on_output=listener)
    assert driver.value(session, "kept") == 7
