"""C11: an error shows message and frames of the guest's own code, with cell and line, and never the machinery."""

import pytest

from tests.support.drivers import Driver
from tests.support.guests import Guest
from wasmhost import RuntimeFailure
from wasmhost.session.session import Session

pytestmark = pytest.mark.spec("C11")

MACHINERY = (
    "prelude",
    "<eval>",
    "wasmhost",
    "runpy",
    "linecache",
    "run_until_complete",
    "_run_cell",
    "/usr",
    "/work",
    "/home",
)


def failed(session: Session, driver: Driver, code: str) -> RuntimeFailure:
    result = driver.run(session, code)
    assert isinstance(result, RuntimeFailure)
    for word in MACHINERY:
        assert word not in result.error, result.error
    for frame in result.error_frames:
        assert frame.cell is not None
        assert frame.line is not None
    return result


def places(result: RuntimeFailure) -> list[tuple[int | None, int | None, str]]:
    return [(frame.cell, frame.line, frame.function) for frame in result.error_frames]


@pytest.mark.spec("C11.1", "C11.2")
def test_frames_of_two_cells_with_their_lines_and_source(session: Session, guest: Guest, driver: Driver) -> None:
    define = guest.pick(
        python="def parse(row):\n    # a comment\n    return row.missing.thing",
        javascript="function parse(row) {\n  // a comment\n  return row.missing.thing\n}",
    )
    assert driver.run(session, define).ok
    result = failed(session, driver, f"{guest.assign('rows', '[1]')}\n\nparse(rows[0])")
    assert result.error_type == guest.pick(python="AttributeError", javascript="TypeError")
    frames = list(result.error_frames)
    if guest.name == "python":
        frames.reverse()
    inner, outer = frames
    assert (inner.cell, inner.line, inner.function) == (1, 3, "parse")
    assert (outer.cell, outer.line) == (2, 3)
    assert inner.source.strip() == "return row.missing.thing"
    assert outer.source == "parse(rows[0])"
    assert inner.column is not None
    assert inner.column > 4
    assert guest.pick(python="missing", javascript="thing") in result.error
    for text in guest.pick(
        python=['"<cell 1>", line 3', '"<cell 2>", line 3'], javascript=["<cell 1>:3:", "<cell 2>:3:"]
    ):
        assert text in result.error


def test_python_shows_carets_where_the_language_does(python: Session, driver: Driver) -> None:
    result = failed(python, driver, "x = 0\n(1 + 2) / x + 3")
    assert result.error == (
        "Traceback (most recent call last):\n"
        '  File "<cell 1>", line 2, in <module>\n'
        "    (1 + 2) / x + 3\n"
        "    ~~~~~~~~^~~\n"
        "ZeroDivisionError: division by zero"
    )


@pytest.mark.spec("C11.1")
@pytest.mark.parametrize(
    ("code", "kind", "line", "column", "source"),
    [
        ("x = 1\ny = (2", "SyntaxError", 2, 5, "y = (2"),
        ("if True:\npass", "IndentationError", 2, 1, "pass"),
        ("x = 'é' +", "SyntaxError", 1, 10, "x = 'é' +"),
        ("def f():\n\treturn 1\n        return 2", "TabError", 3, None, "        return 2"),
        ("return 5", "SyntaxError", 1, 1, "return 5"),
        ("break", "SyntaxError", 1, 1, "break"),
        ("x: int = 3\nglobal x\ndef f():\n  y = 1\n  global y", "SyntaxError", None, None, None),
        ("print 'a'", "SyntaxError", 1, 1, "print 'a'"),
        ("'\\N{no such}'", "SyntaxError", 1, None, None),
    ],
)
def test_a_python_syntax_error_names_line_and_column(
    python: Session, driver: Driver, code: str, kind: str, line: int | None, column: int | None, source: str | None
) -> None:
    result = failed(python, driver, code)
    assert result.error_type == kind
    if line is not None:
        frame = result.error_frames[-1]
        assert (frame.cell, frame.line) == (1, line)
        assert column is None or frame.column == column
        assert source is None or frame.source == source.strip()
        assert f"line {line}" in result.error


@pytest.mark.spec("C11.1")
@pytest.mark.parametrize(
    ("code", "line", "column"),
    [
        ("let x = 1\nlet y = ;", 2, 9),
        ("function f() {\n  return (\n}", 3, 1),
        ("let a = 1\nlet a = 2", 2, None),
        ("'é'; }", 1, 6),
        ("await", 1, None),
        ("({ a: 1, )", 1, 10),
        ("for (;;", 1, None),
    ],
)
def test_a_javascript_syntax_error_names_line_and_column(
    javascript: Session, driver: Driver, code: str, line: int, column: int | None
) -> None:
    result = failed(javascript, driver, code)
    assert result.error_type == "SyntaxError"
    frame = result.error_frames[0]
    assert (frame.cell, frame.line) == (1, line)
    assert column is None or frame.column == column
    assert f"<cell 1>:{line}" in result.error


def test_chained_python_exceptions_are_all_shown(python: Session, driver: Driver) -> None:
    result = failed(
        python, driver, "try:\n    {}['region']\nexcept KeyError as e:\n    raise RuntimeError('load') from e"
    )
    assert result.error_type == "RuntimeError"
    assert result.error_message == "load"
    for text in ("KeyError: 'region'", "direct cause", "RuntimeError: load"):
        assert text in result.error
    result = failed(python, driver, "try:\n    1 / 0\nfinally:\n    undefined_name")
    for text in ("ZeroDivisionError", "During handling of the above exception", "undefined_name"):
        assert text in result.error


def test_exception_groups_and_notes_are_shown(python: Session, driver: Driver) -> None:
    result = failed(
        python, driver, "e = ExceptionGroup('g', [ValueError(1), TypeError('t')]); e.add_note('hint')\nraise e"
    )
    assert result.error_type == "ExceptionGroup"
    for text in ("ValueError: 1", "TypeError: t", "hint"):
        assert text in result.error


def test_causes_and_aggregates_of_javascript_are_shown(javascript: Session, driver: Driver) -> None:
    result = failed(javascript, driver, "throw new Error('outer', { cause: new TypeError('inner') })")
    assert "TypeError: inner" in result.error
    result = failed(javascript, driver, "await Promise.any([Promise.reject(new Error('one')), Promise.reject(2)])")
    assert result.error_type == "AggregateError"
    assert "Error: one" in result.error
    result = failed(javascript, driver, "class Mine extends Error { name = 'Mine'; code = 42 }\nthrow new Mine('m')")
    assert (result.error_type, result.error_message) == ("Mine", "m")
    assert "code: 42" in result.error


@pytest.mark.parametrize(
    ("code", "kind", "text"),
    [
        ("throw { code: 42, detail: 'bad' }", "Object", "code: 42"),
        ("throw 'plain'", "string", "plain"),
        ("throw 3", "number", "3"),
        ("throw null", "null", "null"),
        ("throw undefined", "undefined", "undefined"),
        ("throw [1, 2]", "Array", "1, 2"),
        ("throw () => 1", "Function", "Function"),
    ],
)
def test_whatever_is_thrown_is_legible(javascript: Session, driver: Driver, code: str, kind: str, text: str) -> None:
    result = failed(javascript, driver, code)
    assert text in result.error
    assert "[object" not in result.error
    assert result.error_type is not None
    assert result.error_type.lower() == kind.lower()


@pytest.mark.parametrize(
    ("python", "javascript"),
    [
        (
            "import asyncio\nasync def f():\n    await asyncio.sleep(0)\n    1 / 0\nawait f()",
            "async function f() {\n  await null\n\n  null.x\n}\nawait f()",
        ),
        (
            "async def f():\n    pass\n    pass\n    1 / 0\nawait f()",
            "async function f() {\n\n\n  null.x\n}\nf()",
        ),
    ],
)
def test_frames_of_async_code(session: Session, guest: Guest, driver: Driver, python: str, javascript: str) -> None:
    result = failed(session, driver, guest.pick(python=python, javascript=javascript))
    assert (1, 4, "f") in places(result)


def test_an_error_in_a_callback_of_a_timer_names_its_place(javascript: Session, driver: Driver) -> None:
    result = driver.run(
        javascript, "setTimeout(function tick() {\n  null.x\n}, 1)\nawait new Promise((d) => setTimeout(d, 20))"
    )
    text = result.stderr if result.ok else result.error or ""
    assert "<cell 1>:2:3" in text


@pytest.mark.spec("C11.2")
def test_frames_of_libraries_show_no_paths(python: Session, driver: Driver) -> None:
    result = failed(python, driver, "import json\njson.loads('{bad')")
    assert places(result) == [(1, 2, "<module>")]
    assert result.error_type == "JSONDecodeError"
    assert "json.decoder" in result.error
    assert "/" not in result.error


def test_the_text_of_earlier_cells_is_found_by_the_language_itself(python: Session, driver: Driver) -> None:
    assert driver.run(python, "import inspect, traceback\n\ndef area(r):\n    return 3 * r * r").ok
    assert driver.run(python, "def other():\n    pass").ok
    assert driver.value(python, "inspect.getsource(area)").rstrip() == "def area(r):\n    return 3 * r * r"
    text = driver.value(python, "try:\n    area('x')\nexcept TypeError:\n    text = traceback.format_exc()\ntext")
    assert "return 3 * r * r" in text
    assert "<cell 1>" in text


def test_a_deep_recursion_is_told_shortly(session: Session, guest: Guest, driver: Driver) -> None:
    code = guest.pick(python="def r():\n    return r()\nr()", javascript="function r() {\n  return r()\n}\nr()")
    result = failed(session, driver, code)
    assert len(result.error) < 20_000
    assert len(result.error_frames) <= 256


def test_cell_numbers_count_every_cell(session: Session, guest: Guest, driver: Driver) -> None:
    for code in ("1", "", guest.pick(python="1 / 0", javascript="null.x")):
        driver.run(session, code)
    result = failed(session, driver, guest.pick(python="1 / 0", javascript="null.x"))
    assert result.error_frames[0].cell == 4


def test_errors_look_the_same_from_either_driver(session: Session, guest: Guest, driver: Driver) -> None:
    code = guest.pick(python="def f():\n    missing\nf()", javascript="function f() {\n  missing\n}\nf()")
    mine = failed(session, driver, code)
    with guest.runtime() as other:
        theirs = other.run(code)
    assert (mine.error, list(mine.error_frames)) == (theirs.error, list(theirs.error_frames))


@pytest.mark.spec("C11")
@pytest.mark.parametrize("last", ["1 / 0", "print(1 / 0)", "await fail()"])
def test_a_last_expression_that_raises_behind_an_await_fails_the_cell(
    python: Session, driver: Driver, last: str
) -> None:
    code = f"import asyncio\nasync def fail(): return 1 / 0\nawait asyncio.sleep(0)\n{last}"
    result = driver.run(python, code)
    assert result.error_type == "ZeroDivisionError"
    assert result.stderr == ""
