"""A6: what goes to stdout and stderr, and how it is shown."""

import pytest

from tests.support.drivers import Driver
from tests.support.guests import Guest
from wasmhost import Limits
from wasmhost.session.session import Session

pytestmark = pytest.mark.spec("A6")


@pytest.mark.spec("A6.1")
@pytest.mark.parametrize("function", ["log", "info", "debug"])
def test_console_log_info_debug_go_to_stdout(javascript: Session, driver: Driver, function: str) -> None:
    result = driver.run(javascript, f"console.{function}('a', 1)")
    assert (result.stdout, result.stderr) == ("a 1\n", "")


@pytest.mark.spec("A6.2")
@pytest.mark.parametrize("function", ["warn", "error"])
def test_console_warn_error_go_to_stderr(javascript: Session, driver: Driver, function: str) -> None:
    result = driver.run(javascript, f"console.{function}('a', 1)")
    assert (result.stdout, result.stderr) == ("", "a 1\n")


@pytest.mark.spec("A6.3")
def test_print_and_sys_stderr(python: Session, driver: Driver) -> None:
    result = driver.run(python, "import sys\nprint('a', 1)\nprint('b', 2, file=sys.stderr)\nsys.stderr.write('c')")
    assert (result.stdout, result.stderr) == ("a 1\n", "b 2\nc")


@pytest.mark.spec("A6.4")
@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("undefined, null, true, -0, 1n, 1.5, NaN", "undefined null true -0 1n 1.5 NaN"),
        ("'text', Symbol('s')", "text Symbol(s)"),
        ("['a', 1, [2]]", "[ 'a', 1, [ 2 ] ]"),
        ("{ a: 'b', c: [1], 'd-e': null }", "{ a: 'b', c: [ 1 ], 'd-e': null }"),
        ("new Map([['k', 1]]), new Set(['x'])", "Map(1) { 'k' => 1 } Set(1) { 'x' }"),
        ("new Date(0)", "1970-01-01T00:00:00.000Z"),
        ("/a+/gi", "/a+/gi"),
        ("function f() {}, () => 1, class K {}", "[Function: f] [Function (anonymous)] [class K]"),
        ("new Uint8Array([1, 2])", "Uint8Array(2) [ 1, 2 ]"),
        ("Object.create(null), {}, []", "[Object: null prototype] {} {} []"),
        ("new (class Foo { x = 1 })()", "Foo { x: 1 }"),
        ("[1, , 3]", "[ 1, <1 empty item>, 3 ]"),
        ("{ get a() { return 1 } }", "{ a: [Getter] }"),
        ("Promise.resolve(4)", "Promise { 4 }"),
        ("[[[[1]]]]", "[ [ [ [Array] ] ] ]"),
        ("'%s-%d', 'a', 4, 'rest'", "a-4 rest"),
        ("'100%', 1", "100% 1"),
        ("", ""),
    ],
)
def test_values_are_shown_as_in_the_repl_of_the_language(
    javascript: Session, driver: Driver, code: str, shown: str
) -> None:
    assert driver.run(javascript, f"console.log({code})").stdout == f"{shown}\n"


@pytest.mark.spec("C7.1")
@pytest.mark.parametrize(
    "code", ["Array(1e6).fill(1)", "new Uint8Array(4e6)", "new Set(Array(1e5).keys())", "[[Array(1e6)]]"]
)
def test_a_large_value_is_shown_by_its_beginning_and_at_once(javascript: Session, driver: Driver, code: str) -> None:
    result = driver.run(javascript, f"console.log({code})")
    assert result.ok, result.error
    assert len(result.stdout) < 20_000


def test_a_cycle_is_shown_as_one(javascript: Session, driver: Driver) -> None:
    shown = driver.run(javascript, "const a = { n: 1 }; a.self = a; console.log(a)").stdout
    assert shown == "<ref *1> { n: 1, self: [Circular *1] }\n"


def test_python_values_are_shown_by_str(python: Session, driver: Driver) -> None:
    result = driver.run(python, "print(None, True, 1.5, 'a', ['b', (1,)], {'k': {2}}, b'x', sep='|', end='!')")
    assert result.stdout == "None|True|1.5|a|['b', (1,)]|{'k': {2}}|b'x'!"


def test_output_is_exact_and_belongs_to_its_cell(session: Session, guest: Guest, driver: Driver) -> None:
    first = driver.run(session, guest.pick(python="print('a\\n\\nb', end='')", javascript="console.log('a\\n\\nb')"))
    assert first.stdout == guest.pick(python="a\n\nb", javascript="a\n\nb\n")
    second = driver.run(session, guest.out("c"))
    assert second.stdout == "c\n"
    third = driver.run(session, "1")
    assert (third.stdout, third.stderr) == ("", "")


def test_what_a_failed_cell_printed_is_kept(session: Session, guest: Guest, driver: Driver) -> None:
    fail = guest.pick(python="1 / 0", javascript="null.x")
    result = driver.run(session, f"{guest.out('before')}\n{guest.err('also')}\n{fail}")
    assert not result.ok
    assert (result.stdout, result.stderr) == ("before\n", "also\n")


@pytest.mark.parametrize("text", ["é", "😀", "\u2028", "\x1b[31m", "a\rb", "\0", "x" * 20_000, "é" * 9_000])
def test_any_text_comes_through(session: Session, guest: Guest, driver: Driver, text: str) -> None:
    code = guest.pick(python="print({})", javascript="console.log({})").format(ascii_literal(text))
    assert driver.run(session, code).stdout == f"{text}\n"


def ascii_literal(text: str) -> str:
    return (
        '"' + "".join(f"\\u{unit:04x}" for unit in memoryview(text.encode("utf-16-le")).cast("H")) + '"'
        if (all(ord(c) < 0x10000 for c in text))
        else f"'{text}'"
    )


def test_lone_surrogates_and_broken_bytes_never_break_a_result(session: Session, guest: Guest, driver: Driver) -> None:
    code = guest.pick(
        python="import sys\nprint('\\ud800')\nsys.stdout.buffer.write(b'\\xff\\xfe\\n')",
        javascript="console.log('\\ud800')",
    )
    result = driver.run(session, code)
    assert result.ok
    result.stdout.encode()
    assert len(result.stdout) >= 2


@pytest.mark.spec("C5.1")
def test_a_flood_is_kept_head_and_tail_with_its_exact_count(session: Session, guest: Guest, driver: Driver) -> None:
    code = guest.pick(
        python="for i in range(30_000): print(f'line {i:06}')",
        javascript="for (let i = 0; i < 30_000; i++) console.log('line ' + String(i).padStart(6, '0'))",
    )
    result = driver.run(session, code, limits=Limits(stdout_bytes=1_000))
    assert result.ok, result.error
    assert result.stdout.startswith("line 000000\n")
    assert result.stdout.endswith("line 029999\n")
    assert result.output_elided == {"stdout": 30_000 * 12 - 1_000, "stderr": 0}


@pytest.mark.spec("D10.1")
def test_output_can_be_followed_in_order_while_a_cell_runs(session: Session, guest: Guest, driver: Driver) -> None:
    heard: list[tuple[str, bytes]] = []
    code = "\n".join([guest.out("one"), guest.err("two"), guest.out("three"), guest.spin])
    result = driver.run(
        session, code, limits=Limits(script_ms=50), on_output=lambda stream, data: heard.append((stream, data))
    )
    assert not result.ok
    assert heard == [("stdout", b"one\n"), ("stderr", b"two\n"), ("stdout", b"three\n")]
    assert (result.stdout, result.stderr) == ("one\nthree\n", "two\n")


def test_a_rejection_that_nobody_handles_is_told(javascript: Session, driver: Driver) -> None:
    result = driver.run(javascript, "Promise.reject(new Error('dropped'))\n'third'")
    assert (result.ok, result.value) == (True, "third")
    assert "dropped" in result.stderr
    assert driver.run(javascript, "'fourth'").stderr == ""


@pytest.mark.spec("C6.3")
def test_a_timer_of_an_earlier_cell_prints_nothing_in_a_later_one(javascript: Session, driver: Driver) -> None:
    assert driver.value(javascript, "setTimeout(() => console.log('late'), 5)\n1") == 1
    result = driver.run(javascript, "await new Promise((done) => setTimeout(done, 30))\n'second'")
    assert (result.value, result.stdout) == ("second", "")
