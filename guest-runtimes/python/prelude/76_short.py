"""Short forms of the packs' capabilities, `sh_quote`, and `o`.

They go through `tools` like anything else, so policy, hooks and records see one `Read` whether a cell wrote `cat` or
`tools.Read`. The working folder of `chdir` is a variable here, for one cell; it is joined to relative paths, and the host checks
every path against its root anyway.
"""

import builtins
import shlex

calls = native.calls
quote = shlex.quote


class Here:
    cell = 0
    folder = ""


def here():
    if Here.cell != native.cell_number():
        Here.cell, Here.folder = native.cell_number(), ""
    return Here.folder


def text(value, form, name):
    if not isinstance(value, str):
        raise TypeError(f"{form}: {name} is a str, not {type(value).__name__}")
    return value


def at(path, form):
    base = here()
    text(path, form, "path")
    if path[:1] == "/" or not base:
        return path
    return base if path in ("", ".") else f"{base}/{path}"


class ShortCall(calls.UnawaitedCall):
    """The call of a short form, whose result is made of that of the tool."""

    __slots__ = ("_after", "_name")

    def __init__(self, tool, kwargs, name, after=None):
        calls.UnawaitedCall.__init__(self, tool, (), kwargs)
        self._name, self._after = name, after

    def _begin(self):
        steps = calls.UnawaitedCall._begin(self)
        return steps if self._after is None else then(steps, self._after)

    def _shown(self):
        return self._name


ShortCall.__module__ = "builtins"
ShortCall.__name__ = ShortCall.__qualname__ = "un-awaited call of a tool"


def then(steps, after):
    return after((yield from steps))


class CommandFailed(RuntimeError):
    """A command of `sh` that did not end well: `exit_code`, `stdout`, `stderr`."""


CommandFailed.__module__ = "builtins"


def well_ended(done):
    if done["exit_code"] == 0 and not done["timed_out"]:
        return done["stdout"]
    why = "was stopped for its time" if done["timed_out"] else f"ended with exit code {done['exit_code']}"
    said = done["stderr"] or done["stdout"]
    error = CommandFailed(f"the command {why}{': ' + said[-2000:] if said else ''}")
    error.exit_code, error.stdout, error.stderr = done["exit_code"], done["stdout"], done["stderr"]
    raise error


def given(**arguments):
    return {name: value for name, value in arguments.items() if value is not None}


def make(tools):
    """The short forms of what the host offers, by their names."""
    made = {"sh_quote": sh_quote}

    def form(needs):
        def add(function):
            if needs in tools:
                function.__module__, function.__qualname__ = "builtins", function.__name__
                made[function.__name__] = function
            return function

        return add

    @form("Read")
    def cat(path, offset=None, limit=None):
        """The text of a file; `offset` is the first line, from 1, `limit` the number of lines."""
        return tools["Read"].call(**given(path=at(path, "cat"), offset=offset, limit=limit))

    @form("Grep")
    def rg(pattern, path=".", *, glob=None, ignore_case=None, limit=None):
        """Lines that a pattern fits: a list of `path`, `line`, `text`."""
        asked = given(pattern=text(pattern, "rg", "pattern"), path=at(path, "rg"))
        return tools["Grep"].call(**asked, **given(glob=glob, ignore_case=ignore_case, limit=limit))["matches"]

    @form("Grep")
    def rgf(pattern, path=".", *, glob=None, ignore_case=None, limit=None):
        """Paths of the files with a line that a pattern fits."""
        asked = given(pattern=text(pattern, "rgf", "pattern"), path=at(path, "rgf"), files_only=True)
        return tools["Grep"].call(**asked, **given(glob=glob, ignore_case=ignore_case, limit=limit))["files"]

    @form("Glob")
    def gl(pattern, path="."):
        """Paths of the files whose name fits a pattern."""
        return tools["Glob"].call(pattern=text(pattern, "gl", "pattern"), path=at(path, "gl"))

    @form("Write")
    def put(path, content):
        """Writes a file as a whole."""
        return tools["Write"].call(path=at(path, "put"), content=content)

    @form("Bash")
    def sh(command, *, timeout=None, cwd="."):
        """The standard output of a command; to be awaited. Raises if its exit code is not 0."""
        place = at(cwd, "sh")
        asked = given(command=text(command, "sh", "command"), timeout=timeout, cwd=None if place == "." else place)
        return ShortCall(tools["Bash"], asked, "sh", well_ended)

    def sampler(name):
        def sample(prompt, schema=None):
            """The answer of a model to one prompt, as a text or as what fits a JSON schema; to be awaited."""
            return ShortCall(tools["Sample"], given(prompt=text(prompt, name, "prompt"), schema=schema), name)

        sample.__name__ = name
        form("Sample")(sample)

    for name in ("haiku", "opus", "sonnet", "fable"):
        sampler(name)

    if "Read" in tools or "Bash" in tools:

        def chdir(path=""):
            """Relative paths of this cell begin at this folder from here on. Gives it."""
            base = here()
            text(path, "chdir", "path")
            path = path.rstrip("/")
            Here.folder = path[1:] if path[:1] == "/" or not path else f"{base}/{path}" if base else path
            return Here.folder or "."

        chdir.__module__, chdir.__qualname__ = "builtins", "chdir"
        made["chdir"] = chdir
    return made


def sh_quote(value):
    """A text as one word of a shell."""
    return quote(text(value, "sh_quote", "what is quoted"))


sh_quote.__module__ = "builtins"


# ---- o -----------------------------------------------------------------------------------------------------------------------


class Prepared(dict):
    """`o`: what a cell puts here is its value, if its last expression has none. `o.name` is `o["name"]`."""

    __slots__ = ()

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    __setattr__ = dict.__setitem__

    def __delattr__(self, name):
        try:
            del self[name]
        except KeyError:
            raise AttributeError(name) from None


Prepared.__module__ = "builtins"
Prepared.__name__ = Prepared.__qualname__ = "object of the cell"


class Object:
    now = None


def prepared(begins):
    """Before a cell: an empty `o` in the builtins, where it hides no variable. After one without a value: what is in it."""
    if begins:
        Object.now = builtins.o = Prepared()
        return None
    return builtins.__dict__.get("o") or None


native.bind("prepared", prepared)
