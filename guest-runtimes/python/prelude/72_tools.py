"""`tools`: what the host offers, by the manifest that comes with a cell (see wasmhost_abi.h)."""

import builtins
import collections.abc
import inspect

calls = native.calls
private = native.private
_set = object.__setattr__
_get = object.__getattribute__
MAX_LISTED = 200


class Annotation:
    """A type of the host's signature, by its text."""

    def __init__(self, text):
        self._text = text

    def __repr__(self):
        return self._text


def signature_of(text):
    """inspect.Signature of a text such as "(a: int, b: str = 'x') -> list[str]", or None where it cannot be read."""
    try:
        function = private.ast.parse(f"def f{text}: pass").body[0]
        given, unparse = function.args, private.ast.unparse
        empty = inspect.Parameter.empty

        def parameter(arg, kind, default=None):
            value = empty
            if default is not None:
                try:
                    value = private.ast.literal_eval(default)
                except ValueError:
                    value = ...
            annotation = Annotation(unparse(arg.annotation)) if arg.annotation else empty
            return inspect.Parameter(arg.arg, kind, default=value, annotation=annotation)

        positional = [*((a, inspect.Parameter.POSITIONAL_ONLY) for a in given.posonlyargs)]
        positional += ((a, inspect.Parameter.POSITIONAL_OR_KEYWORD) for a in given.args)
        defaults = [None] * (len(positional) - len(given.defaults)) + given.defaults
        found = [parameter(arg, kind, default) for (arg, kind), default in zip(positional, defaults)]
        if given.vararg:
            found.append(parameter(given.vararg, inspect.Parameter.VAR_POSITIONAL))
        found += [parameter(a, inspect.Parameter.KEYWORD_ONLY, d) for a, d in zip(given.kwonlyargs, given.kw_defaults)]
        if given.kwarg:
            found.append(parameter(given.kwarg, inspect.Parameter.VAR_KEYWORD))
        returns = Annotation(unparse(function.returns)) if function.returns else empty
        return inspect.Signature(found, return_annotation=returns)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None


# ---- one tool ---------------------------------------------------------------------------------------------------------------


class Fixed:
    """What guest code cannot assign to."""

    __slots__ = ()

    def __setattr__(self, name, value):
        raise AttributeError(f"{_get(self, 'path')} cannot be changed: the host decides what it offers")

    def __delattr__(self, name):
        self.__setattr__(name, None)


class Tool(Fixed):
    __slots__ = ("__name__", "__qualname__", "_text", "doc", "name", "path")

    def __init__(self, name, path, text, doc):
        _set(self, "name", name)
        _set(self, "path", path)
        _set(self, "_text", text)
        _set(self, "doc", doc)
        _set(self, "__name__", name)
        _set(self, "__qualname__", path)

    @property
    def __signature__(self):
        found = signature_of(self._text)
        if found is None:
            raise AttributeError("__signature__")
        return found

    def __repr__(self):
        return f"<tool {self.path}{self._text}>"

    def start(self, /, *args, **kwargs):
        """The call as something to await, which is made when it is awaited or made a task."""
        return calls.UnawaitedCall(self, args, kwargs)

    def call(self, /, *args, **kwargs):
        """The call, made now; waits for its answer in place."""
        return calls.blocking(self, args, kwargs)

    def listed(self):
        first = self.doc.strip().split("\n", 1)[0][:200]
        return f"{self.path}{self._text}" + (f"  # {first}" if first else "")

    def help(self):
        return f"{self.path}{self._text}\n" + (f"\n{self.doc}\n" if self.doc else "")


own_doc = property(lambda self: self.doc)  # each class has a __doc__ of its own, which would hide an inherited one


class SyncTool(Tool):
    __slots__ = ()
    __doc__ = own_doc

    def __call__(self, /, *args, **kwargs):
        return calls.blocking(self, args, kwargs)


class AsyncTool(Tool):
    __slots__ = ()
    __doc__ = own_doc
    _is_coroutine_marker = inspect._is_coroutine_mark

    def __call__(self, /, *args, **kwargs):
        return calls.UnawaitedCall(self, args, kwargs)

    def listed(self):
        return "await " + super().listed()

    def help(self):
        return "async " + super().help()


# ---- namespaces -------------------------------------------------------------------------------------------------------------


def near(name, names):
    """Names that differ little: by case, by what joins words, or as a part of one another."""

    def bare(text):
        return "".join(c for c in text.lower() if c.isalnum())

    wanted = bare(name)
    close = []
    for other in names:
        found = bare(other)
        letters = sum(min(wanted.count(c), found.count(c)) for c in set(wanted))
        if wanted and (wanted in found or found in wanted or letters * 2 >= 0.8 * (len(wanted) + len(found))):
            close.append(other)
    return close[:3]


_OWN = frozenset(["_by_attribute", "_by_name", "_unknown"])


class Tools(Fixed, collections.abc.Mapping):
    """What the host offers: `print(tools)` lists it, `help(tools.name)` tells of one."""

    __slots__ = ("_by_attribute", "_by_name", "path")

    def __init__(self, path):
        _set(self, "path", path)
        _set(self, "_by_name", {})
        _set(self, "_by_attribute", {})

    def _unknown(self, name):
        names = [tool.path for tool in self._by_name.values()]
        close = near(name[:200], list(self._by_attribute) + [n for n in self._by_name if n not in self._by_attribute])
        end = f"did you mean {' or '.join(close)}?" if close else f"there are: {', '.join(names[:20]) or 'none'}"
        path = _get(self, "path")
        return f"there is no tool {path}.{name[:200]}; {end} (`print({path})` lists them)"

    def __getattribute__(self, name):
        # A tool comes before what every mapping has: `tools.cache.get` is the tool of that name.
        found = _get(self, "_by_attribute").get(name)
        return _get(self, name) if found is None or name in _OWN or name[:2] == "__" else found

    def __getattr__(self, name):
        raise AttributeError(self._unknown(name) if name[:2] != "__" else name)

    def __getitem__(self, name):
        found = self._by_name.get(name)
        if found is None:
            raise UnknownTool(self._unknown(str(name)))
        return found

    def __iter__(self):
        return iter(list(self._by_name))

    def __len__(self):
        return len(self._by_name)

    def __dir__(self):
        return sorted(self._by_attribute)

    def __repr__(self):
        path = _get(self, "path")
        lines = [tool.listed() for tool in list(self._by_name.values())[:MAX_LISTED]]
        if len(self._by_name) > MAX_LISTED:
            lines.append(f"... and {len(self._by_name) - MAX_LISTED} more: `list({path})` gives their names")
        return "\n".join([f"{path}: {len(self._by_name)} tool{'' if len(self._by_name) == 1 else 's'}", *lines])

    __hash__ = object.__hash__
    __eq__ = object.__eq__


class UnknownTool(KeyError):
    """KeyError, whose message is shown without quotes."""

    __str__ = Exception.__str__


for cls in (Fixed, Tool, SyncTool, AsyncTool, Tools, UnknownTool):
    cls.__module__ = "builtins"
UnknownTool.__name__ = UnknownTool.__qualname__ = "KeyError"


def attribute(part):
    return "".join(c if c.isalnum() or c == "_" else "_" for c in part)


_root = None
_bare = {}  # names that were put into the builtins, with what stands there


def add(tool_type, name, text, doc):
    """Adds to `tools`, and to the namespaces that its dots make."""
    global _root
    if _root is None:
        _root = Tools("tools")
        native.set_tools(_root)
    *parents, last = [attribute(part) for part in name.split(".")]
    tool = tool_type(name, ".".join(["tools", *parents, last]), text, doc)
    space = _root
    space._by_name[name] = tool
    rest = name
    for part in parents:
        rest = rest.split(".", 1)[1]
        inner = space._by_attribute.get(part)
        if type(inner) is not Tools:
            inner = space._by_attribute[part] = Tools(f"{_get(space, 'path')}.{part}")
        space = inner
        space._by_name[rest] = tool
    space._by_attribute[last] = tool
    return tool


def plain():
    """The tools whose calls give their values in place."""
    return [] if _root is None else [tool for tool in _root._by_name.values() if type(tool) is SyncTool]


def remove(name):
    """Takes out a tool that is in no namespace."""
    if _root is not None:
        _root._by_name.pop(name, None)
        _root._by_attribute.pop(attribute(name), None)


def tools(text):
    """The manifest: all that was there before goes, but for the tools that this guest has registered."""
    global _root
    manifest = calls.decode(text)
    names = builtins.__dict__
    for name, value in _bare.items():
        if names.get(name) is value:
            del names[name]
    _bare.clear()
    _root = Tools("tools")
    native.set_tools(_root)
    for entry in manifest["tools"]:
        kind = AsyncTool if entry.get("async") else SyncTool
        add(kind, entry["name"], entry.get("signature") or "(...)", entry.get("doc") or "")
    native.registered.add_all()
    # Names of the builtins, so that a variable of the user wins. Only a host that takes calls can take tools.
    names.update(native.registered.FUNCTIONS)
    if manifest.get("bare"):
        for name, value in _root._by_attribute.items():
            if name not in names:
                names[name] = _bare[name] = value
    native.set_helpers(bool(manifest.get("helpers")))
    if manifest.get("helpers"):
        short = native.short.make(_root)
        if manifest.get("hint"):
            short["repo_hint"] = manifest["hint"]
        for name, value in short.items():
            if name not in names:
                names[name] = _bare[name] = value


native.bind("tools", tools)
