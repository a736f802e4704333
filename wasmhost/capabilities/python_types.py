"""Shapes as types of Python."""

import inspect
import math
from collections.abc import Callable
from typing import Any

from .capability import Capability
from .names import is_written
from .plain_text import one_line, python_string
from .shapes import (
    ANY,
    NONE,
    TEXT,
    Either,
    Field,
    Literals,
    Many,
    Named,
    Plain,
    Record,
    Shape,
    Shapes,
    Table,
    Tuple,
    either,
    parts_of,
)

_PLAIN = {
    "any": "Any",
    "never": "Never",
    "none": "None",
    "boolean": "bool",
    "integer": "int",
    "number": "float",
    "text": "str",
    "decimal": "Decimal",
    "uuid": "UUID",
    "fraction": "Fraction",
}  # the others are called as in Python
_MAX_DEFAULT = 60

# What a model may not be called in a stub: what it imports, and what it declares itself.
_RESERVED_WORDS = """
Any AsyncTool Callable Concatenate Coroutine Decimal Fraction Literal Never NotRequired ReadOnly Tool Tools
TypedDict UUID Protocol None True False
"""
RESERVED = frozenset(_RESERVED_WORDS.split())
BUILTIN = frozenset(["bool", "bytes", "complex", "dict", "float", "frozenset", "int", "list", "set", "str", "tuple"])


class PythonTypes:
    """Writes types; notes which names they need."""

    def __init__(
        self,
        shapes: Shapes,
        name_of: Callable[[Record], str] | None = None,
        taken: frozenset[str] = frozenset(),
    ) -> None:
        """
        Args:
            name_of: gives an object with fields its name; without it such an object is a ``dict``.
            taken: names that mean something else where the types stand, as that of a method ``list`` does in its class.
        """
        self.shapes: Shapes = shapes
        self.used: dict[str, str] = {}  # names that were used, with how they are written
        self._name_of = name_of
        self._taken = taken

    def use(self, name: str) -> str:
        """How a name is written, which is noted."""
        written = name
        while written in self._taken:
            written += "_"
        self.used[name] = written
        return written

    def of(self, shape: Shape) -> str:
        if isinstance(shape, Plain):
            return "None" if shape == NONE else self.use(_PLAIN.get(shape.kind, shape.kind))
        if isinstance(shape, Literals):
            words = (python_string(v) if isinstance(v, str) else repr(v) for v in shape.values)
            return f"{self.use('Literal')}[{', '.join(words)}]"
        if isinstance(shape, Either):
            return " | ".join(dict.fromkeys(self.of(one) for one in shape.shapes))
        if isinstance(shape, Many):
            item = self.of(shape.item)
            kind = self.use(shape.kind)
            return f"{kind}[{item}, ...]" if shape.kind == "tuple" else f"{kind}[{item}]"
        if isinstance(shape, Tuple):
            if shape.kind == "list":
                rest = [] if shape.rest is None else [shape.rest]
                return f"{self.use('list')}[{self.of(either([*shape.items, *rest]))}]"
            items = [self.of(item) for item in shape.items]
            if shape.rest is not None:
                items.append(f"*{self.use('tuple')}[{self.of(shape.rest)}, ...]")
            return f"{self.use('tuple')}[{', '.join(items) or '()'}]"
        if isinstance(shape, Table):
            return f"{self.use('dict')}[{self.of(shape.key)}, {self.of(shape.value)}]"
        if isinstance(shape, Named):
            model = self.shapes.models.get(shape.name, ANY)
            named = self._name_of is not None or isinstance(model, Record)
            return shape.name if named else self.of_small(model)
        return self.of(Table(TEXT, ANY)) if self._name_of is None else self._name_of(shape)

    def of_small(self, model: Shape) -> str:
        """A model that is no object, written out where it stands; one that refers on is ``Any``."""
        if any(isinstance(part, Named) for part in parts_of(model)):
            return self.of(ANY)
        return self.of(model)

    def parameters(self, capability: Capability, arguments: Record, me: str = "") -> tuple[str, list[Field]]:
        """What stands in the parentheses, and the arguments that no program can write by name."""
        odd = [field for field in arguments.fields if not is_written(field.name, "python")]
        fields = [field for field in arguments.fields if is_written(field.name, "python")]
        signature = capability.parameters.signature
        parts = [me] if me else []
        keyword_only = False
        for field in fields:
            given = signature.parameters.get(field.name) if signature is not None else None
            if not keyword_only and (given is None or given.kind is inspect.Parameter.KEYWORD_ONLY):
                parts.append("*")
                keyword_only = True
            text = f"{field.name}: {self.of(field.shape)}"
            if not field.required:
                text += f" = {self._default(field, given)}"
            parts.append(text)
        if arguments.open or odd:
            taken = {field.name for field in fields}
            more = "more"
            while more in taken:
                more += "_"
            parts.append(f"**{more}: {self.of(ANY)}")
        return ", ".join(parts), odd

    def _default(self, field: Field, given: inspect.Parameter | None) -> str:
        if given is None:
            return "..."
        value = given.default
        if value is None or isinstance(value, (bool, int, float, str)):
            if type(value) not in (type(None), bool, int, float, str) or not fits(value, field.shape):
                return "..."
            if isinstance(value, float) and not math.isfinite(value):
                return "..."
            if isinstance(value, int) and value.bit_length() > 64:
                return "..."
            text = repr(value)
            return text if len(text) <= _MAX_DEFAULT else "..."
        return "..."


def fits(value: Any, shape: Shape) -> bool:
    """Whether a type checker would take a default for that type."""
    if isinstance(shape, Either):
        return any(fits(value, one) for one in shape.shapes)
    if isinstance(shape, Literals):
        return any(type(one) is type(value) and one == value for one in shape.values)
    if isinstance(shape, Plain):
        kinds: dict[str, tuple[type, ...]] = {
            "any": (object,),
            "none": (type(None),),
            "boolean": (bool,),
            "integer": (int,),
            "number": (int, float),
            "text": (str,),
        }
        return isinstance(value, kinds.get(shape.kind, ()))
    return False


def about_lines(fields: "tuple[Field, ...] | list[Field]") -> list[str]:
    """A line for each argument that is described."""
    return [f"{one_line(field.name, 80)}: {one_line(field.about, 200)}" for field in fields if field.about.strip()]
