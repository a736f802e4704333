"""Checking arguments and results: pydantic's reading of a signature, or a JSON schema translated for it."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import PydanticSchemaGenerationError, PydanticUserError, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import SchemaError, SchemaSerializer, SchemaValidator, ValidationError

from ..errors import CapabilityDefinitionError
from ..protocol.values import MAX_KEY_BITS, can_be_keys
from .json_schema import TooMuchWork, translate

# How much of a wrong argument is shown, and how many problems of one call.
_SHOWN_CHARS = 60
_SHOWN_PROBLEMS = 3
# With more than these, none is looked at: each is many times as large as the wrong value.
_MOST_PROBLEMS = 1_000
_SPARE_NAMES = 100
# Types whose values are what crosses already.
_PLAIN = (int, float, bool, str, bytes, None)


class Mismatch(Exception):
    """Arguments or a result that do not fit; the text names what, expected and got."""


class _Schemas(GenerateJsonSchema):
    """JSON schemas that also say what JSON has no type for, as ``format`` and ``x-keys``: declarations tell it
    (``shapes.py``). They describe what crosses, so what a model always has is required in results."""

    def decimal_schema(self, schema: Any) -> dict[str, Any]:
        return {**super().decimal_schema(schema), "format": "decimal"}

    def complex_schema(self, schema: Any) -> dict[str, Any]:
        return {**super().complex_schema(schema), "format": "complex"}

    def frozenset_schema(self, schema: Any) -> dict[str, Any]:
        return {**super().frozenset_schema(schema), "format": "frozenset"}

    def tuple_schema(self, schema: Any) -> dict[str, Any]:
        return {**super().tuple_schema(schema), "format": "tuple"}

    def dict_schema(self, schema: Any) -> dict[str, Any]:
        made = super().dict_schema(schema)
        keys = self.generate_inner(schema["keys_schema"]) if "keys_schema" in schema else {"type": "string"}
        if keys.get("type") != "string" or "format" in keys:
            made["x-keys"] = keys
        return made

    def field_is_required(self, field: Any, total: bool) -> bool:
        if self.mode == "serialization" and field["type"] != "typed-dict-field":
            return not field.get("serialization_exclude")
        return super().field_is_required(field, total)


class Parameters:
    """The parameters of a capability: names in order, JSON schema, and the check."""

    __slots__ = ("json_schema", "names", "open", "required", "signature", "size", "unchecked", "validate")

    def __init__(
        self,
        names: tuple[str, ...],
        required: frozenset[str],
        open_: bool,
        validate: Callable[[dict[str, Any]], dict[str, Any]],
        json_schema: dict[str, Any],
        signature: inspect.Signature | None,
        unchecked: frozenset[str] = frozenset(),
        size: int = 0,
    ) -> None:
        self.names: tuple[str, ...] = names
        self.required: frozenset[str] = required
        self.open: bool = open_  # takes names beside these
        self.validate: Callable[[dict[str, Any]], dict[str, Any]] = validate
        self.json_schema: dict[str, Any] = json_schema
        self.signature: inspect.Signature | None = signature
        self.unchecked: frozenset[str] = unchecked  # keywords of a JSON schema that are not looked at
        self.size: int = size  # of a JSON schema: its parts, and the states of its patterns

    def bind(self, args: list[Any], kwargs: dict[str, Any], name: str) -> dict[str, Any]:
        """The arguments by name, validated.

        Raises:
            Mismatch: they do not fit.
        """
        if args:
            names = self.names
            if len(args) > len(names):
                takes = (
                    f"takes {len(names)} argument{'s' if len(names) != 1 else ''}" if names else "takes no arguments"
                )
                raise Mismatch(f"{name} {takes}, {len(args)} were given")
            named = dict(zip(names, args, strict=False))
            twice = named.keys() & kwargs.keys()
            if twice:
                raise Mismatch(f"{name}: argument {min(twice)!r} was given twice, by position and by name")
            kwargs = {**named, **kwargs}
        if len(kwargs) > len(self.names) + _SPARE_NAMES and not self.open:
            # pydantic would make a problem of each, and there can be a million.
            wrong = next(key for key in kwargs if key not in self.names)
            raise Mismatch(f"{name}: {self._no_such(repr(str(wrong)[:200]))}; {len(kwargs)} arguments were given")
        try:
            return self.validate(kwargs)
        except ValidationError as error:
            raise Mismatch(self._explain(error, name)) from None
        except TooMuchWork as error:
            raise Mismatch(f"{name}: the arguments are refused: {error}") from None
        except Exception as error:
            raise Mismatch(f"{name}: the check of the arguments failed with {type(error).__name__}") from None

    def _explain(self, error: ValidationError, name: str) -> str:
        if error.error_count() > _MOST_PROBLEMS:
            return f"{name}: the arguments do not fit in {error.error_count()} places"
        problems = error.errors(include_url=False, include_context=False)
        lines = [self._problem(problem) for problem in problems[:_SHOWN_PROBLEMS]]
        if len(problems) > _SHOWN_PROBLEMS:
            lines.append(f"and {len(problems) - _SHOWN_PROBLEMS} more")
        return f"{name}: {'; '.join(lines)}"

    def _problem(self, problem: Any) -> str:
        where = _place(problem["loc"])
        kind = problem["type"]
        if kind in ("missing", "missing_argument", "missing_keyword_only_argument"):
            return f"argument {where} is missing"
        if kind in ("unexpected_keyword_argument", "extra_forbidden"):
            return self._no_such(where)
        message = problem["msg"]
        return f"argument {where}: {message[:1].lower()}{message[1:]}; got {shown(problem['input'])}"

    def _no_such(self, where: str) -> str:
        return f"there is no argument {where}; there are: {', '.join(self.names) or 'none'}"


def _place(location: tuple[int | str, ...]) -> str:
    parts = [str(part) for part in location]
    return repr(".".join(parts)[:200]) if parts else "(all)"


def shown(value: Any) -> str:
    """A value in an error: cut, with its type."""
    if value is None:
        return "None"
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 256:
        return "a huge int"
    if isinstance(value, (str, bytes)):
        text = repr(value[: _SHOWN_CHARS + 1])
    elif isinstance(value, (list, tuple, dict, set, frozenset)):
        return f"{type(value).__name__} of {len(value)}"
    else:
        try:
            text = repr(value)
        except Exception:  # such as of a fraction with more digits than Python writes
            return f"a {type(value).__name__}"
    if len(text) > _SHOWN_CHARS:
        text = text[:_SHOWN_CHARS] + "..."
    return f"{text} ({type(value).__name__})"


def of_function(function: Callable[..., Any], name: str) -> "tuple[Parameters, Result]":
    """Parameters and result from a signature.

    Raises:
        CapabilityDefinitionError: a parameter or type that cannot cross.
    """
    try:
        signature = inspect.signature(function, eval_str=True)
    except (TypeError, ValueError, NameError) as error:
        raise CapabilityDefinitionError(f"capability {name!r}: its signature cannot be read: {error}") from None
    names = []
    required = set()
    open_ = False
    for parameter in signature.parameters.values():
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            raise CapabilityDefinitionError(
                f"capability {name!r} takes *{parameter.name}: arguments cross by name; take a list instead"
            )
        if parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
            raise CapabilityDefinitionError(
                f"capability {name!r}: parameter {parameter.name!r} is positional-only; arguments cross by name"
            )
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            open_ = True
            continue
        names.append(parameter.name)
        if parameter.default is inspect.Parameter.empty:
            required.add(parameter.name)
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(function)  # type: ignore[arg-type]
        core = adapter.core_schema
        validator = _validator(_arguments_of(core))
        json_schema = adapter.json_schema(schema_generator=_Schemas)
    except (PydanticSchemaGenerationError, PydanticUserError, SchemaError, NameError) as error:
        first = str(error).partition("\n")[0]
        raise CapabilityDefinitionError(f"capability {name!r}: a parameter's type cannot cross: {first}") from None
    validate_python = validator.validate_python
    order = tuple(names)

    def validate(given: dict[str, Any]) -> dict[str, Any]:
        named: dict[str, Any] = validate_python(given)[1]
        return named

    parameters = Parameters(order, frozenset(required), open_, validate, json_schema, signature)
    return parameters, Result.of_annotation(signature.return_annotation, name)


def _validator(core: Any) -> SchemaValidator:
    """For a core schema as it is: newer versions of pydantic take the check of a model that its class has, which is not
    the hardened one."""
    make: Any = SchemaValidator
    try:
        made: SchemaValidator = make(core, _use_prebuilt=False)
    except TypeError:
        made = make(core)
    return made


def _arguments_of(core: Any, definitions: tuple[Any, ...] = ()) -> Any:
    """The part of a function's core schema that checks its arguments, without the call; all of them by name."""
    if core["type"] == "definitions":
        parts = tuple(core["definitions"])
        safe = [_hardened(part, parts) for part in parts]
        return {**core, "schema": _arguments_of(core["schema"], parts), "definitions": safe}
    arguments = core["arguments_schema"]
    by_name = [{**_hardened(one, definitions), "mode": "keyword_only"} for one in arguments["arguments_schema"]]
    return {**arguments, "arguments_schema": by_name}


_NO_SCHEMAS = frozenset(("default", "metadata", "serialization", "expected", "config"))
# A guest's own keys, or texts, whose hashes are secret.
_HARMLESS_KEYS = frozenset((None, "any", "str"))


def _hardened(core: Any, definitions: tuple[Any, ...]) -> Any:
    """A core schema that a guest cannot make busy for long.

    Its lists end at their first wrong item: a million wrong items are one problem, and not a million problems, each
    many times as large. Its sets and dicts are not made of keys that collide, nor its decimals of huge integers.
    """
    if isinstance(core, list):
        return [_hardened(item, definitions) for item in core]
    if isinstance(core, tuple):
        return tuple(_hardened(item, definitions) for item in core)
    if not isinstance(core, dict):
        return core
    made = {key: value if key in _NO_SCHEMAS else _hardened(value, definitions) for key, value in core.items()}
    kind = made.get("type")
    if kind in ("list", "set", "frozenset", "tuple"):
        made["fail_fast"] = True
    if kind in ("set", "frozenset"):
        return _with_keys(made, core.get("items_schema"), definitions)
    if kind == "dict" and isinstance(keys := core.get("keys_schema"), dict) and keys["type"] not in _HARMLESS_KEYS:
        return _with_keys(made, keys, definitions)
    if kind == "decimal":
        return {"type": "function-before", "function": {"type": "no-info", "function": _soon_a_decimal}, "schema": made}
    return made


def _with_keys(made: Any, key: Any, definitions: tuple[Any, ...]) -> Any:
    """The schema of a set or dict, behind a look at what its keys become: 30,000 texts may become as many integers of
    one hash."""
    keys: Any = {"type": "list", "fail_fast": True}
    if key is not None:
        keys["items_schema"] = _hardened(key, definitions)
    if definitions:
        keys = {"type": "definitions", "schema": keys, "definitions": list(definitions)}
    validator = _validator(keys)

    def check(value: Any, handler: Callable[[Any], Any]) -> Any:
        if isinstance(value, (list, tuple, set, frozenset, dict)) and not can_be_keys(
            validator.validate_python(list(value))
        ):
            raise ValueError("cannot be hashed, or too many have the same hash")
        return handler(value)

    return {"type": "function-wrap", "function": {"type": "no-info", "function": check}, "schema": made}


def _soon_a_decimal(value: Any) -> Any:
    if isinstance(value, int) and value.bit_length() > MAX_KEY_BITS:
        # In quadratic time: seconds for one of a million bits.
        raise ValueError(f"has more than {MAX_KEY_BITS} bits: pass its digits as text")
    return value


class Result:
    """The check of what a capability gives back; and plain values for it (a model becomes a dict)."""

    __slots__ = ("_dump", "_validate", "json_schema")

    def __init__(
        self, validate: Callable[[Any], Any] | None, dump: Callable[[Any], Any] | None, json_schema: dict[str, Any]
    ) -> None:
        self._validate = validate
        self._dump = dump
        self.json_schema: dict[str, Any] = json_schema

    @classmethod
    def of_annotation(cls, annotation: Any, name: str) -> "Result":
        if annotation is inspect.Signature.empty or annotation is Any:
            return cls(None, None, {})
        try:
            adapter: TypeAdapter[Any] = TypeAdapter(annotation)
            # By field names, as the values cross.
            json_schema = adapter.json_schema(mode="serialization", by_alias=False, schema_generator=_Schemas)
        except (PydanticSchemaGenerationError, PydanticUserError, SchemaError, NameError) as error:
            first = str(error).partition("\n")[0]
            raise CapabilityDefinitionError(f"capability {name!r}: its result's type cannot cross: {first}") from None
        serializer = adapter.serializer
        dump: Callable[[Any], Any] | None
        dump = serializer.to_python if isinstance(serializer, SchemaSerializer) else adapter.dump_python
        if annotation in _PLAIN:
            dump = None
        return cls(adapter.validator.validate_python, dump, json_schema)

    @classmethod
    def of_json_schema(cls, schema: Mapping[str, Any] | None, name: str) -> "Result":
        if not schema:
            return cls(None, None, {})
        return cls(translate(schema, f"{name}: result").check, None, dict(schema))

    def check(self, value: Any) -> Any:
        """The result as it goes on.

        Raises:
            Mismatch: it does not fit what the capability says that it gives.
        """
        if self._validate is None:
            return value
        try:
            value = self._validate(value)
        except ValidationError as error:
            if error.error_count() > _MOST_PROBLEMS:
                raise Mismatch(f"the result does not fit in {error.error_count()} places") from None
            problem = error.errors(include_url=False, include_context=False)[0]
            where = f" at {_place(problem['loc'])}" if problem["loc"] else ""
            raise Mismatch(f"the result does not fit{where}: {problem['msg']}; got {shown(problem['input'])}") from None
        except TooMuchWork as error:
            raise Mismatch(f"the result is refused: {error}") from None
        except Exception as error:
            raise Mismatch(f"the check of the result failed with {type(error).__name__}") from None
        if self._dump is None:
            return value
        try:
            return self._dump(value)
        except Exception as error:
            raise Mismatch(f"the result cannot be written as plain values: {type(error).__name__}") from None


def of_json_schema(schema: Mapping[str, Any], name: str) -> Parameters:
    """Parameters from a JSON schema of an object, for tools that come from elsewhere.

    Raises:
        CapabilityDefinitionError: not the schema of an object, too large, or with what is not understood.
    """
    if schema.get("type", "object") != "object":
        raise CapabilityDefinitionError(f"capability {name!r}: its parameters must be the JSON schema of an object")
    properties = schema.get("properties") or {}
    translated = translate({"type": "object", **schema}, name)
    required = frozenset(schema.get("required") or ())
    # Required ones first, as a signature would have them: what a positional argument means.
    names = tuple(sorted(properties, key=lambda key: key not in required))
    open_ = schema.get("additionalProperties", True) is not False
    return Parameters(
        names, required, open_, translated.check, dict(schema), None, translated.unchecked, translated.size
    )
