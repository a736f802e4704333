"""What a session holds, for whoever looks at it; and values that are still to be awaited.

The host asks in a copy of the session, which is thrown away. Still, little of the guest's code is run: only `repr`, for previews.
"""

import asyncio
import builtins
import inspect
import keyword
import types

calls = native.calls
tools_types = native.tools
main = native.main.__dict__
PREVIEW = 120
NAME = 100
_initial = None  # names of the main module when the image was made


def type_name(value):
    return native.type_name(type(value), False)[:NAME]


def size_of(value):
    kind = type(value)
    for known in (str, bytes, bytearray, list, tuple, dict, set, frozenset, range):
        if issubclass(kind, known):
            return known.__len__(value)
    return None


def preview_of(value):
    try:
        text = native.shown(value, 2000)
    except Exception as exc:
        text = f"<repr() raised {type(exc).__name__}>"
    text = " ".join(text.split())
    return text if len(text) <= PREVIEW else text[: PREVIEW - 3] + "..."


PLAIN = (int, float, complex, str, bytes, bool, type(None), range)


def describe(most, plain):
    """`plain`: without the code of any class of the guest."""
    made = []
    for name, value in list(main.items()):
        if len(made) == most:
            break
        if type(name) is not str or name in _initial or type(value) in (types.ModuleType, tools_types.Tools):
            continue
        preview = preview_of(value) if not plain or type(value) in PLAIN else f"<{type_name(value)} object>"
        made.append([name[:NAME], type_name(value), size_of(value), preview])
    return made


def names_of(value):
    """Names of attributes, without asking the value."""
    if type(value) is tools_types.Tools:
        return list(object.__getattribute__(value, "_by_attribute"))
    found = {}
    if isinstance(value, type):
        for cls in type.__dict__["__mro__"].__get__(value):
            found |= dict.fromkeys(type.__dict__["__dict__"].__get__(cls))
    else:
        try:
            found |= dict.fromkeys(object.__getattribute__(value, "__dict__"))
        except (AttributeError, TypeError):
            pass
        for cls in type.__dict__["__mro__"].__get__(type(value)):
            found |= dict.fromkeys(type.__dict__["__dict__"].__get__(cls))
    return list(found)


def member(value, name):
    if type(value) is tools_types.Tools:
        return object.__getattribute__(value, "_by_attribute").get(name)
    found = inspect.getattr_static(value, name, None)
    return None if isinstance(found, (property, types.GetSetDescriptorType)) else found


def complete(path, prefix, most):
    if path:
        first = path[0]
        value = main[first] if first in main else builtins.__dict__.get(first)
        if value is None and first == "tools":
            value = tools_types._root
        for name in path[1:]:
            value = member(value, name)
        names = [] if value is None else names_of(value)
    else:
        names = [*main, *builtins.__dict__, *keyword.kwlist, *keyword.softkwlist]
    made = {
        name
        for name in names
        if type(name) is str
        and name.startswith(prefix)
        and name != prefix
        and name.isidentifier()
        and (prefix.startswith("_") or not name.startswith("_"))
    }
    return sorted(made)[:most]


def look(text):
    """The request [path or None, prefix, most] of the host; without a path, the prefix "plain" asks for less."""
    path, prefix, most = calls.decode(text)
    return describe(most, prefix == "plain") if path is None else complete(path, prefix, most)


def look_begins():
    global _initial
    _initial = frozenset(main)


look_begins()
native.bind("look", look)


# ---- values that are still to be awaited ------------------------------------------------------------------------------------

DEPTH = 5  # as in result.c


def is_pending(value):
    return hasattr(type(value), "__await__") and not isinstance(value, asyncio.Task)


def collect(value, depth, found):
    if is_pending(value):
        found.setdefault(id(value), value)
    elif depth < DEPTH:
        if type(value) in (list, tuple):
            for item in value:
                collect(item, depth + 1, found)
        elif type(value) is dict:
            for item in value.values():
                collect(item, depth + 1, found)


def rebuilt(value, depth, results):
    if is_pending(value):
        return results.get(id(value), value)
    if depth < DEPTH:
        if type(value) in (list, tuple):
            return type(value)(rebuilt(item, depth + 1, results) for item in value)
        if type(value) is dict:
            return {key: rebuilt(item, depth + 1, results) for key, item in value.items()}
    return value


async def resolved(value):
    """The value with what it holds of awaitables awaited, all at once; then what came of them, and so on."""
    for _ in range(DEPTH):
        found = {}
        collect(value, 0, found)
        if not found:
            break
        if is_pending(value):
            value = await value
        else:
            results = await asyncio.gather(*found.values())
            value = rebuilt(value, 0, dict(zip(found, results)))
    return value


native.bind("resolved", resolved)
