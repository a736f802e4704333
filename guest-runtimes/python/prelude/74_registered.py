"""Tools that guest code registers: the host keeps their definitions, the handlers stay here."""

import inspect

calls = native.calls
PREFIX = "eval_registered__"
MAX_DEPTH = 100
_tools = {}  # name: (definition, handler)


class Asked:
    """Stands for a tool where a request about tools fails."""

    def __init__(self, name):
        self.name = self.path = name


def ask(what, value):
    reply = calls._ask(calls.TOOL, [what, value])
    if reply is None:
        raise RuntimeError("the host takes no tools of guests")
    ok, value = calls.decode(*reply)
    if ok:
        return value
    raise calls.failure(value, Asked(what))


def registerTool(
    name, description=None, schema=None, handler=None, options=None, *, display_name=None, displayName=None
):
    """Offers a function as a tool: later cells call it as tools.eval_registered__<name>(...).

    The handler gets the input as its only argument and may be async. Gives back the public name.
    """
    if handler is None:  # as a decorator

        def register(function):
            registerTool(
                name,
                description or inspect.getdoc(function) or "",
                schema or {},
                function,
                options,
                display_name=display_name,
            )
            return function

        return register
    if not callable(handler):
        raise TypeError(f"the handler of a tool is a function, not {type(handler).__name__}")
    definition = {"name": name, "description": description, "schema": plain(schema)}
    shown = display_name or displayName or (options or {}).get("displayName")
    if shown is not None:
        definition["displayName"] = shown
    public = ask("register", definition)
    _tools[name] = {**definition, "publicName": public}, handler
    add_one(name)
    return public


def unregisterTool(name):
    """Takes a registered tool back. True if there was one."""
    was = ask("unregister", name)
    if _tools.pop(name, None) is not None:
        native.tools.remove(PREFIX + name)
    return was


def listTools():
    """The definitions of the tools that are registered."""
    return [dict(definition) for definition, _ in _tools.values()]


def getTool(name):
    """The definition of one registered tool, or None."""
    found = _tools.get(name) or _tools.get(name.removeprefix(PREFIX) if isinstance(name, str) else name)
    return None if found is None else dict(found[0])


def add_one(name):
    definition = _tools[name][0]
    native.tools.add(native.tools.AsyncTool, definition["publicName"], "(**input)", str(definition["description"]))


def add_all():
    for name in _tools:
        add_one(name)


# ---- handlers -----------------------------------------------------------------------------------------------------------------


def plain(value, depth=0):
    """The value as JSON has it. Raises TypeError for what has no such form."""
    kind = type(value)
    if value is None or kind in (bool, int, float, str):
        return value
    if depth == MAX_DEPTH:
        raise TypeError("nested too deeply to be JSON")
    if isinstance(value, (list, tuple)):
        return [plain(item, depth + 1) for item in value]
    if isinstance(value, dict):
        if not all(type(key) is str for key in value):
            raise TypeError("keys of JSON objects are strings")
        return {key: plain(item, depth + 1) for key, item in value.items()}
    raise TypeError(f"{kind.__name__} has no form in JSON")


async def handle(name, value):
    found = _tools.get(name)
    if found is None:
        raise LookupError(f"there is no registered tool {name!r}")
    result = found[1](value)
    if inspect.isawaitable(result):
        result = await result
    try:
        return plain(result)
    except TypeError:
        return str(result)


async def report(number, name, value):
    try:
        outcome = [number, True, await handle(name, value)]
    except BaseException as exc:
        if isinstance(exc, (native.Stopped, SystemExit, KeyboardInterrupt)):
            raise  # these end the cell
        outcome = [
            number,
            False,
            {"type": native.type_name(type(exc), False), "message": native.errors.message_of(exc)},
        ]
    calls._ask(calls.HANDLED, outcome)


def run(number, name, value):
    native.loop.session.create_task(report(number, name, value), name=f"handler of {name}")


def handler(text):
    """A cell that is the handler of a tool."""
    name, value = calls.decode(text)
    return handle(name, value)


native.bind("handler", handler)
FUNCTIONS = {
    "registerTool": registerTool,
    "register_tool": registerTool,
    "unregisterTool": unregisterTool,
    "unregister_tool": unregisterTool,
    "listTools": listTools,
    "list_tools": listTools,
    "getTool": getTool,
    "get_tool": getTool,
}
for function in FUNCTIONS.values():
    function.__module__ = "builtins"
