"""JSON schemas as pydantic-core schemas. They come from other programs and from guests, so they are hostile: size and
depth are bounded, ``$ref`` stays inside the document, and regular expressions run in an engine of linear time."""

from collections.abc import Callable, Mapping
from typing import Any

from pydantic_core import CoreSchema, SchemaError, SchemaValidator, core_schema

from ..errors import CapabilityDefinitionError

MAX_NODES = 2_000
MAX_DEPTH = 40
_MAX_PATTERN = 1_000

# Keywords that say nothing about what is valid.
_SAID_ONLY = {
    "$schema", "$id", "$comment", "title", "description", "default", "examples", "format", "deprecated", "readOnly",
    "writeOnly", "contentEncoding", "contentMediaType", "$defs", "definitions", "nullable",
}  # fmt: skip


def translate(schema: Any, name: str) -> tuple[CoreSchema, frozenset[str]]:
    """A strict core schema (no conversion, as JSON schemas have none; a float without fraction is an integer, as
    there), and the keywords that it does not check.

    Raises:
        CapabilityDefinitionError: too large, too deep, or not a JSON schema.
    """
    translation = _Translation(schema, name)
    made = translation.whole()
    try:
        SchemaValidator(made)
    except SchemaError as error:
        first = str(error).partition("\n")[0]
        raise CapabilityDefinitionError(f"{name}: the JSON schema cannot be used: {first}") from None
    return made, frozenset(translation.unchecked)


class _Translation:
    def __init__(self, root: Any, name: str) -> None:
        self.root: Any = root
        self.name: str = name
        self.nodes: int = 0
        self.definitions: dict[str, CoreSchema | None] = {}
        self.unchecked: set[str] = set()

    def whole(self) -> CoreSchema:
        made = self.node(self.root, 0)
        found = [schema for schema in self.definitions.values() if schema is not None]
        return core_schema.definitions_schema(made, found) if found else made

    def refuse(self, why: str) -> CapabilityDefinitionError:
        return CapabilityDefinitionError(f"{self.name}: the JSON schema cannot be used: {why}")

    def node(self, schema: Any, depth: int) -> CoreSchema:
        self.nodes += 1
        if self.nodes > MAX_NODES or depth > MAX_DEPTH:
            raise self.refuse(f"more than {MAX_NODES} parts, or nested deeper than {MAX_DEPTH}")
        if schema is True:
            return core_schema.any_schema()
        if not isinstance(schema, Mapping):
            raise self.refuse(f"a part of it is {type(schema).__name__}")
        if "$ref" in schema:
            return self.reference(schema["$ref"], depth)
        parts = [self.typed(schema, depth)]
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                parts.append(
                    core_schema.union_schema([self.node(item, depth + 1) for item in self.some(schema, keyword)])
                )
        if "allOf" in schema:
            parts += [self.node(item, depth + 1) for item in self.some(schema, "allOf")]
        parts = [part for part in parts if part["type"] != "any"] or [core_schema.any_schema()]
        made = parts[0] if len(parts) == 1 else core_schema.chain_schema(parts)
        if schema.get("nullable") is True:
            made = core_schema.nullable_schema(made)
        return made

    def some(self, schema: Mapping[str, Any], keyword: str) -> list[Any]:
        items = schema[keyword]
        if not isinstance(items, list) or not items:
            raise self.refuse(f"{keyword} is not a list with something in it")
        return items

    def reference(self, target: Any, depth: int) -> CoreSchema:
        if not isinstance(target, str) or not target.startswith("#/"):
            raise self.refuse(f"$ref {target!r} leads out of the document")
        if target not in self.definitions:
            found: Any = self.root
            for part in target[2:].split("/"):
                part = part.replace("~1", "/").replace("~0", "~")
                if not isinstance(found, Mapping) or part not in found:
                    raise self.refuse(f"$ref {target!r} leads nowhere")
                found = found[part]
            self.definitions[target] = None  # while it is made: it may refer to itself
            made: Any = self.node(found, depth + 1)
            if made.get("type") == "definition-ref":
                made = core_schema.chain_schema([made])
            self.definitions[target] = {**made, "ref": target}
        return core_schema.definition_reference_schema(target)

    def typed(self, schema: Mapping[str, Any], depth: int) -> CoreSchema:
        kinds = schema.get("type")
        if "const" in schema:
            self.known(schema, {"const", "type"})
            return _equal([schema["const"]])
        if "enum" in schema:
            self.known(schema, {"enum", "type"})
            return _equal(self.some(schema, "enum"))
        if kinds is None:
            kinds = "object" if "properties" in schema else "array" if "items" in schema else None
        if kinds is None:
            self.known(schema, set())
            return core_schema.any_schema()
        if isinstance(kinds, list):
            return core_schema.union_schema([self.typed({**schema, "type": kind}, depth) for kind in kinds])
        make = getattr(self, f"t_{kinds}", None) if isinstance(kinds, str) else None
        if make is None:
            raise self.refuse(f"there is no type {kinds!r}")
        made: CoreSchema = make(schema, depth)
        return made

    def known(self, schema: Mapping[str, Any], keywords: set[str]) -> None:
        every = {"type", "anyOf", "oneOf", "allOf", *_SAID_ONLY, *keywords}
        # A schema with several types has the keywords of each: looked at where they belong.
        self.unchecked |= schema.keys() - every - (_OF_TYPES if isinstance(schema.get("type"), str) else set())

    def number(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        names = {
            "minimum": "ge",
            "maximum": "le",
            "exclusiveMinimum": "gt",
            "exclusiveMaximum": "lt",
            "multipleOf": "multiple_of",
        }
        self.known(schema, set(names))
        return {ours: schema[theirs] for theirs, ours in names.items() if theirs in schema}

    def t_integer(self, schema: Mapping[str, Any], depth: int) -> CoreSchema:
        bounds = self.number(schema)
        return core_schema.no_info_before_validator_function(_whole, core_schema.int_schema(strict=True, **bounds))

    def t_number(self, schema: Mapping[str, Any], depth: int) -> CoreSchema:
        bounds = self.number(schema)
        return core_schema.no_info_wrap_validator_function(_as_it_was, core_schema.float_schema(strict=True, **bounds))

    def t_string(self, schema: Mapping[str, Any], depth: int) -> CoreSchema:
        self.known(schema, {"minLength", "maxLength", "pattern"})
        pattern = schema.get("pattern")
        if pattern is not None and (not isinstance(pattern, str) or len(pattern) > _MAX_PATTERN):
            raise self.refuse(f"pattern is not a text of at most {_MAX_PATTERN} characters")
        return core_schema.str_schema(
            strict=True,
            min_length=schema.get("minLength"),
            max_length=schema.get("maxLength"),
            pattern=pattern,
            regex_engine="rust-regex",
        )

    def t_boolean(self, schema: Mapping[str, Any], depth: int) -> CoreSchema:
        self.known(schema, set())
        return core_schema.bool_schema(strict=True)

    def t_null(self, schema: Mapping[str, Any], depth: int) -> CoreSchema:
        self.known(schema, set())
        return core_schema.none_schema()

    def t_array(self, schema: Mapping[str, Any], depth: int) -> CoreSchema:
        self.known(schema, {"items", "prefixItems", "minItems", "maxItems"})
        items = schema.get("items", True)
        prefix = schema.get("prefixItems")
        if isinstance(prefix, list):
            rest = [] if items is False else [self.node(items, depth + 1)]
            made = [self.node(item, depth + 1) for item in prefix] + rest
            return core_schema.chain_schema(
                [
                    core_schema.list_schema(strict=True),
                    core_schema.no_info_plain_validator_function(tuple),
                    core_schema.tuple_schema(made, variadic_item_index=len(prefix) if rest else None),
                ]
            )
        return core_schema.list_schema(
            self.node(items, depth + 1),
            strict=True,
            min_length=schema.get("minItems"),
            max_length=schema.get("maxItems"),
        )

    def t_object(self, schema: Mapping[str, Any], depth: int) -> CoreSchema:
        self.known(schema, {"properties", "required", "additionalProperties"})
        properties = schema.get("properties") or {}
        required = schema.get("required") or ()
        if not isinstance(properties, Mapping) or not isinstance(required, (list, tuple)):
            raise self.refuse("properties or required are not what they must be")
        more = schema.get("additionalProperties", True)
        if not properties and not required:
            values = core_schema.any_schema() if more in (True, False) else self.node(more, depth + 1)
            most = 0 if more is False else None
            return core_schema.dict_schema(core_schema.str_schema(strict=True), values, strict=True, max_length=most)
        fields = {
            name: core_schema.typed_dict_field(self.node(item, depth + 1), required=name in required)
            for name, item in properties.items()
        }
        for name in required:
            fields.setdefault(name, core_schema.typed_dict_field(core_schema.any_schema(), required=True))
        extras = None if more in (True, False) else self.node(more, depth + 1)
        return core_schema.typed_dict_schema(
            fields, strict=True, extra_behavior="forbid" if more is False else "allow", extras_schema=extras
        )


# Keywords that concern one type: said of another they mean nothing.
_OF_TYPES = {
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern",
    "items", "prefixItems", "minItems", "maxItems", "properties", "required", "additionalProperties",
}  # fmt: skip


def _equal(allowed: list[Any]) -> CoreSchema:
    """One of these values; pydantic's own literals take no lists and objects, and True for 1."""
    if all(isinstance(item, str) for item in allowed):
        return core_schema.literal_schema(allowed)
    words = ", ".join(repr(item)[:40] for item in allowed[:10])

    def check(value: Any) -> Any:
        if not any(type(value) is type(item) and value == item for item in allowed):
            raise ValueError(f"expected one of {words}")
        return value

    return core_schema.no_info_plain_validator_function(check)


def _whole(value: Any) -> Any:
    return int(value) if type(value) is float and value.is_integer() else value


def _as_it_was(value: Any, check: Callable[[Any], Any]) -> Any:
    """Checked as a float, but an integer stays one."""
    check(value)
    return value
