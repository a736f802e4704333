"""JSON schemas of tools from elsewhere: what they let through, and what they cannot do to the host."""

from typing import Any

import pytest
from pydantic_core import SchemaValidator, ValidationError

from wasmhost import Capability, CapabilityDefinitionError
from wasmhost.capabilities.json_schema import MAX_NODES, translate
from wasmhost.capabilities.schema import Mismatch, of_json_schema

ACCEPTED: list[tuple[Any, Any]] = [
    ({"type": "integer"}, 5),
    ({"type": "integer"}, 5.0),
    ({"type": "number", "minimum": 0}, 0.5),
    ({"type": "string", "pattern": "^a+$", "minLength": 2}, "aa"),
    ({"type": ["string", "null"]}, None),
    ({"type": "string", "nullable": True}, None),
    ({"enum": ["a", 1, None, [1]]}, [1]),
    ({"const": {"a": 1}}, {"a": 1}),
    ({"type": "array", "items": {"type": "integer"}, "maxItems": 2}, [1, 2]),
    ({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "items": False}, [1, "a"]),
    ({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}, {"a": 1, "more": 2}),
    ({"type": "object", "additionalProperties": {"type": "integer"}}, {"x": 1}),
    ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, "x"),
    ({"allOf": [{"type": "integer"}, {"type": "integer", "minimum": 3}]}, 3),
    (
        {
            "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}},
            "$ref": "#/$defs/node",
        },
        {"next": {"next": {}}},
    ),
    (True, object),
]

REFUSED: list[tuple[Any, Any]] = [
    ({"type": "integer"}, "5"),
    ({"type": "integer"}, 5.5),
    ({"type": "integer"}, True),
    ({"type": "number", "exclusiveMaximum": 1}, 1),
    ({"type": "string", "pattern": "^a+$"}, "b"),
    ({"type": "string"}, None),
    ({"enum": ["a", 1]}, True),
    ({"const": 1}, "1"),
    ({"type": "array", "items": {"type": "integer"}}, ["x"]),
    ({"type": "array", "prefixItems": [{"type": "integer"}], "items": False}, [1, 2]),
    ({"type": "object", "required": ["a"]}, {}),
    ({"type": "object", "properties": {"a": {}}, "additionalProperties": False}, {"a": 1, "b": 2}),
    ({"type": "object", "additionalProperties": False}, {"b": 2}),
    ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, []),
    ({"allOf": [{"type": "integer"}, {"type": "integer", "minimum": 3}]}, 2),
    ({"type": "boolean"}, 1),
    ({"type": "null"}, 0),
]


def validator(schema: Any) -> SchemaValidator:
    return SchemaValidator(translate(schema, "t").core)


@pytest.mark.parametrize(("schema", "value"), ACCEPTED)
def test_what_fits_is_taken(schema: Any, value: Any) -> None:
    validator(schema).validate_python(value)


@pytest.mark.parametrize(("schema", "value"), REFUSED)
def test_what_does_not_fit_is_refused(schema: Any, value: Any) -> None:
    with pytest.raises(ValidationError):
        validator(schema).validate_python(value)


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"$ref": "http://example.com/x"}, "out of the document"),
        ({"$ref": "#/$defs/none"}, "leads nowhere"),
        ({"type": "thing"}, "no type 'thing'"),
        ({"type": "string", "pattern": "a" * 2000}, "pattern"),
        ({"type": "string", "pattern": "(unclosed"}, "cannot be used"),
        ({"anyOf": []}, "anyOf"),
        (5, "a part of it is int"),
        ({"anyOf": [{"type": "integer"}] * (MAX_NODES + 1)}, "more than"),
    ],
)
def test_a_schema_that_cannot_be_used_is_refused_with_why(schema: Any, said: str) -> None:
    with pytest.raises(CapabilityDefinitionError, match=said):
        translate(schema, "t")


def test_a_schema_nested_too_deep_is_refused() -> None:
    deep: Any = {"type": "integer"}
    for _ in range(5000):
        deep = {"type": "array", "items": deep}
    with pytest.raises(CapabilityDefinitionError, match="nested deeper"):
        translate(deep, "t")


@pytest.mark.spec("B10.2")
def test_a_pattern_that_would_take_for_ever_elsewhere_takes_no_time() -> None:
    # Security rule 10: with a backtracking engine this would hold the interpreter for longer than the universe is old.
    checker = validator({"type": "string", "pattern": "^(a+)+$"})
    with pytest.raises(ValidationError):
        checker.validate_python("a" * 50_000 + "!")


def test_keywords_that_are_not_looked_at_are_told() -> None:
    made = Capability.from_json_schema(
        "t", lambda **k: k, {"type": "object", "properties": {"a": {"not": {}}}, "dependentRequired": {}}
    )
    assert made.parameters.unchecked == {"not", "dependentRequired"}


def test_positional_arguments_mean_the_required_ones_first() -> None:
    made = Capability.from_json_schema(
        "t",
        lambda **k: k,
        {
            "type": "object",
            "properties": {"opt": {"type": "string"}, "need": {"type": "integer"}},
            "required": ["need"],
        },
    )
    assert made.parameters.bind([3, "x"], {}, "t") == {"need": 3, "opt": "x"}


def expanding(levels: int) -> dict[str, Any]:
    """Each part refers twice to the next: what is looked at doubles with each."""
    parts: dict[str, Any] = {f"d{i}": {"allOf": [{"$ref": f"#/$defs/d{i + 1}"}] * 2} for i in range(levels)}
    parts[f"d{levels}"] = {"type": "integer"}
    return {"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": parts}


def climbing() -> dict[str, Any]:
    """Each level of the data is looked at twice as often as the one above."""
    twice = {"anyOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}]}
    part = {"type": "object", "properties": {"x": twice}, "additionalProperties": False}
    return {"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": part}}


def tower(height: int) -> Any:
    value: Any = 1
    for _ in range(height):
        value = {"x": value}
    return value


HEAVY: list[Any] = [
    (expanding(18), {"a": 1}),
    (climbing(), {"a": tower(40)}),
    (
        {
            "type": "object",
            "properties": {"a": {"type": "array", "items": {"anyOf": [{"type": "string", "minLength": 9}] * 1900}}},
        },
        {"a": ["x"] * 100_000},
    ),
    (
        {
            "type": "object",
            "properties": {"a": {"type": "array", "items": {"properties": {f"p{i}": {} for i in range(1500)}}}},
        },
        {"a": [{}] * 100_000},
    ),
    (
        {"type": "object", "properties": {"a": {"type": "array", "items": {"enum": [[i] for i in range(5_000)]}}}},
        {"a": [[-1]] * 100_000},
    ),
]


@pytest.mark.spec("D1.6")
@pytest.mark.parametrize(("schema", "value"), HEAVY, ids=["allOf", "anyOf", "alternatives", "fields", "enum"])
def test_a_schema_whose_check_would_not_end_refuses_the_call(schema: Any, value: Any) -> None:
    with pytest.raises(Mismatch, match=r"takes more than 1000000 steps|does not fit|got list of 1"):
        of_json_schema(schema, "t").bind([], value, "t")


def test_a_schema_that_refers_to_itself_is_no_trouble_for_data_of_any_usual_size() -> None:
    ref = {"$ref": "#/$defs/v"}
    json = {
        "anyOf": [
            {"type": ["string", "number", "boolean", "null"]},
            {"type": "array", "items": ref},
            {"type": "object", "additionalProperties": ref},
        ]
    }
    parameters = of_json_schema({"type": "object", "properties": {"a": ref}, "$defs": {"v": json}}, "t")
    rows = {"a": [{"id": i, "tags": ["x", "y"]} for i in range(5_000)]}
    assert parameters.bind([], rows, "t") == rows


def test_thousands_of_constants_are_found_at_once_and_types_count() -> None:
    parameters = of_json_schema(
        {"type": "object", "properties": {"a": {"type": "array", "items": {"enum": [*range(50_000), "x"]}}}}, "t"
    )
    parameters.bind([], {"a": [49_999] * 50_000}, "t")
    with pytest.raises(Mismatch, match="expected one of 0, 1"):
        parameters.bind([], {"a": [True]}, "t")


@pytest.mark.spec("D1.6")
@pytest.mark.parametrize(
    ("part", "said"),
    [
        ({"type": "string", "pattern": r"\w{999}(\w{99}){99}"}, "patterns are too large"),
        ({"type": "string", "pattern": "(x{500}){300}"}, "patterns are too large"),
        ({"type": "string", "pattern": "x{0009999999}"}, "patterns are too large"),
        ({"anyOf": [{"type": "string", "pattern": rf"\w{{200}}{i}"} for i in range(8)]}, "patterns are too large"),
        ({"type": ["string"] * 8}, "each once"),
        ({"type": []}, "each once"),
        ({"required": [[1]]}, "names of properties are texts"),
        ({"properties": {1: {}}}, "names of properties are texts"),
        ({"type": "integer", "multipleOf": 0}, "multiple_of"),
        ({"type": "string", "minLength": -1}, "negative"),
        ({"type": "string", "maxLength": 1 << 99}, "too big"),
        ({"$ref": ["x"]}, "out of the document"),
        ({"enum": ["\ud800"]}, "cannot be used"),
    ],
)
def test_a_schema_that_would_cost_too_much_or_is_damaged_is_refused_with_why(part: Any, said: str) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "object", **part}}}
    with pytest.raises(CapabilityDefinitionError, match=said):
        translate(schema, "t")


@pytest.mark.parametrize(
    "pattern",
    [r"^[\w.-]+@[\w.-]+\.\w{2,}$", r"^\d{4}-\d{2}-\d{2}$", r"^[a-z]{1,63}(\.[a-z]{1,63}){0,10}$", r"^[\]{}]{3}$",
     r"^\p{Lu}{1,50}$", "^[0-9a-f]{64}$"],
)  # fmt: skip
def test_usual_patterns_are_taken(pattern: str) -> None:
    assert translate({"type": "object", "properties": {"a": {"type": "string", "pattern": pattern}}}, "t").size > 2


def test_alternatives_are_named_in_errors_as_long_as_they_are_few() -> None:
    few = of_json_schema(
        {"properties": {"a": {"anyOf": [{"type": "integer"}, {"type": "string", "minLength": 9}]}}}, "t"
    )
    with pytest.raises(Mismatch, match=r"'a\.integer'.*'a\.string'"):
        few.bind([], {"a": "x"}, "t")
    many = of_json_schema({"properties": {"a": {"anyOf": [{"type": "string", "minLength": 9}] * 9}}}, "t")
    with pytest.raises(Mismatch, match="should fit one of 9 alternatives"):
        many.bind([], {"a": "x"}, "t")


def test_a_constant_that_python_does_not_write_out_is_taken() -> None:
    huge = 1 << 100_000
    parameters = of_json_schema({"properties": {"a": {"enum": [huge, [1]]}}}, "t")
    assert parameters.bind([], {"a": huge}, "t") == {"a": huge}
    with pytest.raises(Mismatch, match="expected one of a huge int, list of 1"):
        parameters.bind([], {"a": 1}, "t")
