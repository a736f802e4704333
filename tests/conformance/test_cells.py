"""What a cell may be, and what its value is: top-level await, a returned value, the last expression; declarations."""

import pytest

from tests.support.drivers import Driver
from wasmhost.session.session import Session


@pytest.mark.spec("A4.1")
@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("await Promise.resolve(3)", 3),
        ("const later = (ms) => new Promise((done) => setTimeout(done, ms, 'x')); await later(1)", "x"),
        ("let n = 0; for await (const i of [1, Promise.resolve(2)]) n += i; n", 3),
        ("(await Promise.all([1, Promise.resolve(2)])).length", 2),
        ("const f = async () => 4; const got = await f(); got", 4),
    ],
)
def test_javascript_awaits_at_top_level(javascript: Session, driver: Driver, code: str, value: object) -> None:
    assert driver.value(javascript, code) == value


@pytest.mark.spec("A4.2")
@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("return 5", 5),
        ("if (true) { return 'early' }\n'late'", "early"),
        ("const n = await Promise.resolve(2); return n * 3", 6),
        ("for (const i of [1, 2, 3]) if (i === 2) return i", 2),
    ],
)
def test_javascript_returns_at_top_level(javascript: Session, driver: Driver, code: str, value: object) -> None:
    assert driver.value(javascript, code) == value


@pytest.mark.spec("A4.3")
@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("1 + 1", 2),
        ("let a = 1; a + 1;", 2),
        ("({ a: 1 })", {"a": 1}),
        ("[1, 2].map((x) => x * 2)", [2, 4]),
        ("if (true) { 'in a block' }", "in a block"),
    ],
)
def test_javascript_gives_its_last_expression(javascript: Session, driver: Driver, code: str, value: object) -> None:
    assert driver.value(javascript, code) == value


@pytest.mark.spec("A4.4")
@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("import asyncio\nawait asyncio.sleep(0, 3)", 3),
        ("import asyncio\nx = await asyncio.sleep(0, 3)\nx + 1", 4),
        ("import asyncio\nasync def f(): return 2\nsum(await asyncio.gather(f(), f()))", 4),
    ],
)
def test_python_awaits_at_top_level(python: Session, driver: Driver, code: str, value: object) -> None:
    assert driver.value(python, code) == value


@pytest.mark.spec("A4.5")
@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("async def g():\n    yield 1\n    yield 2\nseen = []\nasync for x in g(): seen.append(x)\nseen", [1, 2]),
        ("async def g():\n    yield 1\n    yield 2\n[x async for x in g()]", [1, 2]),
        (
            "from contextlib import asynccontextmanager\n@asynccontextmanager\nasync def c(): yield 7\n"
            "async with c() as x: pass\nx",
            7,
        ),
    ],
)
def test_python_has_async_for_and_with_at_top_level(python: Session, driver: Driver, code: str, value: object) -> None:
    assert driver.value(python, code) == value


@pytest.mark.spec("A4.6")
def test_python_gives_its_last_expression_and_no_statement(python: Session, driver: Driver) -> None:
    assert driver.value(python, "x = 1\nx + 1") == 2
    assert driver.value(python, "'a';\n[x]") == [1]
    for statement in ("y = 5", "for i in [1]: i", "def f(): return 1", "if True: 3"):
        result = driver.run(python, statement)
        assert result.ok
        assert not result.has_value, statement


@pytest.mark.spec("C9.1")
@pytest.mark.parametrize(
    ("code", "value"),
    [
        # As in the language: the element of the promise is awaited, which is not there.
        ("const f = async () => [4, 5]\nconst a = await f()\n[0]\ntypeof a", "undefined"),
        ("const g = async () => ({ b: 2 })\nlet c = (await g())\n.b\nc", 2),
        ("const h = async () => 6\nconst d = await h()\n+ 1\nd", 7),
    ],
)
def test_an_await_that_goes_on_in_the_next_line_is_one_expression(
    javascript: Session, driver: Driver, code: str, value: object
) -> None:
    assert driver.value(javascript, code) == value


@pytest.mark.spec("C9.2")
@pytest.mark.parametrize("await_", ["", "await undefined\n"])
def test_a_declaration_at_the_end_stays_one(javascript: Session, driver: Driver, await_: str) -> None:
    for code, use, value in (
        ("function f() { return 1 }", "f()", 1),
        ("class C { static n = 2 }", "C.n", 2),
        ("async function g() { return 3 }", "await g()", 3),
    ):
        result = driver.run(javascript, await_ + code)
        assert result.ok, result.error
        assert not result.has_value
        assert driver.value(javascript, use) == value


@pytest.mark.spec("C10.1")
@pytest.mark.parametrize("first", ["let x = 1", "const x = 1", "class x {}", "function x() {}", "var x = 1"])
@pytest.mark.parametrize("second", ["let x = 2", "const x = 2", "class x { static n = 2 }", "function x() {}"])
def test_a_name_can_be_declared_again_in_a_later_cell(
    javascript: Session, driver: Driver, first: str, second: str
) -> None:
    assert driver.run(javascript, first).ok
    again = driver.run(javascript, second)
    assert again.ok, again.error
    expected = "number" if second.startswith(("let", "const")) else "function"
    assert driver.value(javascript, "typeof x") == expected


@pytest.mark.spec("C10.2")
@pytest.mark.parametrize("code", ["let x = 1; let x = 2", "const y = 1; var y = 2", "class z {}; let z"])
def test_within_one_cell_it_stays_an_error(javascript: Session, driver: Driver, code: str) -> None:
    result = driver.run(javascript, code)
    assert not result.ok
    assert result.error_type == "SyntaxError"
