"""Shapes as types of TypeScript."""

from .plain_text import javascript_string
from .shapes import (
    ANY,
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
)

# How each arrives in a guest; what else a host function takes is in _TAKEN.
_PLAIN = {
    "any": "any",
    "none": "null",
    "boolean": "boolean",
    "integer": "number",
    "number": "number",
    "text": "string",
    "bytes": "Uint8Array",
    "datetime": "Date",
    "date": "string",
    "time": "string",
    "timedelta": "[number, number, number]",
    "decimal": "string",
    "uuid": "string",
    "complex": "[number, number]",
    "fraction": "string",
    "never": "never",
}
_TAKEN = {
    "integer": "number | bigint",
    "timedelta": "string | number",
    "decimal": "string | number",
    "complex": "string | number",
    "datetime": "Date | string",
}

# Parts of models that are written out where they stand.
_MAX_PARTS = 500

# What a model may not be called in a declaration: types of the language, and what the file declares itself.
_RESERVED_WORDS = """
Array ArrayBuffer ArrayBufferLike ArrayLike AsyncGenerator AsyncIterable AsyncIterator Atomics Awaited BigInt
Boolean CallableFunction Capitalize ClassDecorator ConcatArray DataView Date Error Exclude Extract
FinalizationRegistry Function Generator IArguments Infinity InstanceType Intl Iterable Iterator JSON Lowercase Map
Math NaN NewableFunction NonNullable Number Object ObjectConstructor Omit OmitThisParameter Parameters Partial Pick
Promise PromiseLike PropertyDescriptor PropertyKey Proxy ProxyHandler Readonly ReadonlyArray ReadonlyMap ReadonlySet
Record Reflect RegExp RegExpExecArray RegExpMatchArray Required ReturnType Set SharedArrayBuffer String Symbol
TemplateStringsArray ThisParameterType ThisType Tools Uint8Array Uncapitalize Uppercase WeakKey WeakMap WeakRef
WeakSet WebAssembly
"""
RESERVED = frozenset(_RESERVED_WORDS.split())


class TypeScriptTypes:
    """Writes types.

    Args:
        depth: how deep models are written out where they stand; None: they are named.
        bigint: whether integers that are arguments say that they may be a bigint.
    """

    def __init__(self, shapes: Shapes, depth: int | None = None, *, bigint: bool = False) -> None:
        self.shapes: Shapes = shapes
        self._depth = depth
        # A model that names itself in each of a thousand fields would be written a thousand million times.
        self._parts = _MAX_PARTS
        self._taken = _TAKEN if bigint else {**_TAKEN, "integer": "number"}

    def of(self, shape: Shape, *, taken: bool = False, left: int | None = None) -> str:
        """The type. ``taken``: for an argument itself, where the host takes more than what would arrive here."""
        left = self._depth if left is None else left
        if isinstance(shape, Plain):
            return (self._taken.get(shape.kind) if taken else None) or _PLAIN[shape.kind]
        if isinstance(shape, Literals):
            return " | ".join(javascript_string(v) if isinstance(v, str) else repr(v).lower() for v in shape.values)
        if isinstance(shape, Either):
            return " | ".join(dict.fromkeys(self.of(one, taken=taken, left=left) for one in shape.shapes))
        if isinstance(shape, Many):
            item = self.of(shape.item, left=left)
            if shape.kind in ("set", "frozenset"):
                return f"Set<{item}> | {_array(item)}" if taken else f"Set<{item}>"
            return _array(item)
        if isinstance(shape, Tuple):
            items = [self.of(item, left=left) for item in shape.items]
            if shape.rest is not None:
                items.append(f"...{_array(self.of(shape.rest, left=left))}")
            return f"[{', '.join(items)}]"
        if isinstance(shape, Table):
            return self._table(shape, taken, left)
        if isinstance(shape, Named):
            if left is None:
                return shape.name
            model = self.shapes.models.get(shape.name, ANY)
            self._parts -= len(model.fields) if isinstance(model, Record) else 1
            return self.of(model, left=left - 1) if left > 0 and self._parts > 0 else "any"
        return self.object(shape, left)

    def _table(self, shape: Table, taken: bool, left: int | None) -> str:
        value = self.of(shape.value, left=left)
        if shape.key == Plain("text"):
            return f"Record<string, {value}>"
        made = f"Map<{self.of(shape.key, left=left)}, {value}>"
        return f"{made} | Record<string, {value}>" if taken else made

    def object(self, record: Record, left: int | None = None, *, taken: bool = False) -> str:
        """An object type in one line."""
        fields = [self.field(field, left, taken=taken) for field in record.fields]
        if record.open:
            fields.append("[more: string]: any")
        return f"{{ {'; '.join(fields)} }}" if fields else "{}"

    def field(self, field: Field, left: int | None = None, *, taken: bool = False) -> str:
        mark = "" if field.required else "?"
        return f"{property_name(field.name)}{mark}: {self.of(field.shape, taken=taken, left=left)}"

    def arguments(self, arguments: Record) -> str:
        """The parameter for all of them in one object; empty where there are none."""
        if not arguments.fields and not arguments.open:
            return ""
        mark = "?" if all(not field.required for field in arguments.fields) else ""
        return f"args{mark}: {self.object(arguments, taken=True)}"

    def positions(self, arguments: Record) -> str | None:
        """The parameters one by one, or None where that cannot be called or would be read as one object of names."""
        fields = arguments.fields
        if not fields or any(not is_name(field.name) or field.name == "this" for field in fields):
            return None
        needed = max((i for i, field in enumerate(fields) if field.required), default=-1)
        if needed <= 0 and self._may_be_object(fields[0].shape, set()):
            return None
        return ", ".join(
            f"{_parameter(field.name)}{'?' if i > needed else ''}: {self.of(field.shape, taken=True)}"
            for i, field in enumerate(fields)
        )

    def _may_be_object(self, shape: Shape, seen: set[str]) -> bool:
        if shape == ANY or isinstance(shape, (Record, Table)):
            return True
        if isinstance(shape, Named):
            if shape.name in seen:
                return False
            seen.add(shape.name)
            return self._may_be_object(self.shapes.models.get(shape.name, ANY), seen)
        return isinstance(shape, Either) and any(self._may_be_object(one, seen) for one in shape.shapes)


def _array(item: str) -> str:
    return (
        f"{item}[]" if item.isidentifier() or (item.endswith("[]") and item[:-2].isidentifier()) else f"Array<{item}>"
    )


def is_name(text: str) -> bool:
    return text.isascii() and text.isidentifier()


def property_name(text: str) -> str:
    return text if is_name(text) else javascript_string(text)


# Names that a parameter cannot have.
_KEYWORDS_WORDS = """
arguments await break case catch class const continue debugger default delete do else enum eval export extends false
finally for function if implements import in instanceof interface let new null package private protected public
return static super switch this throw true try typeof var void while with yield
"""
_KEYWORDS = frozenset(_KEYWORDS_WORDS.split())


def _parameter(name: str) -> str:
    return f"{name}_" if name in _KEYWORDS else name
