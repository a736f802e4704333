"""The programs that type checkers take run in the guests, so the types are those that arrive; and schemas of any kind
give texts that can be parsed."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from wasmhost import Capability, CapabilityDefinitionError, PythonRuntime, TypeScriptRuntime
from wasmhost.capabilities.signatures import javascript_signature, python_signature
from wasmhost.declarations import FORMS, python_stub, typescript_declarations

from .rich import ALL, HOSTILE

HERE = Path(__file__).parent


def source(name: str) -> str:
    """A program without what it must not do."""
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if not re.search(r"(# wrong|// wrong)$", line) and "from environment" not in line]
    return "\n".join(kept).replace("async def wrong() -> None:", "")


@pytest.mark.spec("D7.1")
@pytest.mark.parametrize("name", ["right", "forms"])
def test_right_programs_run_in_python(name: str) -> None:
    with PythonRuntime(capabilities=ALL, policy="allow") as session:
        result = session.run(f"{source(f'{name}.py.txt')}\nawait {name}()")
        assert result.ok, result.error


@pytest.mark.spec("D7.2")
@pytest.mark.parametrize("name", ["right", "forms"])
def test_right_programs_run_in_typescript(name: str) -> None:
    with TypeScriptRuntime(capabilities=ALL, policy="allow") as session:
        result = session.run(f"{source(f'{name}.ts')}\nawait {name}()")
        assert result.ok, result.error


@pytest.mark.spec("D7.2")
def test_values_are_of_the_types_that_are_declared() -> None:
    """What right.ts assigns to typed constants, looked at as values."""
    code = """
const r = await tools.rich({ data: new Uint8Array(1), when: new Date(), day: "2024-01-02", clock: "01:02",
  long: "PT1S", price: "1.5", key: "00000000-0000-0000-0000-000000000001", part: "1/2", wave: "1j", numbers: [1],
  words: ["a"], pair: [1, "a"], many: [1], by_number: { 1: "a" }, by_name: { a: [{ x: 1 }] } });
r.map((x: any) => x?.constructor?.name)
"""
    with TypeScriptRuntime(capabilities=ALL, policy="allow") as session:
        result = session.run(code)
    wanted = "Uint8Array Date String String Array String String String Array Set Set Array Map Object"
    assert result.value == wanted.split(), result.error


NASTY = st.one_of(
    st.sampled_from(
        [HOSTILE, "*/", '"""', "```", "\\", "'", "${x}", "\n", "\u2028", "a b", "class", "__proto__", "self", ""]
    ),
    st.text(max_size=12),
)
SCHEMAS = st.recursive(
    st.one_of(
        st.builds(lambda kind: {"type": kind}, st.sampled_from(["string", "integer", "number", "boolean", "null"])),
        st.builds(
            lambda values: {"enum": values}, st.lists(NASTY | st.integers() | st.none() | st.booleans(), min_size=1)
        ),
        st.builds(lambda name: {"$ref": f"#/$defs/{name}"}, st.sampled_from(["A", "B"])),
        st.just(True),
        st.just({"type": "string", "format": "date-time"}),
    ),
    lambda inner: st.one_of(
        st.builds(lambda items: {"type": "array", "items": items}, inner),
        st.builds(lambda items: {"type": "array", "prefixItems": items}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda items: {"anyOf": items}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda items: {"allOf": items}, st.lists(inner, min_size=1, max_size=2)),
        st.builds(
            lambda fields, about: {"type": "object", "properties": fields, "description": about},
            st.dictionaries(NASTY, inner, max_size=4),
            NASTY,
        ),
        st.builds(lambda values: {"type": "object", "additionalProperties": values}, inner),
    ),
    max_leaves=8,
)


async def _tool(**arguments: Any) -> None: ...


@pytest.mark.spec("D7.3")
@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(
    st.dictionaries(NASTY, SCHEMAS, max_size=4),
    SCHEMAS,
    st.fixed_dictionaries({"A": SCHEMAS, "B": SCHEMAS}),
    NASTY,
)
def test_any_schema_gives_a_text_that_can_be_parsed(
    python_parser: PythonRuntime, fields: dict[str, Any], result: Any, definitions: dict[str, Any], about: str
) -> None:
    described = {
        name: {**part, "description": about} if isinstance(part, dict) else part for name, part in fields.items()
    }
    schema = {"type": "object", "properties": described, "$defs": definitions}
    output = {"anyOf": [result], "$defs": definitions}
    try:
        offered = [Capability.from_json_schema("a-b", _tool, schema, description=about, output_schema=output)]
    except CapabilityDefinitionError:
        event("refused")  # such as a reference that leads only to itself
        return
    for form in FORMS:
        stub = python_stub(offered, form=form)
        parsed = python_parser.run(f"import ast\nbool(ast.parse({stub!r}))")
        assert parsed.value is True, f"{parsed.error}\n{stub}"
        declared = typescript_declarations(offered, form=form)
        with TypeScriptRuntime() as session:
            erased = session.run(f"{declared}\n7")
            assert erased.value == 7, f"{erased.error}\n{declared}"
        assert all(char == "\n" or char.isprintable() for char in stub + declared)
    assert "\n" not in python_signature(offered[0]) + javascript_signature(offered[0])


@pytest.fixture(scope="module")
def python_parser() -> Any:
    with PythonRuntime() as session:
        yield session


@pytest.mark.spec("D7.4")
def test_a_model_that_names_itself_a_thousand_times_is_written_once() -> None:
    many = {f"p{number}": {"$ref": "#/$defs/A"} for number in range(900)}
    unions = {f"d{i}": {"anyOf": [{"$ref": f"#/$defs/d{j}"} for j in range(9)] + [{"type": "null"}]} for i in range(9)}
    for definitions, first in (({"A": {"type": "object", "properties": many}}, "A"), (unions, "d0")):
        schema = {"type": "object", "properties": {"a": {"$ref": f"#/$defs/{first}"}}, "$defs": definitions}
        one = Capability.from_json_schema("t", _tool, schema, output_schema=schema)
        assert len(javascript_signature(one)) <= 4_000
        assert len(python_signature(one)) <= 4_000
        assert len(typescript_declarations([one])) < 40_000
        assert len(python_stub([one])) < 60_000
