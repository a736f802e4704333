"""Cells of TypeScript: sessions, errors where they were written, and hostile input to what erases the types."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.drivers import Driver
from wasmhost import JavaScriptRuntime, Limits, RuntimeFailure, TypeScriptRuntime
from wasmhost.session.session import Session


@pytest.fixture
def typescript() -> Iterator[Session]:
    with TypeScriptRuntime() as made:
        yield made


def failed(session: Session, driver: Driver, code: str) -> RuntimeFailure:
    result = driver.run(session, code)
    assert not result.ok, result.value_text
    return result


# ---- values and sessions ----


@pytest.mark.spec("A4.7", "C9.2")
@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("let x: number = 1\nx as number", 1),
        ("const r: number = await Promise.resolve(2)\nr", 2),
        ("if (true as boolean) return 'early' as string\n1", "early"),
        ("{ a: 1 as number, b: 'x'! }", {"a": 1, "b": "x"}),
        ("{ a: 1 } as { a: number }", {"a": 1}),
        ("// a comment\n{ type: 'a' as const }", {"type": "a"}),
        ("{ let x: number = 3; x }", 3),
        ("interface A { x: 1 }", None),
        ("41 + 1\nenum E { A }", 42),
        ("6 * 7\nnamespace N { export const x = 1 }", 42),
        ("5\ntype T = number", 5),
        ("export {}\n7", 7),
        ("#!/usr/bin/env ts-node\nlet x: number = 8\nx", 8),
    ],
)
def test_a_cell_has_a_value(typescript: Session, driver: Driver, code: str, expected: Any) -> None:
    assert driver.value(typescript, code) == expected


@pytest.mark.spec("A4.7")
def test_only_types_are_no_value(typescript: Session, driver: Driver) -> None:
    result = driver.run(typescript, "interface A { x: number }\ntype B = A\ndeclare const c: B")
    assert result.ok
    assert not result.has_value


@pytest.mark.spec("A9", "C10.1")
def test_names_live_from_cell_to_cell_and_can_be_declared_again(typescript: Session, driver: Driver) -> None:
    driver.value(typescript, "const n: number = 1; enum E { A = 1, B }; class C<T> { constructor(public v: T) {} }")
    driver.value(typescript, "namespace N { export const x = 2 }")
    assert driver.value(typescript, "[n, E.B, E[1], new C<string>('v').v, N.x]") == [1, 2, "A", "v", 2]
    driver.value(typescript, "const n: string = 'again'; enum E { C = 5 }; namespace N { export const y = 3 }")
    assert driver.value(typescript, "[n, JSON.stringify(E), Object.keys(N)]") == ["again", '{"5":"C","C":5}', ["y"]]


@pytest.mark.spec("A9")
def test_a_cell_that_fails_keeps_what_it_had_bound(typescript: Session, driver: Driver) -> None:
    driver.value(typescript, "enum E { A = 'old' }")
    failed(typescript, driver, "const before: number = 1; throw new Error('x') as unknown; enum E { A = 'new' }")
    assert driver.value(typescript, "[before as number, E.A]") == [1, "old"]


@pytest.mark.spec("A1")
def test_it_is_a_runtime_of_its_own(driver: Driver) -> None:
    assert (TypeScriptRuntime.language, JavaScriptRuntime.language) == ("typescript", "javascript")
    with JavaScriptRuntime() as javascript, TypeScriptRuntime() as typescript:
        assert failed(javascript, driver, "let x: number = 1").error_type == "SyntaxError"
        driver.value(typescript, "let x: number = 1")
        assert driver.value(javascript, "typeof x") == "undefined"
        driver.reset(typescript)
        assert driver.value(typescript, "typeof x as string") == "undefined"


def test_javascript_that_the_grammar_does_not_know_runs_all_the_same(typescript: Session, driver: Driver) -> None:
    assert driver.value(typescript, "var as = 1, r; [as, r] = [2, 3]; ({ as: r } = { as: 4 }); r") == 4


@pytest.mark.spec("A5.5")
def test_types_are_not_checked(typescript: Session, driver: Driver) -> None:
    code = "const wrong: number = 'text'\nwrong.missing?.at('all' as never) ?? (wrong as boolean)"
    assert driver.value(typescript, code) == "text"


@pytest.mark.spec("C9.1")
def test_an_await_that_goes_on_in_the_next_line_is_one_expression(typescript: Session, driver: Driver) -> None:
    assert driver.value(typescript, "const x: number = await Promise.resolve(1)\n  .then((n: number) => n + 1)\nx") == 2


# ---- errors ----


@pytest.mark.spec("A5.4", "C11.1")
@pytest.mark.parametrize(
    ("code", "line", "column", "message"),
    [
        ("let x: number = ;", 1, 17, "unexpected token in expression: ';'"),
        ("interface A { x: }", 1, 18, "unexpected token: '}'"),
        ("\n\ntype A = ", 3, 10, "unexpected end of the code"),
        ("let x: number =", 1, 16, "unexpected end of the code"),
        ("enum A { B, C D }", 1, 15, "unexpected token: 'D'"),
        ("let ok: string = 'é'\nconst a: Array<number = []", 2, 23, "unexpected token: '='"),
        ("const é: string = 'ü'; const b: = 1", 1, 33, "unexpected token: '='"),
        ("class A { x: number y: string }", 1, 21, "unexpected token: 'y'"),
        ("function f(a: number {\n}", 1, 22, "Unexpected token '{'"),
        ("type T = {\n  a: string\n  b number\n}", 3, 5, "unexpected token: 'number'"),
        ("class A {\n  constructor(public { a }: any) {}\n}", 2, 15, "binding pattern"),
        ("const x = <div>text</div>", 1, None, "unexpected end of the code"),
        ("const f = (a: number => a", 1, 22, "unexpected token: '='"),
    ],
)
def test_a_syntax_error_names_line_and_column(
    typescript: Session, driver: Driver, code: str, line: int, column: int | None, message: str
) -> None:
    result = failed(typescript, driver, code)
    assert result.error_type == "SyntaxError"
    assert message in (result.error_message or "")
    frame = result.error_frames[0]
    assert (frame.cell, frame.line) == (1, line)
    assert column is None or frame.column == column
    assert f"<cell 1>:{line}" in result.error


@pytest.mark.spec("A5.3", "C11.1")
def test_an_error_at_run_time_stands_where_it_was_written(typescript: Session, driver: Driver) -> None:
    code = (
        "interface User {\n  id: number\n}\n"
        "enum Role { Admin = 'ADMIN' }\n"
        "function find<T extends User>(xs: T[],\n  id: number): T | undefined {\n"
        "  const é: string = 'ü'; return (xs as any)!.missing.thing as T\n}\n"
        "class A { constructor(private readonly a: number) { throw new TypeError('here') } }\n"
        "try { new A(1) } catch (e: unknown) { console.log((e as Error).stack!.split('\\n')[1]) }\n"
        "find<User>([], 1)"
    )
    result = failed(typescript, driver, code)
    inner, outer = result.error_frames
    assert (inner.line, inner.function) == (7, "find")
    source = "  const é: string = 'ü'; return (xs as any)!.missing.thing as T"
    with JavaScriptRuntime() as javascript:
        same = "  const é         = 'ü'; return (xs       ) .missing.thing     "
        plain = failed(javascript, driver, f"function find(xs) {{\n{same}\n}}\nfind([])")
    assert (inner.column, inner.source) == (plain.error_frames[0].column, source)
    assert (outer.line, outer.function) == (11, "")
    assert "<cell 1>:9:" in result.stdout


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("let a = 1 as number \n[1].at(0)", "put a semicolon"),
        ("function f(@dec a: number) {}", "decorators of parameters"),
        ("import { readFile } from 'fs'", "modules are not available"),
        ("import fs = require('fs')", "modules are not available"),
        ("export const x: number = 1", "modules are not available"),
    ],
)
def test_what_is_not_supported_says_so(typescript: Session, driver: Driver, code: str, words: str) -> None:
    result = failed(typescript, driver, code)
    assert result.error_type == "SyntaxError"
    assert words in (result.error_message or "")
    assert result.error_frames[0].line == code.count("\n") + 1


# ---- hostile input ----

HOSTILE = {
    "parentheses": "(" * 50_000,
    "parentheses that end": "(" * 20_000 + "1" + ")" * 20_000,
    "type arguments": "a<" * 30_000,
    "nested types": "type A = " + "B<" * 5_000 + "c" + ">" * 5_000,
    "arrows that may be generic": "x = " + "<T>(a:" * 5_000,
    "calls that may be generic": "x = " + "f<(a:" * 5_000,
    "object types": "type X = " + "{a:[" * 20_000,
    "conditional types": "type C = " + "A extends B ? C : " * 10_000 + "D",
    "conditionals that may be arrows": "let x = " + "(a?" * 5_000,
    "a long sum": "+".join(["1"] * 50_000),
    "templates": "`${" * 5_000,
    "namespaces": "namespace A {" * 2_000 + "let x = 1;" + "}" * 2_000,
    "names of namespaces": "namespace " + ".".join(["a"] * 3_000) + " { let x = 1 }",
    "assertions": "x" + " as any" * 20_000,
    "angle brackets": "<any>" * 20_000 + "x",
    "non-null": "x" + "!" * 20_000,
    "parameter properties": "class A { constructor(" + ",".join(f"public a{i}: any" for i in range(2_000)) + ") {} }",
    "variance": "type A<" + "in T," * 5_000 + "> = 1",
    "errors": "let : = ;\n" * 10_000,
    "more errors": "f(<a>b < c > ;)\n" * 3_000,
    "noise": "@#$%^&*<>?/" * 5_000,
    "quotes": '"' * 20_001,
    "zero bytes": "let x\0: number\0 = 1",
    "broken strings": "'\\" * 20_000,
    "an identifier": "a" * 1_000_000,
    "nested classes": "class A { x = " * 3_000,
}


@pytest.mark.spec("D1", "D6")
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_source_ends_in_a_result_and_the_session_goes_on(name: str) -> None:
    with TypeScriptRuntime(limits=Limits(script_ms=20_000)) as session:
        assert session.run("var kept: number[] = [7]").ok
        result = session.run(HOSTILE[name])
        assert result.ok or result.error_type in ("SyntaxError", "RangeError", "ReferenceError", "InternalError")
        assert result.state == "kept"
        assert session.run("kept").value == [7]


@pytest.mark.spec("D1", "C4")
def test_erasing_types_is_stopped_by_the_time_limit(driver: Driver) -> None:
    # each enum is looked for among those before it
    code = "".join(f"enum E{i} {{A}}\n" for i in range(100_000))
    with TypeScriptRuntime() as session:
        driver.value(session, "var kept: number = 7")
        result = driver.run(session, code, limits=Limits(script_ms=300))
        assert not result.ok
        assert result.stop is not None
        assert (result.stop.limit, result.stop.layer, result.state) == ("script", "soft", "kept")
        assert driver.value(session, "kept") == 7


@pytest.mark.spec("D1")
def test_erasing_types_is_bounded_by_the_memory_limit(driver: Driver) -> None:
    code = "let : = <a>(b: ;\n" * 400_000
    with TypeScriptRuntime(limits=Limits(memory_bytes=64 << 20, script_ms=60_000)) as session:
        driver.value(session, "var kept: number = 7")
        result = failed(session, driver, code)
        assert (result.error_message, result.state) == ("out of memory", "kept")
        assert driver.value(session, "kept") == 7
