"""JSON schemas of tools from elsewhere: what they let through, and what they cannot do to the host."""

from typing import Any

import pytest
from pydantic_core import SchemaValidator, ValidationError

from wasmhost import Capability, CapabilityDefinitionError
from wasmhost.capabilities.json_schema import MAX_NODES, translate

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
    return SchemaValidator(translate(schema, "t")[0])


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
