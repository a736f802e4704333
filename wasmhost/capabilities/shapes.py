"""What may be passed to a capability and what it gives back, as shapes: one reading of its JSON schemas, of which each
language writes its own types."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .capability import Capability

# More of a schema than this is `any`.
_MAX_NODES = 2_000
_MAX_DEPTH = 40
_MAX_LITERALS = 50
_MAX_LITERAL_CHARS = 1_000
_MAX_NAME_CHARS = 200
# Models of larger schemas of elsewhere are not held against those of other tools.
_MAX_COMPARED = 50_000


@dataclass(frozen=True, slots=True)
class Plain:
    """``any never none boolean integer number text``, or what only crosses beside JSON: ``bytes datetime date time
    timedelta decimal uuid complex fraction``."""

    kind: str


@dataclass(frozen=True, slots=True)
class Literals:
    """One of some values."""

    values: tuple[str | int | bool | None, ...]

    def __hash__(self) -> int:
        return hash(repr(self.values))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Literals) and repr(self.values) == repr(other.values)  # True is not 1


@dataclass(frozen=True, slots=True)
class Either:
    shapes: tuple["Shape", ...]


@dataclass(frozen=True, slots=True)
class Many:
    """``list set frozenset``, or ``tuple`` of any length."""

    kind: str
    item: "Shape"


@dataclass(frozen=True, slots=True)
class Tuple:
    kind: str  # what carries it in Python: a tuple, or a list in JSON
    items: tuple["Shape", ...]
    rest: "Shape | None"


@dataclass(frozen=True, slots=True)
class Table:
    key: "Shape"
    value: "Shape"


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    shape: "Shape"
    required: bool
    about: str


@dataclass(frozen=True, slots=True)
class Record:
    """An object with fields. ``hint`` is what to call it where it needs a name; ``open``: it says that it has more."""

    fields: tuple[Field, ...]
    open: bool
    hint: str


@dataclass(frozen=True, slots=True)
class Named:
    """A model of :attr:`Shapes.models`."""

    name: str


Shape = Plain | Literals | Either | Many | Tuple | Table | Record | Named

ANY, NONE, TEXT, INTEGER = Plain("any"), Plain("none"), Plain("text"), Plain("integer")
_SCALARS = {
    "string": TEXT,
    "integer": INTEGER,
    "number": Plain("number"),
    "boolean": Plain("boolean"),
    "null": NONE,
}
# Formats of pydantic's schemas that are types of their own; a JSON schema of elsewhere means texts by them.
_RICH = {
    "binary": "bytes",
    "base64url": "bytes",
    "date-time": "datetime",
    "date": "date",
    "time": "time",
    "duration": "timedelta",
    "uuid": "uuid",
    "decimal": "decimal",
    "complex": "complex",
    "fraction": "fraction",
}


def either(shapes: list[Shape]) -> Shape:
    """Their union, flat and without doubles."""
    flat: dict[Shape, None] = {}
    literals: list[str | int | bool | None] = []
    for shape in shapes:
        for one in shape.shapes if isinstance(shape, Either) else (shape,):
            if isinstance(one, Literals):
                literals += [value for value in one.values if all(value is not other for other in literals)]
            else:
                flat[one] = None
    if literals:
        flat = {Literals(tuple(literals)): None, **flat}
    if ANY in flat or not flat:
        return ANY
    if NONE in flat:
        flat[NONE] = flat.pop(NONE)  # last, as people write it
    return next(iter(flat)) if len(flat) == 1 else Either(tuple(flat))


class Shapes:
    """The shapes of some capabilities, with the models that they name.

    Args:
        reserved: names that no model may get.
    """

    def __init__(self, reserved: frozenset[str] = frozenset()) -> None:
        self.models: dict[str, Shape] = {}
        self._taken: set[str] = set(reserved)
        self._names: dict[tuple[str, str], str] = {}

    def arguments(self, capability: Capability) -> Record:
        """The arguments, in the order that positions mean."""
        shape = self._read(capability, capability.input_schema, "input")
        names = capability.parameters.names
        found = {field.name: field for field in shape.fields} if isinstance(shape, Record) else {}
        required = capability.parameters.required
        shown = [name for name in names if len(name) <= _MAX_NAME_CHARS]
        fields = tuple(
            Field(name, found[name].shape, name in required, found[name].about)
            if name in found
            else Field(name, ANY, name in required, "")
            for name in shown
        )
        # A JSON schema that says nothing of more names takes them; that is no invitation.
        said = capability.parameters.signature is not None or "additionalProperties" in capability.input_schema
        more = (capability.parameters.open and said) or len(shown) < len(names)
        return Record(fields, more, "")

    def result(self, capability: Capability) -> Shape:
        schema = capability.output_schema
        return self._read(capability, schema, "output") if schema else ANY

    def _read(self, capability: Capability, schema: Mapping[str, Any], direction: str) -> Shape:
        return _Reading(self, capability, schema, direction).whole()

    def model_name(self, hint: str, key: str, direction: str = "") -> tuple[str, bool]:
        """A name for a model, and whether it is new; ``key`` says what it is. A model that arguments have otherwise
        than results is called ``...Input`` there, if results were read first."""
        base = identifier(hint)
        known = self._names.get((base, key))
        if known is not None:
            return known, False
        name = f"{base}Input" if direction == "input" and base in self._taken else base
        number = 2
        while name in self._taken:
            name, number = f"{base}{number}", number + 1
        self._taken.add(name)
        self._names[base, key] = name
        return name, True


def identifier(text: str) -> str:
    """A name for a type: what is no letter or digit is left out, each part begins with a capital."""
    parts = "".join(c if c.isascii() and c.isalnum() else " " for c in text).split()
    name = "".join(part[:1].upper() + part[1:] for part in parts)[:60]
    return name if name[:1].isalpha() else f"T{name}"


class _Reading:
    def __init__(self, shapes: Shapes, capability: Capability, root: Mapping[str, Any], direction: str) -> None:
        self.shapes: Shapes = shapes
        self.root: Mapping[str, Any] = root
        self.rich: bool = capability.parameters.signature is not None
        self.direction: str = direction
        self.hint: str = capability.name + (" result" if direction == "output" else "")
        self.nodes: int = 0
        self._names: dict[str, Named] = {}
        self._small = self.rich or len(repr(root)) <= _MAX_COMPARED

    def whole(self) -> Shape:
        title = self.root.get("title")
        if self.rich and self.direction == "output" and isinstance(title, str) and self.root.get("properties"):
            # A model that is the whole result: pydantic writes it out, elsewhere it has a name.
            return self.named(title, {name: part for name, part in self.root.items() if name != "$defs"}, 0)
        return self.node(self.root, 0, self.hint)

    def named(self, hint: str, schema: Mapping[str, Any], depth: int) -> Named:
        name, new = self.shapes.model_name(hint, self.key(schema), self.direction)
        if new:
            self.shapes.models[name] = ANY  # while it is read: it may name itself
            self.shapes.models[name] = self.node(schema, depth + 1, name)
        return Named(name)

    def node(self, schema: Any, depth: int, hint: str) -> Shape:
        self.nodes += 1
        if not isinstance(schema, Mapping) or self.nodes > _MAX_NODES or depth > _MAX_DEPTH:
            return Plain("never") if schema is False else ANY
        if "$ref" in schema:
            return self.reference(schema["$ref"], depth)
        made = self.typed(schema, depth, hint)
        for keyword in ("anyOf", "oneOf"):
            items = schema.get(keyword)
            if isinstance(items, list) and made == ANY:
                rich = _RICH.get(schema.get("format", "")) if self.rich else None
                made = Plain(rich) if rich else either([self.node(item, depth + 1, hint) for item in items])
        items = schema.get("allOf")
        if isinstance(items, list):
            made = self.all_of([made, *(self.node(item, depth + 1, hint) for item in items)], hint)
        if schema.get("nullable") is True:
            made = either([made, NONE])
        return made

    def all_of(self, shapes: list[Shape], hint: str) -> Shape:
        parts = [shape for shape in shapes if shape != ANY]
        if len(parts) <= 1:
            return parts[0] if parts else ANY
        records = [self.shapes.models.get(p.name, ANY) if isinstance(p, Named) else p for p in parts]
        fields: dict[str, Field] = {}
        for record in records:
            if not isinstance(record, Record):
                return ANY
            fields.update({field.name: field for field in record.fields})
        return Record(tuple(fields.values()), any(isinstance(r, Record) and r.open for r in records), hint)

    def reference(self, target: Any, depth: int) -> Shape:
        found: Any = self.root
        if not isinstance(target, str) or not target.startswith("#/"):
            return ANY
        for part in target[2:].split("/"):
            part = part.replace("~1", "/").replace("~0", "~")
            if not isinstance(found, Mapping) or part not in found:
                return ANY
            found = found[part]
        if not isinstance(found, Mapping) or found is self.root:
            return ANY
        if target not in self._names:
            last = target.rpartition("/")[2].replace("~1", "/").replace("~0", "~")
            self._names[target] = self.named(last, found, depth)
        return self._names[target]

    def key(self, found: Mapping[str, Any]) -> str:
        """What tells two models of one name apart: all that they say, and the direction where types depend on it."""
        if not self._small:
            return f"{self.hint} {id(found)}"
        reached: dict[str, Any] = {}
        _collect(found, self.root, reached)
        text = repr(found) + repr(sorted(reached.items()))
        rich = self.rich and any(f"'{word}'" in text for word in ("duration", "decimal", "complex"))
        return f"{self.rich}{self.direction if rich else ''}{text}"

    def typed(self, schema: Mapping[str, Any], depth: int, hint: str) -> Shape:
        if "const" in schema:
            return self.literals([schema["const"]])
        if isinstance(schema.get("enum"), list):
            return self.literals(schema["enum"])
        kinds = schema.get("type")
        if kinds is None:
            kinds = "object" if "properties" in schema else "array" if "items" in schema else None
        if isinstance(kinds, list):
            return either([self.typed({**schema, "type": kind}, depth, hint) for kind in kinds[:10]])
        if kinds == "array":
            return self.array(schema, depth, hint)
        if kinds == "object":
            return self.object(schema, depth, hint)
        if kinds == "string" and self.rich:
            kind = _RICH.get(str(schema.get("format")))
            if kind is not None:
                return Plain(kind)
        return _SCALARS.get(kinds, ANY) if isinstance(kinds, str) else ANY

    def literals(self, values: list[Any]) -> Shape:
        kinds: list[Shape] = []
        for value in values:
            kinds.append(
                NONE
                if value is None
                else _SCALARS["boolean"]
                if isinstance(value, bool)
                else INTEGER
                if isinstance(value, int)
                else _SCALARS["number"]
                if isinstance(value, float)
                else TEXT
                if isinstance(value, str)
                else ANY
            )
        size = sum(len(value) if isinstance(value, str) else 8 for value in values)
        small = len(values) <= _MAX_LITERALS and size <= _MAX_LITERAL_CHARS
        small = small and all(abs(value) < 1 << 53 for value in values if isinstance(value, int))
        if not small or any(kind in (ANY, _SCALARS["number"]) for kind in kinds):
            return either(kinds)
        rest = [value for value in values if value is not None]
        nothing: list[Shape] = [NONE] if len(rest) < len(values) else []
        return either([Literals(tuple(rest)), *nothing]) if rest else NONE

    def array(self, schema: Mapping[str, Any], depth: int, hint: str) -> Shape:
        prefix, items = schema.get("prefixItems"), schema.get("items", True)
        if isinstance(prefix, list):
            exact = schema.get("maxItems") == len(prefix) or items is False
            made = tuple(self.node(item, depth + 1, f"{hint} item") for item in prefix)
            rest = None if exact else self.node(items, depth + 1, f"{hint} item")
            return Tuple("tuple" if self.rich else "list", made, rest)
        item = self.node(items, depth + 1, f"{hint} item")
        kind = "list"
        if self.rich:
            said = schema.get("format")
            kind = said if said in ("frozenset", "tuple") else "set" if schema.get("uniqueItems") is True else "list"
            if said == "tuple" and schema.get("maxItems") == 0:
                return Tuple("tuple", (), None)
        return Many(kind, item)

    def object(self, schema: Mapping[str, Any], depth: int, hint: str) -> Shape:
        properties = schema.get("properties")
        more = schema.get("additionalProperties")
        if not isinstance(properties, Mapping) or not properties:
            keys = self.node(schema["x-keys"], depth + 1, hint) if self.rich and "x-keys" in schema else TEXT
            if more is False and schema is not self.root:
                return Table(TEXT, Plain("never"))
            return Table(keys, self.node(True if more is None else more, depth + 1, f"{hint} value"))
        required = schema.get("required")
        required = required if isinstance(required, (list, tuple)) else ()
        fields = tuple(
            Field(
                str(name),
                self.node(item, depth + 1, f"{hint} {name}"),
                name in required,
                str(item.get("description") or "") if isinstance(item, Mapping) else "",
            )
            for name, item in properties.items()
            if len(str(name)) <= _MAX_NAME_CHARS
        )
        left_out = len(fields) < len(properties)
        return Record(fields, left_out or (more is not None and more is not False), hint)


def _collect(schema: Any, root: Mapping[str, Any], reached: dict[str, Any]) -> None:
    """What a schema refers to, by its references."""
    waiting = [schema]
    steps = 0
    while waiting and steps < 10 * _MAX_NODES:
        steps += 1
        one = waiting.pop()
        if isinstance(one, Mapping):
            target = one.get("$ref")
            if isinstance(target, str) and target not in reached:
                found: Any = root
                for part in target[2:].split("/"):
                    found = found.get(part) if isinstance(found, Mapping) else None
                reached[target] = found
                waiting.append(found)
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)


def parts_of(shape: Shape) -> Iterator[Shape]:
    """A shape and all shapes inside it; models are not followed."""
    waiting: list[Shape] = [shape]
    while waiting:
        one = waiting.pop()
        yield one
        if isinstance(one, Either):
            waiting.extend(one.shapes)
        elif isinstance(one, Many):
            waiting.append(one.item)
        elif isinstance(one, Tuple):
            waiting.extend([*one.items, *([one.rest] if one.rest is not None else [])])
        elif isinstance(one, Table):
            waiting.extend([one.key, one.value])
        elif isinstance(one, Record):
            waiting.extend(field.shape for field in one.fields)
