"""Typed declarations of what guest code can call, for the prompt of a model and for type checkers: a stub (``.pyi``)
for Python, declarations (``.d.ts``) for JavaScript and TypeScript. They are made from the schemas by which calls are
checked."""

from collections.abc import Callable, Iterable
from typing import Any

from .capabilities.capability import Capability
from .capabilities.names import attribute, is_bare, is_written
from .capabilities.plain_text import (
    comment,
    docstring,
    first_sentence,
    javascript_string,
    lines,
    one_line,
    python_string,
)
from .capabilities.python_types import BUILTIN, PythonTypes, about_lines
from .capabilities.python_types import RESERVED as PYTHON_RESERVED
from .capabilities.session import unpacked
from .capabilities.shapes import ANY, TEXT, Field, Record, Shape, Shapes, Table
from .capabilities.typescript_types import RESERVED as TYPESCRIPT_RESERVED
from .capabilities.typescript_types import TypeScriptTypes, property_name
from .packs.pack import Pack

FORMS = ("short", "full")
# How much of a description is shown: all of it up to that, a sentence, a short one.
_WHOLE, _SENTENCE, _WORDS = 4_000, 120, 50
# Arguments whose text is longer are not shown.
_MAX_ARGUMENTS = 8_000
MAX_CHARS = 200_000
LEAST_CHARS = 200

# Levels of detail: the form, and how much of a description.
_LEVELS = {
    "full": [("full", _WHOLE), ("full", _SENTENCE), ("short", _SENTENCE), ("short", _WORDS), ("short", 0)],
    "short": [("short", _SENTENCE), ("short", _WORDS), ("short", 0)],
}

Given = Iterable[Capability | Pack | Callable[..., Any]]
# Capabilities by the parts of their attributes.
_Tree = dict[str, "Capability | _Tree"]


def python_stub(capabilities: Given, *, form: str = "full", max_chars: int = MAX_CHARS) -> str:
    """Text of a stub (``.pyi``) for Python 3.13: ``tools`` with all that the capabilities take and give.

    Args:
        capabilities: functions, capabilities and packs, as a runtime takes them.
        form: ``"full"``: whole descriptions, and ``start`` and ``call`` of each tool. ``"short"``: a line for each.
        max_chars: never longer. What is left out for it, descriptions first, is said in the first line.

    Raises:
        ValueError: no such form, or ``max_chars`` below 200.
        CapabilityDefinitionError: something that is no capability.
    """
    return _fitting([*unpacked(capabilities)[1]], form, max_chars, _Python)


def typescript_declarations(capabilities: Given, *, form: str = "full", max_chars: int = MAX_CHARS) -> str:
    """Text of declarations (``.d.ts``) for JavaScript and TypeScript; arguments and errors as for
    :func:`python_stub`."""
    return _fitting([*unpacked(capabilities)[1]], form, max_chars, _TypeScript)


def declarations(capabilities: Given, language: str, *, form: str = "full", max_chars: int = MAX_CHARS) -> str:
    """The one of both that is for a language: ``python``, ``javascript`` or ``typescript``.

    Raises:
        ValueError: no such language or form.
    """
    if language not in ("python", "javascript", "typescript"):
        raise ValueError(f"language is python, javascript or typescript, not {language!r}")
    make = python_stub if language == "python" else typescript_declarations
    return make(capabilities, form=form, max_chars=max_chars)


def check_form(form: str, max_chars: int | None, least: int) -> None:
    if form not in FORMS:
        raise ValueError(f"form is 'short' or 'full', not {form!r}")
    if max_chars is not None and (isinstance(max_chars, bool) or not isinstance(max_chars, int) or max_chars < least):
        raise ValueError(f"max_chars is a whole number from {least}, not {max_chars!r}")


def _fitting(capabilities: list[Capability], form: str, max_chars: int, make: "type[_Python | _TypeScript]") -> str:
    check_form(form, max_chars, LEAST_CHARS)
    for level, (shape, detail) in enumerate(_LEVELS[form]):
        text = make(capabilities, shape, detail, _left_out(level, shape, detail)).text()
        if len(text) <= max_chars:
            return text
    return _names(capabilities, max_chars, make)


def _left_out(level: int, form: str, detail: int) -> str:
    if level == 0:
        return ""
    what = "descriptions beyond a sentence" if form == "full" else "details" if detail else "details and descriptions"
    return f"For length, {what} were left out here."


def _names(capabilities: list[Capability], max_chars: int, make: "type[_Python | _TypeScript]") -> str:
    """Only names, as many as fit."""
    listing = "print(tools)" if make is _Python else "console.log(tools)"
    mark = make.mark
    made = f"{mark} {len(capabilities)} tools. For length, declarations were left out here: {listing} lists them.\n"
    names = [f"tools.{attribute(one.name)}" for one in capabilities]
    for number, name in enumerate(names):
        rest = f"{mark} ... and {len(names) - number} more.\n"
        line = f"{mark} {name}\n"
        last = number == len(names) - 1
        if len(made) + len(line) + (0 if last else len(rest)) > max_chars:
            return made + rest
        made += line
    return made


def _tree(capabilities: list[Capability], language: str) -> tuple[_Tree, list[Capability]]:
    """Capabilities by attribute, and those that have none that a program could write."""
    tree: _Tree = {}
    unwritten = []
    for one in capabilities:
        *spaces, last = attribute(one.name).split(".")
        if not all(is_written(part, language) for part in (*spaces, last)):
            unwritten.append(one)
            continue
        at = tree
        for part in spaces:
            found = at.setdefault(part, {})
            assert isinstance(found, dict)
            at = found
        at[last] = one
    return tree, unwritten


class _Python:
    mark = "#"

    def __init__(self, capabilities: list[Capability], form: str, detail: int, note: str) -> None:
        self.capabilities: list[Capability] = capabilities
        self.full: bool = form == "full"
        self.detail: int = detail
        self.note: str = note
        # Inside a class, and as a bare name, the name of a tool hides a type of that name.
        parts = frozenset(part for one in capabilities for part in attribute(one.name).split("."))
        self.shapes: Shapes = Shapes(PYTHON_RESERVED | parts)
        self.types: PythonTypes = PythonTypes(self.shapes, self._name_of, parts)
        self.inline: dict[Record, str] = {}
        self.inputs: set[str] = set()
        self.classes: list[str] = []
        self._of_arguments = False
        # Results first: a model that both have is that of results.
        self.results: dict[str, Shape] = {one.name: self.shapes.result(one) for one in capabilities}
        of_results = set(self.shapes.models)
        self.arguments: dict[str, Record] = {one.name: self.shapes.arguments(one) for one in capabilities}
        self.inputs |= self.shapes.models.keys() - of_results

    def text(self) -> str:
        tree, unwritten = _tree(self.capabilities, "python")
        tools = self.types.use("Tools")
        self._space(tools, tree, unwritten)
        models = self._models()
        header = self._header() if self.full and self.capabilities else []
        made = [f"# {self.note}"] if self.note else []
        made += ['# What the host offers to code here. Also as tools["exact name"], and as bare names.']
        if self.full:
            made += [
                "# A tool that is `async` is awaited, another one is called. Each has the other form too:",
                "# `tools.x.start(...)` is always awaited, `tools.x.call(...)` always waits in place.",
            ]
        made += self._imports()
        for block in (*header, *models, *self.classes):
            made += ["", block]
        made += ["", f"tools: {tools}"]
        bare = [part for part in tree if is_bare(part, "python")]
        made += [f"{part} = tools.{part}" for part in bare] if self.full else _joined(bare)
        return "\n".join(made) + "\n"

    def _space(self, name: str, tree: _Tree, unwritten: list[Capability]) -> None:
        """A class for ``tools``, or a namespace of it; those inside come before it."""
        body: list[str] = []
        for part, found in tree.items():
            if isinstance(found, dict):
                inner, _ = self.shapes.model_name(f"{name} {part}", f"space {name}.{part}")
                self._space(inner, found, [])
                body.append(f"    {part}: {inner}")
            else:
                body += self._method(part, found)
        if name == self.types.use("Tools"):
            body += self._items(unwritten)
        elif self.full:
            body.append(self._any_item())
        self.classes.append("\n".join([f"class {name}:", *body]))

    def _method(self, part: str, one: Capability) -> list[str]:
        word = "async def" if one.is_async else "def"
        parameters, result, odd = self._signature(one)
        head = f"    {word} {part}({parameters}) -> {result}:"
        if not self.full:
            said = first_sentence(one.description, self.detail) if self.detail else ""
            return [f"{head} ..." + (f"  # {said}" if said else "")]
        body = docstring(self._about(one, odd), " " * 8)
        return [
            f"    @{self.types.use('async_tool' if one.is_async else 'sync_tool')}",
            *([head, *body] if body else [f"{head} ..."]),
        ]

    def _signature(self, one: Capability) -> tuple[str, str, list[Field]]:
        arguments = self.arguments[one.name]
        me = "self"
        while any(field.name == me for field in arguments.fields):
            me += "_"
        # Where more names are taken, `self` would be one of them.
        if me != "self" or arguments.open or any(not is_written(field.name, "python") for field in arguments.fields):
            me += ", /"
        self._of_arguments = True
        parameters, odd = self.types.parameters(one, arguments, me)
        self._of_arguments = False
        if len(parameters) > _MAX_ARGUMENTS:
            parameters, odd = f"{me.removesuffix(', /')}, /, **more: {self.types.of(ANY)}", []
        return parameters, self.types.of(self.results[one.name]), odd

    def _about(self, one: Capability, odd: list[Field]) -> list[str]:
        made = (
            lines(one.description, _WHOLE)
            if self.detail == _WHOLE
            else [first_sentence(one.description, self.detail)]
            if one.description.strip()
            else []
        )
        if self.detail == _WHOLE:
            more = about_lines(self.arguments[one.name].fields)
            more += [
                f"By name only, as **{{{python_string(field.name)}: ...}}: {self.types.of(field.shape)}"
                for field in odd
            ]
            if attribute(one.name) != one.name:
                more.append(f"Its exact name: {one.name}")
            made += ["", *more] if more and made else more
        return made

    def _items(self, unwritten: list[Capability]) -> list[str]:
        """``tools["exact name"]``: with its type where the attribute is called otherwise."""
        made = []
        for one in unwritten:
            name, _ = self.shapes.model_name(f"{one.name} tool", f"tool {one.name}")
            parameters, result, odd = self._signature(one)
            made.append((one.name, name))
            word = "async def" if one.is_async else "def"
            about = docstring(self._about(one, odd), " " * 8) if self.detail else []
            head = f"    {word} __call__({parameters}) -> {result}:"
            block = [f"class {name}({self.types.use('Protocol')}):", *([head, *about] if about else [f"{head} ..."])]
            if self.full:
                any_ = self.types.of(ANY)
                block += [
                    f"    def start({parameters}) -> {self.types.use('Coroutine')}[{any_}, {any_}, {result}]: ...",
                    f"    def call({parameters}) -> {result}: ...",
                ]
            self.classes.append("\n".join(block))
        if self.full:
            for one in self.capabilities:
                if one not in unwritten and attribute(one.name) != one.name:
                    kind = self.types.use("AsyncTool" if one.is_async else "Tool")
                    made.append((one.name, f"{kind}[..., {self.types.of(self.results[one.name])}]"))
        found = [
            f"    def __getitem__(self, name: {self.types.use('Literal')}[{name!r}], /) -> {type_}: ..."
            for name, type_ in made
        ]
        found.append(self._any_item())
        if len(found) == 1:
            return found
        return [line for one in found for line in (f"    @{self.types.use('overload')}", one)]

    def _any_item(self) -> str:
        return f"    def __getitem__(self, name: {self.types.of(TEXT)}, /) -> {self.types.of(ANY)}: ..."

    # ---- models ----

    def _name_of(self, record: Record) -> str:
        name = self.inline.get(record)
        if name is None:
            name, _ = self.shapes.model_name(record.hint or "Object", f"inline {record!r}")
            self.inline[record] = name
            if self._of_arguments:
                self.inputs.add(name)
        return name

    def _models(self) -> list[str]:
        made: dict[str, str] = {}
        while True:
            shapes: dict[str, Shape] = {**self.shapes.models, **{name: one for one, name in self.inline.items()}}
            new = [name for name in shapes if name not in made]
            if not new:
                return [made[name] for name in sorted(made)]
            for name in new:
                self._of_arguments = name in self.inputs
                made[name] = self._model(name, shapes[name])

    def _model(self, name: str, shape: Shape) -> str:
        if not isinstance(shape, Record):
            return f"type {name} = {self.types.of(shape)}"
        if not shape.fields:
            return f"type {name} = {self.types.of(Table(TEXT, ANY))}"
        typed_dict = self.types.use("TypedDict")
        twin = name.removesuffix("Input")
        read_only = name in self.inputs and (self.full or (twin != name and twin in self.shapes.models))
        known = {*PYTHON_RESERVED, *BUILTIN, *self.types.used, *self.shapes.models, *self.inline.values()}
        if all(is_written(field.name, "python") and field.name not in known for field in shape.fields):
            body = [
                f"    {field.name}: {self._field(field, read_only)}"
                + (f"  # {one_line(field.about, _SENTENCE)}" if self.detail and field.about.strip() else "")
                for field in shape.fields
            ]
            return "\n".join([f"class {name}({typed_dict}):", *body])
        body = [f"{python_string(field.name)}: {self._field(field, read_only)}" for field in shape.fields]
        return f"{name} = {typed_dict}({name!r}, {{{', '.join(body)}}})"

    def _field(self, field: Field, read_only: bool) -> str:
        made = self.types.of(field.shape)
        # What is only passed in may come from a result, whose fields are all there.
        for wrapper, wanted in (("ReadOnly", read_only), ("NotRequired", not field.required)):
            if wanted:
                made = f"{self.types.use(wrapper)}[{made}]"
        return made

    def _header(self) -> list[str]:
        """What makes a tool of a function: three ways to call it."""
        words = ("Any", "AsyncTool", "Callable", "Concatenate", "Coroutine", "Tool", "async_tool", "sync_tool")
        names = {word: self.types.use(word) for word in words}
        return [block.format(**names) for block in _HEADER]

    def _imports(self) -> list[str]:
        made = []
        for module, names in _IMPORTS.items():
            found = [
                name if name == written else f"{name} as {written}"
                for name, written in sorted(self.types.used.items())
                if name in names and not (module == "builtins" and name == written)
            ]
            if found:
                made.append(f"from {module} import {', '.join(found)}")
        return made


_IMPORTS = {
    "builtins": BUILTIN,
    "collections.abc": {"Callable", "Coroutine"},
    "datetime": {"date", "datetime", "time", "timedelta"},
    "decimal": {"Decimal"},
    "fractions": {"Fraction"},
    "typing": {
        "Any",
        "Concatenate",
        "Literal",
        "Never",
        "NotRequired",
        "Protocol",
        "ReadOnly",
        "TypedDict",
        "overload",
    },
    "uuid": {"UUID"},
}
_HEADER = (
    """\
class {Tool}[**P, R]:
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...
    def start(self, *args: P.args, **kwargs: P.kwargs) -> {Coroutine}[{Any}, {Any}, R]: ...
    def call(self, *args: P.args, **kwargs: P.kwargs) -> R: ...""",
    """\
class {AsyncTool}[**P, R]:
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> {Coroutine}[{Any}, {Any}, R]: ...
    def start(self, *args: P.args, **kwargs: P.kwargs) -> {Coroutine}[{Any}, {Any}, R]: ...
    def call(self, *args: P.args, **kwargs: P.kwargs) -> R: ...""",
    """\
def {sync_tool}[**P, R](function: {Callable}[{Concatenate}[{Any}, P], R]) -> {Tool}[P, R]: ...
def {async_tool}[**P, R](
    function: {Callable}[{Concatenate}[{Any}, P], {Coroutine}[{Any}, {Any}, R]],
) -> {AsyncTool}[P, R]: ...""",
)


def _joined(bare: list[str]) -> list[str]:
    """Some names at once, in lines of a length that can be read."""
    made = []
    for start in range(0, len(bare), 8):
        names = bare[start : start + 8]
        made.append(f"{', '.join(names)} = {', '.join(f'tools.{name}' for name in names)}")
    return made


class _TypeScript:
    mark = "//"

    def __init__(self, capabilities: list[Capability], form: str, detail: int, note: str) -> None:
        self.capabilities: list[Capability] = capabilities
        self.full: bool = form == "full"
        self.detail: int = detail
        self.note: str = note
        self.shapes: Shapes = Shapes(TYPESCRIPT_RESERVED)
        self.types: TypeScriptTypes = TypeScriptTypes(self.shapes, bigint=self.full)
        self.results: dict[str, Shape] = {one.name: self.shapes.result(one) for one in capabilities}
        self.arguments: dict[str, Record] = {one.name: self.shapes.arguments(one) for one in capabilities}

    def text(self) -> str:
        tree, unwritten = _tree(self.capabilities, "javascript")
        made = [f"// {self.note}"] if self.note else []
        made += [
            "// What the host offers to code here. Arguments are one object, or are given by position; each call gives",
            '// a promise. Also as tools["exact name"], and as bare names.',
        ]
        if self.full:
            made.append(
                "// An integer beyond 2^53 arrives as a bigint, whatever is said here, and may be passed as one."
            )
        made += [line for name, shape in sorted(self.shapes.models.items()) for line in self._model(name, shape)]
        made += ["interface Tools {", *self._members(tree, "  "), *self._exact(unwritten), "}"]
        made.append("declare const tools: Tools;")
        bare = [f'{part}: Tools["{part}"]' for part in tree if is_bare(part, "javascript")]
        if bare:
            made.append(f"declare const {', '.join(bare)};")
        return "\n".join(made) + "\n"

    def _members(self, tree: _Tree, indent: str) -> list[str]:
        made: list[str] = []
        for part, found in tree.items():
            if isinstance(found, dict):
                made += [f"{indent}{part}: {{", *self._members(found, indent + "  "), f"{indent}}};"]
            else:
                made += self._method(part, found, indent)
        return made

    def _method(self, part: str, one: Capability, indent: str) -> list[str]:
        arguments = self.arguments[one.name]
        result = self.types.of(self.results[one.name])
        parameters = self.types.arguments(arguments)
        if len(parameters) > _MAX_ARGUMENTS:
            parameters = "args: Record<string, any>"
        line = f"{indent}{property_name(part)}({parameters}): Promise<{result}>;"
        if not self.full:
            said = first_sentence(one.description, self.detail) if self.detail else ""
            return [line + (f" // {said}" if said else "")]
        made = [*comment(self._about(one), indent), line]
        positions = self.types.positions(arguments)
        if positions is not None and len(positions) <= _MAX_ARGUMENTS:
            made.append(f"{indent}{property_name(part)}({positions}): Promise<{result}>;")
        return made

    def _about(self, one: Capability) -> list[str]:
        if self.detail < _WHOLE:
            return [first_sentence(one.description, self.detail)] if one.description.strip() else []
        made = lines(one.description, _WHOLE)
        more = about_lines(self.arguments[one.name].fields)
        return [*made, *([""] if more and made else []), *more]

    def _exact(self, unwritten: list[Capability]) -> list[str]:
        """What has no attribute that could be written; and, in full, exact names beside attributes."""
        made = [line for one in unwritten for line in self._method(one.name, one, "  ")]
        if self.full:
            for one in self.capabilities:
                parts = attribute(one.name).split(".")
                if one not in unwritten and [one.name] != parts:
                    path = "".join(f'["{part}"]' for part in parts)
                    made.append(f"  {javascript_string(one.name)}: Tools{path};")
        return made

    def _model(self, name: str, shape: Shape) -> list[str]:
        if not isinstance(shape, Record):
            return [f"type {name} = {self.types.of(shape)};"]
        if not self.full or not any(field.about.strip() for field in shape.fields):
            return [f"interface {name} {self.types.object(shape)}"]
        made = [f"interface {name} {{"]
        for field in shape.fields:
            if field.about.strip() and self.detail == _WHOLE:
                made += comment([one_line(field.about, 200)], "  ")
            made.append(f"  {self.types.field(field)};")
        return [*made, *(["  [more: string]: any;"] if shape.open else []), "}"]
