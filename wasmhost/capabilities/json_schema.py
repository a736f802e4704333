"""JSON schemas as pydantic-core schemas. They come from other programs and from guests, so they are hostile: size and
depth are bounded, ``$ref`` stays inside the document, regular expressions run in an engine of linear time and are small
once compiled, and so is the work of one check: a few references can ask for more than any machine can do."""

from collections.abc import Callable, Mapping
from typing import Any

from pydantic_core import CoreSchema, SchemaError, SchemaValidator, core_schema

from ..errors import CapabilityDefinitionError

MAX_NODES = 2_000
MAX_DEPTH = 40
_MAX_PATTERN = 1_000
# States of all patterns of a schema, once compiled, as `_states` estimates them; up to 1.3 KB each.
MAX_STATES = 10_000
# Steps of one check: a step looks at one value with one part of the schema.
MAX_WORK = 1_000_000
_TYPES = ("string", "integer", "number", "boolean", "null", "array", "object")

# Keywords that say nothing about what is valid.
_SAID_ONLY = {
    "$schema", "$id", "$comment", "title", "description", "default", "examples", "format", "deprecated", "readOnly",
    "writeOnly", "contentEncoding", "contentMediaType", "$defs", "definitions", "nullable",
}  # fmt: skip


class TooMuchWork(Exception):
    """A check would take too long. No ValueError: those are collected, and the check goes on."""


class Work:
    """What is left of one check; passed to the validator as its context."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left: int = MAX_WORK

    def spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise TooMuchWork(f"to check it against its JSON schema takes more than {MAX_WORK} steps")


class Translated:
    """``core``: the core schema; ``validator`` of it; ``unchecked``: keywords that it does not look at; ``size``: parts
    of the schema and states of its patterns."""

    __slots__ = ("core", "size", "unchecked", "validator")

    def __init__(self, core: CoreSchema, validator: SchemaValidator, unchecked: frozenset[str], size: int) -> None:
        self.core: CoreSchema = core
        self.validator: SchemaValidator = validator
        self.unchecked: frozenset[str] = unchecked
        self.size: int = size

    def check(self, value: Any) -> Any:
        """The value as it goes on.

        Raises:
            ValidationError: it does not fit.
            TooMuchWork: nobody knows whether it does.
        """
        return self.validator.validate_python(value, context=Work())


def translate(schema: Any, name: str) -> Translated:
    """A strict core schema: no conversion, as JSON schemas have none; a float without fraction is an integer, as there.

    Raises:
        CapabilityDefinitionError: too large, too deep, or not a JSON schema.
    """
    translation = _Translation(schema, name)
    made = translation.whole()
    try:
        validator = SchemaValidator(made)
    except SchemaError as error:
        raise translation.refuse(_reason(error)) from None
    size = translation.nodes + translation.states
    return Translated(made, validator, frozenset(translation.unchecked), size)


def _reason(error: SchemaError) -> str:
    """The last line of what pydantic says, which names the trouble; those before it say where it was."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1].removeprefix("SchemaError: ")[:300] if lines else "it is damaged"


class _Translation:
    def __init__(self, root: Any, name: str) -> None:
        self.root: Any = root
        self.name: str = name
        self.nodes: int = 0
        self.states: int = 0
        self.definitions: dict[str, CoreSchema | None] = {}
        self.unchecked: set[str] = set()

    def whole(self) -> CoreSchema:
        made = self.node(self.root, 0)
        found = [schema for schema in self.definitions.values() if schema is not None]
        return core_schema.definitions_schema(made, found) if found else made

    def refuse(self, why: str) -> CapabilityDefinitionError:
        return CapabilityDefinitionError(f"{self.name}: the JSON schema cannot be used: {why}")

    def count(self, depth: int) -> None:
        self.nodes += 1
        if self.nodes > MAX_NODES or depth > MAX_DEPTH:
            raise self.refuse(f"more than {MAX_NODES} parts, or nested deeper than {MAX_DEPTH}")

    def node(self, schema: Any, depth: int) -> CoreSchema:
        self.count(depth)
        if schema is True:
            return core_schema.any_schema()
        if not isinstance(schema, Mapping):
            raise self.refuse(f"a part of it is {type(schema).__name__}")
        if "$ref" in schema:
            return self.reference(schema["$ref"], depth)
        parts = [self.typed(schema, depth)]
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                items = self.some(schema, keyword)
                parts.append(_union([(self.node(item, depth + 1), _label(item)) for item in items]))
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
            raise self.refuse(f"$ref {shown(target)} leads out of the document")
        if target not in self.definitions:
            found: Any = self.root
            for part in target[2:].split("/"):
                part = part.replace("~1", "/").replace("~0", "~")
                if not isinstance(found, Mapping) or part not in found:
                    raise self.refuse(f"$ref {shown(target)} leads nowhere")
                found = found[part]
            self.definitions[target] = None  # while it is made: it may refer to itself
            before = self.nodes
            made = self.node(found, depth + 1)
            self.definitions[target] = core_schema.with_info_before_validator_function(
                _spending(self.nodes - before), made, ref=target
            )
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
            if not kinds or len(kinds) > len(_TYPES):
                raise self.refuse("a list of types names each once")
            made_of_each = []
            for kind in kinds:
                self.count(depth)
                made_of_each.append((self.typed({**schema, "type": kind}, depth), str(kind)[:20]))
            return _union(made_of_each)
        make = getattr(self, f"t_{kinds}") if isinstance(kinds, str) and kinds in _TYPES else None
        if make is None:
            raise self.refuse(f"there is no type {shown(kinds)}")
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
        if pattern is not None:
            self.states += _states(pattern)
            if self.states > MAX_STATES:
                raise self.refuse("its patterns are too large: repeat less often, or check it in the function")
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
            before = self.nodes
            rest = [] if items is False else [self.node(items, depth + 1)]
            made = [self.node(item, depth + 1) for item in prefix] + rest
            checked: CoreSchema = core_schema.chain_schema(
                [
                    core_schema.list_schema(strict=True),
                    core_schema.no_info_plain_validator_function(tuple),
                    core_schema.tuple_schema(made, variadic_item_index=len(prefix) if rest else None, fail_fast=True),
                ]
            )
            return core_schema.with_info_before_validator_function(_spending(self.nodes - before), checked)
        before = self.nodes
        checked = core_schema.list_schema(
            self.node(items, depth + 1),
            strict=True,
            min_length=schema.get("minItems"),
            max_length=schema.get("maxItems"),
            fail_fast=True,  # a million wrong items are one problem, and not a million
        )
        return core_schema.with_info_before_validator_function(_spending(self.nodes - before), checked)

    def t_object(self, schema: Mapping[str, Any], depth: int) -> CoreSchema:
        self.known(schema, {"properties", "required", "additionalProperties"})
        properties = schema.get("properties") or {}
        required = schema.get("required") or ()
        if not isinstance(properties, Mapping) or not isinstance(required, (list, tuple)):
            raise self.refuse("properties or required are not what they must be")
        if not all(isinstance(name, str) for name in (*properties, *required)):
            raise self.refuse("names of properties are texts")
        before = self.nodes
        more = schema.get("additionalProperties", True)
        if not properties and not required:
            values = core_schema.any_schema() if more in (True, False) else self.node(more, depth + 1)
            most = 0 if more is False else None
            keys = core_schema.str_schema(strict=True)
            checked: CoreSchema = core_schema.dict_schema(keys, values, strict=True, max_length=most)
            return core_schema.with_info_before_validator_function(_spending(1 + self.nodes - before), checked)
        fields = {
            name: core_schema.typed_dict_field(self.node(item, depth + 1), required=name in required)
            for name, item in properties.items()
        }
        for name in required:
            fields.setdefault(name, core_schema.typed_dict_field(core_schema.any_schema(), required=True))
        extras = None if more in (True, False) else self.node(more, depth + 1)
        checked = core_schema.typed_dict_schema(
            fields, strict=True, extra_behavior="forbid" if more is False else "allow", extras_schema=extras
        )
        # Each field is looked for, whether it is there or not.
        spending = _spending(1 + self.nodes - before, len(fields))
        return core_schema.with_info_before_validator_function(spending, checked)


# Keywords that concern one type: said of another they mean nothing.
_OF_TYPES = {
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern",
    "items", "prefixItems", "minItems", "maxItems", "properties", "required", "additionalProperties",
}  # fmt: skip


def _spending(parts: int, always: int = 0) -> Callable[[Any, Any], Any]:
    """Counts the steps of a check that looks at each item of a value with that many parts of a schema."""

    def spend(value: Any, info: Any) -> Any:
        if info.context is not None:
            items = len(value) if isinstance(value, (list, dict, tuple)) else 0
            info.context.spend(always + parts * (1 + items))
        return value

    return spend


def _union(choices: list[tuple[CoreSchema, str]]) -> CoreSchema:
    """One of several. Only a few can be told apart in an error."""
    if len(choices) <= _TOLD_CHOICES:
        return core_schema.union_schema(choices)  # type: ignore[arg-type]  # a list of pairs is invariant
    return core_schema.union_schema(
        choices,  # type: ignore[arg-type]
        custom_error_type="no_alternative",
        custom_error_message=f"Input should fit one of {len(choices)} alternatives",
    )


_TOLD_CHOICES = 8
_TOLD_CHARS = 1_000


def _label(schema: Any) -> str:
    """What an alternative is called in the place of an error."""
    if isinstance(schema, Mapping):
        for keyword in ("title", "$ref", "type"):
            if isinstance(schema.get(keyword), str):
                return str(schema[keyword]).rpartition("/")[2][:40]
    return "alternative"


def _states(pattern: str) -> int:
    """About how many states a regular expression has, repetitions written out; what names many characters counts for
    eight."""
    groups = [0]
    last = at = 0
    while at < len(pattern):
        char = pattern[at]
        at += 1
        if char == "(":
            groups.append(0)
            last = 0
            continue
        if char == ")":
            last = groups.pop() if len(groups) > 1 else 0
        elif char == "{":
            numbers, _, _ = pattern[at:].partition("}")
            at += len(numbers) + 1
            counts = [part.strip().lstrip("0")[:7] for part in numbers.split(",")]
            most = max([int(count) for count in counts if count.isdecimal()] or [1])
            groups[-1] += last * (most - 1)
            last *= most
            continue
        elif char == "[":
            depth = 1
            while at < len(pattern) and depth:
                depth += {"[": 1, "]": -1}.get(pattern[at], 0)
                at += 2 if pattern[at] == "\\" else 1
            last = 8
        elif char == "\\":
            named = pattern[at : at + 1] in ("p", "P") and pattern[at + 1 : at + 2] == "{"
            at = pattern.find("}", at) + 1 or len(pattern) if named else at + 1
            last = 8
        else:
            last = 8 if char == "." else 1
        groups[-1] += last
    return sum(groups)


def shown(value: Any) -> str:
    """A part of a schema in an error."""
    return repr(value)[:100] if isinstance(value, str) else type(value).__name__


def _equal(allowed: list[Any]) -> CoreSchema:
    """One of these values; pydantic's own literals take no lists and objects, and True for 1."""
    words = ", ".join(_word(item) for item in allowed[:10])
    if all(isinstance(item, str) for item in allowed):
        texts = core_schema.literal_schema(allowed)
        if sum(map(len, allowed)) <= _TOLD_CHARS:
            return texts
        # The error of each wrong value names them all, and there can be a thousand of both.
        return core_schema.custom_error_schema(
            texts,
            custom_error_type="no_alternative",
            custom_error_message=f"Input should be one of {len(allowed)} texts, such as {words}",
        )
    # Types count, and a set finds a value among thousands as fast as among two.
    plain = {(type(item), item) for item in allowed if isinstance(item, _HASHED)}
    others = [item for item in allowed if not isinstance(item, _HASHED)]

    def check(value: Any, info: Any) -> Any:
        if isinstance(value, _HASHED):
            found = (type(value), value) in plain
        else:
            if info.context is not None:
                info.context.spend(len(others))
            found = any(type(value) is type(item) and value == item for item in others)
        if not found:
            raise ValueError(f"expected one of {words}")
        return value

    return core_schema.with_info_plain_validator_function(check)


_HASHED = (str, int, float, bytes, type(None))


def _word(item: Any) -> str:
    if isinstance(item, int) and item.bit_length() > 256:
        return "a huge int"
    if isinstance(item, (list, dict, tuple)):
        return f"{type(item).__name__} of {len(item)}"
    return repr(item)[:40]


def _whole(value: Any) -> Any:
    return int(value) if type(value) is float and value.is_integer() else value


def _as_it_was(value: Any, check: Callable[[Any], Any]) -> Any:
    """Checked as a float, but an integer stays one."""
    check(value)
    return value
