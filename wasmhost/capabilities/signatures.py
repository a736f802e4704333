"""A capability's signature as text in the guest's language, for ``help`` and listings in the guest."""

import inspect
from collections.abc import Mapping
from typing import Any

from .capability import Capability


def python_signature(capability: Capability) -> str:
    """Such as ``(user_id: int, fields: list[str] | None = None) -> User``."""
    signature = capability.parameters.signature
    if signature is not None:
        plain = [
            parameter.replace(
                annotation=_named(parameter.annotation),
                default=parameter.default if _is_literal(parameter.default) else _Ellipsis(),
            )
            for parameter in signature.parameters.values()
        ]
        returns = _named(signature.return_annotation)
        return str(inspect.Signature(plain, return_annotation=returns))
    schema = capability.input_schema
    properties = schema.get("properties") or {}
    required = capability.parameters.required
    parts = [
        f"{name}: {_python(properties.get(name, {}))}" + ("" if name in required else " = None")
        for name in capability.parameters.names
        if name.isidentifier()
    ]
    return f"(*, {', '.join(parts)})" if parts else "()"


class _Ellipsis:
    """A default that has no short text."""

    def __repr__(self) -> str:
        return "..."


class _Name:
    def __init__(self, text: str) -> None:
        self.text: str = text

    def __repr__(self) -> str:
        return self.text


def _is_literal(value: Any) -> bool:
    return value is inspect.Parameter.empty or value is None or isinstance(value, (bool, int, float, str))


def _named(annotation: Any) -> Any:
    """The annotation by its bare name: modules of the host are nothing to a guest."""
    if annotation is inspect.Parameter.empty:
        return annotation
    text = inspect.formatannotation(annotation)
    parts = []
    word = ""
    for char in text + " ":
        if char.isalnum() or char in "_.":
            word += char
            continue
        parts.append(word.rpartition(".")[2] if not word.replace(".", "").isdigit() else word)
        parts.append(char)
        word = ""
    return _Name("".join(parts)[:-1])


_PYTHON = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None", "object": "dict"}
_TYPESCRIPT = {"integer": "number", "null": "null", "string": "string", "number": "number", "boolean": "boolean"}


def _python(schema: Any) -> str:
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    if kind == "array":
        return f"list[{_python(schema.get('items', {}))}]"
    if isinstance(kind, list):
        return " | ".join(_PYTHON.get(item, "Any") for item in kind)
    return _PYTHON.get(kind, "Any") if isinstance(kind, str) else "Any"


def javascript_signature(capability: Capability) -> str:
    """Such as ``({user_id: number, fields?: string[] | null}): Promise<User>``."""
    schema = capability.input_schema
    definitions = schema.get("$defs") or {}
    properties = schema.get("properties") or {}
    required = capability.parameters.required
    parts = [
        f"{name}{'' if name in required else '?'}: {_typescript(properties.get(name, {}), definitions, 3)}"
        for name in capability.parameters.names
    ]
    output = capability.output_schema
    result = _typescript(output, output.get("$defs") or {}, 3) if output else "any"
    arguments = f"{{{', '.join(parts)}}}" if parts else ""
    return f"({arguments}): Promise<{result}>"


def _typescript(schema: Any, definitions: Mapping[str, Any], left: int) -> str:
    if not isinstance(schema, Mapping) or left == 0:
        return "any"
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        return _typescript(definitions.get(name, {}), definitions, left - 1)
    if "enum" in schema:
        return " | ".join(repr(item) if isinstance(item, str) else str(item) for item in schema["enum"][:20])
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            return " | ".join(_typescript(item, definitions, left - 1) for item in schema[keyword])
    kind = schema.get("type")
    if kind == "array":
        inner = _typescript(schema.get("items", {}), definitions, left - 1)
        return f"({inner})[]" if " " in inner else f"{inner}[]"
    if kind == "object" and schema.get("properties"):
        required = schema.get("required") or ()
        fields = [
            f"{name}{'' if name in required else '?'}: {_typescript(item, definitions, left - 1)}"
            for name, item in schema["properties"].items()
        ]
        return f"{{{', '.join(fields)}}}"
    if kind == "string" and schema.get("format") == "binary":
        return "Uint8Array"
    return _TYPESCRIPT.get(kind, "any") if isinstance(kind, str) else "any"
