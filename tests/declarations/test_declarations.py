"""Declarations hold what guests have, stay in their bounds, and nothing in them can be forged."""

import re
from collections.abc import Callable
from typing import Any

import pytest

import wasmhost
from tests.support.guests import Guest
from wasmhost import Capability, JavaScriptRuntime, PythonRuntime, TypeScriptRuntime
from wasmhost.capabilities.names import attribute, is_bare, is_written
from wasmhost.declarations import FORMS, LEAST_CHARS, declarations, python_stub, typescript_declarations
from wasmhost.packs.pack import Pack

from .collisions import COLLISIONS
from .rich import ALL, HOSTILE

MAKERS = {"python": python_stub, "javascript": typescript_declarations}
EVERY = {**COLLISIONS, "rich": [Capability.of(one) for one in ALL]}


@pytest.mark.spec("D7.1", "D7.2")
@pytest.mark.parametrize("group", EVERY)
def test_names_are_where_it_is_said(group: str, guest: Guest) -> None:
    language = guest.name
    names = [one.name for one in EVERY[group]]
    tops = {attribute(name).split(".")[0] for name in names}
    with guest.runtime(capabilities=EVERY[group]) as session:
        for name in names:
            path = f"tools.{attribute(name)}"
            if all(is_written(part, language) for part in attribute(name).split(".")):
                assert session.run(
                    guest.pick(python=f"{path} is tools[{name!r}]", javascript=f"{path} === tools[{name!r}]")
                ).value
            else:
                assert session.run(f"tools[{name!r}]").has_value
        for top in tops:
            same = guest.pick(
                python=f"{top} is tools[{top!r}]" if top in names else f"{top} is tools.{top}",
                javascript=f"typeof {top} !== 'undefined' && {top} === tools[{top!r}]",
            )
            assert (session.run(same).value is True) is is_bare(top, language), top


def test_the_names_that_a_guest_has_are_known(guest: Guest) -> None:
    code = guest.pick(
        python="import builtins; dir(builtins)",
        javascript="[globalThis, Object.prototype].flatMap(Object.getOwnPropertyNames)",
    )
    with guest.runtime(capabilities=[_tool]) as session:
        found = session.run(code).value
    assert len(found) > 50
    assert [name for name in found if is_bare(name, guest.name)] == ["_tool"]


def test_a_session_has_its_own() -> None:
    offered = [Pack("notes", [Capability.of(ALL[1])]), ALL[0]]
    with (
        PythonRuntime(capabilities=offered) as python,
        TypeScriptRuntime() as typescript,
        JavaScriptRuntime() as javascript,
    ):
        assert python.declarations() == python_stub(offered, form="short")
        assert python.declarations("typescript", form="full") == typescript_declarations(offered)
        assert javascript.declarations() == typescript.declarations() == typescript_declarations([], form="short")
        assert "fetch_user" not in typescript.declarations()
        with pytest.raises(ValueError, match="language is python, javascript or typescript, not 'ruby'"):
            python.declarations("ruby")
    assert wasmhost.python_stub is python_stub
    assert wasmhost.typescript_declarations is typescript_declarations


@pytest.mark.parametrize("make", MAKERS.values())
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"form": "long"}, "form is 'short' or 'full', not 'long'"),
        ({"max_chars": 100}, "max_chars is a whole number from 200, not 100"),
        ({"max_chars": 1e6}, "max_chars is a whole number"),
    ],
)
def test_wrong_use_says_what_is_wrong(make: Callable[..., str], options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        make(ALL, **options)


# ---- texts of others ----


@pytest.mark.spec("D7.3")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("language", MAKERS)
def test_nothing_steers_or_ends_what_is_around_it(language: str, form: str) -> None:
    text = declarations(ALL, language, form=form)
    assert all(char == "\n" or char.isprintable() for char in text)
    assert "```" not in text
    heads = (
        "#",
        "//",
        "from ",
        "type ",
        "class ",
        "interface ",
        "def ",
        "declare ",
        "tools: ",
        ") ->",
        "}",
        "    function",
        " ",
    )
    for line in text.split("\n"):
        assert not line or line.startswith(heads) or re.match(r"[\w, ]+ = (tools\.|TypedDict\()", line), line
    assert not [line for line in text.split("\n") if line.startswith(("## ", "Code may"))]


@pytest.mark.spec("D7.3")
def test_a_docstring_ends_where_it_should() -> None:
    descriptions = [
        HOSTILE,
        '"',
        '""',
        '"""',
        "\\",
        '\\"""',
        'x"',
        "x\\",
        '"""\n"""',
        "'''",
        "\n\n x \n\n",
        "",
        "\r",
        "\x0c",
    ]
    offered = [Capability.of(_tool, name=f"t{i}", description=text) for i, text in enumerate(descriptions)]
    with PythonRuntime() as session:
        for form in FORMS:
            text = python_stub(offered, form=form)
            code = f"import ast\ntree = ast.parse({text!r})\n"
            code += "[len(n.body) for n in ast.walk(tree) if isinstance(n, ast.ClassDef) and n.name == 'Tools']"
            # One method for each, and __getitem__: nothing became code that is no code.
            assert session.run(code).value == [len(offered) + 1]
            found = session.run(
                "[ast.get_docstring(n) for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]"
            ).value
            if form == "full":
                assert {'"""', "'''", "\\", 'x"', "x"} <= {one.strip() for one in found if one}


def _tool() -> None: ...


# ---- bounds ----


@pytest.mark.spec("D7.4")
@pytest.mark.parametrize("language", MAKERS)
@pytest.mark.parametrize("form", FORMS)
def test_it_is_never_longer_than_wanted_and_says_what_it_left_out(language: str, form: str) -> None:
    whole = declarations(ALL, language, form=form)
    assert "left out here" not in whole
    for most in (LEAST_CHARS, 300, 1_000, 3_000, len(whole) - 1, len(whole)):
        text = declarations(ALL, language, form=form, max_chars=most)
        assert len(text) <= most
        assert ("left out here" in text) == (text != whole)
        assert "fetch_user" in text or "more" in text


@pytest.mark.spec("D7.4")
@pytest.mark.parametrize("language", MAKERS)
def test_a_schema_of_any_size_gives_a_text_of_a_bounded_one(language: str) -> None:
    wide = {"type": "object", "properties": {f"p{i:04}": {"type": "string"} for i in range(1_500)}}
    deep: dict[str, Any] = {"type": "integer"}
    for _ in range(38):
        deep = {"type": "array", "items": deep}
    long = {
        "type": "object",
        "properties": {"n" * 100_000: {}, "e": {"enum": ["v" * 10_000]}, "d": {"description": "d" * 10**6}},
    }
    schemas = [wide, {"type": "object", "properties": {"deep": deep}}, long]
    offered = [
        Capability.from_json_schema(f"t{i}", _tool, schema, description="x" * 10**6, output_schema=schema)
        for i, schema in enumerate(schemas)
    ]
    for form in FORMS:
        assert len(declarations(offered, language, form=form)) <= 200_000
        assert len(declarations(offered, language, form=form, max_chars=2_000)) <= 2_000
    session = PythonRuntime if language == "python" else JavaScriptRuntime
    with session(capabilities=offered) as made:
        result = made.run("print(tools)" if language == "python" else "console.log(tools)")
        assert result.ok
        assert len(result.stdout) < 30_000
