"""Settings from a TOML file that is named, and from the environment: limits, policy, packs, and which surfaces there
are (decision 0016, ``docs/settings.md``)."""

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .capabilities.approval import printable
from .errors import LimitsError, SettingsError, WasmhostError
from .limits import Limits

if TYPE_CHECKING:
    from .capabilities.policy import Policy
    from .packs.pack import Pack
    from .session.session import Session

MAX_BYTES = 1 << 20
_MAX_VARIABLE = 64 << 10
_SHOWN = 60
LANGUAGES = ("python", "javascript", "typescript")

# What can be switched on and off, and whether it is on where nothing is said; None: the program decides.
SURFACES: dict[str, bool | None] = {
    "helpers": None,
    "files": True,
    "shell": True,
    "http": True,
    "mcp": True,
    "server": True,
    "chat": True,
}
PACKS = ("files", "shell", "http")

# From a value to what is wrong with it, or None.
_Check = Callable[[Any], str | None]


def _number(least: float, most: float, *, whole: bool) -> _Check:
    kind = "a whole number" if whole else "a number"

    def check(value: Any) -> str | None:
        if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
            return f"must be {kind}, not {_shown(value)}"
        return None if least <= value <= most else f"must be from {least:g} to {most:g}, not {_shown(value)}"

    return check


def _flag(value: Any) -> str | None:
    return None if isinstance(value, bool) else f"must be true or false, not {_shown(value)}"


def _text(value: Any) -> str | None:
    if not isinstance(value, str) or not value:
        return f"must be a text, not {_shown(value)}"
    return "must not have a NUL character" if "\0" in value else None


def _texts(value: Any) -> str | None:
    if isinstance(value, list) and all(_text(item) is None for item in value):
        return None
    return f'must be a list of texts, such as ["one", "two"], not {_shown(value)}'


def _one_of(*words: str) -> _Check:
    return lambda value: None if value in words else f"must be one of {', '.join(words)}, not {_shown(value)}"


def _table(value: Any) -> str | None:
    if isinstance(value, dict) and all(isinstance(one, str) for one in value.values()):
        return None
    return f"must be a table of texts, not {_shown(value)}"


def _tables(needed: tuple[str, ...], **known: type) -> _Check:
    """A list of tables, each with what is needed and perhaps more of what is known."""

    def check(value: Any) -> str | None:
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            return f"must be a list of tables, not {_shown(value)}"
        for number, one in enumerate(value, 1):
            for name in needed:
                if name not in one:
                    return f"number {number} lacks {name!r}; each has: {', '.join(needed)}"
            for name, inner in one.items():
                if name not in known:
                    return f"number {number}: {_shown(name)} is not known; there are: {', '.join(known)}"
                if type(inner) is not known[name]:
                    return f"number {number}: {name!r} must be {_KINDS[known[name]]}, not {_shown(inner)}"
        return None

    return check


_KINDS = {str: "a text", int: "a whole number", dict: "a table"}


def _limit(name: str) -> _Check:
    def check(value: Any) -> str | None:
        try:
            Limits(**{name: value})
        except LimitsError as error:
            return str(error).removeprefix(f"{name} ")
        return None

    return check


_SECONDS = _number(0.001, 600, whole=False)
_COUNT = _number(1, 1 << 40, whole=True)
_DECISION = _one_of("allow", "deny", "ask")
_PATHS = frozenset(["files.root", "shell.cwd"])

# Every key, with its check.
_KEYS: dict[str, dict[str, _Check]] = {
    "": {"language": _one_of(*LANGUAGES), "background": _one_of("clear", "hold")},
    "limits": {name: _limit(name) for name in Limits.__slots__ if name not in ("_given", "notes")},
    "policy": {
        "default": _DECISION,
        "allow": _texts,
        "deny": _texts,
        "ask": _texts,
        "rules": _tables(("name", "decision"), name=str, decision=str, arguments=dict, reason=str),
    },
    "files": {
        "root": _text,
        "write": _flag,
        "read_bytes": _COUNT,
        "write_bytes": _COUNT,
        "entries": _COUNT,
        "results": _COUNT,
        "search_bytes": _COUNT,
        "timeout": _SECONDS,
        "reserved": _texts,
    },
    "shell": {
        "cwd": _text,
        "env": _table,
        "timeout": _SECONDS,
        "output_bytes": _COUNT,
        "processes": _number(1, 100_000, whole=True),
        "file_bytes": _COUNT,
        "program": _text,
    },
    "http": {
        "allow": _texts,
        "secrets": _tables(("env", "host"), env=str, host=str, header=str, query=str, prefix=str, port=int),
        "max_bytes": _COUNT,
        "max_body": _COUNT,
        "timeout": _SECONDS,
        "max_redirects": _number(0, 20, whole=True),
        "concurrency": _number(1, 1_000, whole=True),
    },
    "surfaces": dict.fromkeys(SURFACES, _flag),
}
_PREFIX = "WASMHOST_"
# Variables that have to do with settings begin with one of these.
VARIABLES = (
    f"{_PREFIX}CONFIG",
    f"{_PREFIX}LANGUAGE",
    f"{_PREFIX}BACKGROUND",
    *(f"{_PREFIX}{table.upper()}_" for table in _KEYS if table),
)


class Settings:
    """Settings for sessions, each from the strongest source that has it: what was given explicitly, the environment, a
    file, the default. Immutable; made by :meth:`load`."""

    def __init__(self, values: Mapping[str, Any], sources: Mapping[str, str], environ: Mapping[str, str]) -> None:
        self._values: dict[str, Any] = dict(values)
        self._sources: dict[str, str] = dict(sources)
        self._environ: Mapping[str, str] = environ

    @classmethod
    def load(
        cls,
        file: str | os.PathLike[str] | None = None,
        *,
        environ: Mapping[str, str] | None = None,
        explicit: Mapping[str, Any] | None = None,
    ) -> "Settings":
        """Reads settings. Nothing is read that is not named: no file of the working folder or of a home.

        Args:
            file: a TOML file. By default the one that ``WASMHOST_CONFIG`` names, if it is set.
            environ: the environment; by default that of the process. ``{}``: none.
            explicit: settings that win over everything, by dotted name: ``{"limits.script_ms": 500}``.

        Raises:
            SettingsError: a file that cannot be read, a key that is not known, or a value that does not fit. The text
                names the source and the key.
        """
        environ = os.environ if environ is None else environ
        values: dict[str, Any] = {}
        sources: dict[str, str] = {}
        named = os.fspath(file) if file is not None else environ.get(f"{_PREFIX}CONFIG") or None
        layers = [(named, _from_file(named))] if named is not None else []
        layers += [("the environment", _from_environment(environ)), ("explicit", dict(explicit or {}))]
        for source, found in layers:
            for key, value in found.items():
                values[key] = _checked(source, key, value)
                sources[key] = source
                if key in _PATHS and source == named:
                    values[key] = os.path.join(os.path.dirname(os.path.abspath(named)), value)
        return cls(values, sources, environ)

    def get(self, key: str, default: Any = None) -> Any:
        """A setting by its dotted name (``"limits.script_ms"``), or the default where nobody has set it."""
        return self._values.get(key, default)

    def source(self, key: str) -> str | None:
        """Who has set it: the path of the file, ``"the environment"``, ``"explicit"``; None: nobody."""
        return self._sources.get(key)

    def surface(self, name: str, default: bool | None = None) -> bool:
        """Whether something is to be offered: ``mcp``, ``helpers``, a pack. What is off is not listed anywhere.

        Args:
            default: where nobody has set it.

        Raises:
            ValueError: there is no such surface.
        """
        if name not in SURFACES:
            raise ValueError(f"there is no surface {name!r}; there are: {', '.join(SURFACES)}")
        found = self._values.get(f"surfaces.{name}")
        if found is None:
            found = SURFACES[name] if default is None else default
        return bool(found)

    @property
    def language(self) -> str | None:
        """The language that is set."""
        return self._values.get("language")

    @property
    def limits(self) -> Limits:
        """Limits of a session; what is not set has its default."""
        return Limits(**self._of("limits"))

    @property
    def policy(self) -> "Policy | None":
        """None: nothing is set, the default policy holds."""
        given = self._of("policy")
        if not given:
            return None
        from .capabilities.policy import Policy, Rule

        rules = []
        for number, one in enumerate(given.pop("rules", ()), 1):
            try:
                rules.append(Rule(one["name"], one["decision"], one.get("arguments"), **_only(one, "reason")))
            except (WasmhostError, TypeError) as error:
                raise self._wrong("policy.rules", f"number {number}: {error}") from None
        return Policy(rules, **given)

    @property
    def packs(self) -> "list[Pack]":
        """The packs that have a table and are not switched off, made anew: ``files.root`` is opened here.

        Raises:
            SettingsError: a pack that cannot be made so.
        """
        return [self._pack(name) for name in PACKS if self._of(name) and self.surface(name)]

    def session_options(self) -> dict[str, Any]:
        """Arguments for a runtime: ``PythonRuntime(**settings.session_options())``.

        Raises:
            SettingsError: a pack that cannot be made so.
        """
        options: dict[str, Any] = {"limits": self.limits}
        packs, policy = self.packs, self.policy
        if packs:
            options["capabilities"] = packs
        if policy is not None:
            options["policy"] = policy
        if self.surface("helpers"):
            options["helpers"] = True
        if "background" in self._values:
            options["background"] = self._values["background"]
        return options

    def runtime(self, language: str | None = None, **options: Any) -> "Session":
        """A new session.

        Args:
            language: ``python``, ``javascript`` or ``typescript``; by default the one that is set, else Python.
            options: of the runtime; they win. ``capabilities`` are offered beside those of the settings.

        Raises:
            SettingsError: a pack that cannot be made so.
            ValueError: no such language.
        """
        from . import runtimes

        made = runtimes.RUNTIMES
        name = language or self.language or "python"
        if name not in made:
            raise ValueError(f"language is one of {', '.join(made)}, not {name!r}")
        mine = self.session_options()
        capabilities = [*mine.pop("capabilities", ()), *options.pop("capabilities", ())]
        return made[name](**{**mine, **({"capabilities": capabilities} if capabilities else {}), **options})

    def __repr__(self) -> str:
        return f"Settings({', '.join(self._values)})"  # without values: there may be secrets among them

    def _of(self, table: str) -> dict[str, Any]:
        head = f"{table}."
        return {key[len(head) :]: value for key, value in self._values.items() if key.startswith(head)}

    def _wrong(self, key: str, why: str) -> SettingsError:
        table = f"{key.partition('.')[0]}."
        source = self._sources.get(key) or next(s for name, s in self._sources.items() if name.startswith(table))
        return SettingsError(f"{source}: {key}: {why}")

    def _pack(self, name: str) -> "Pack":
        from . import packs

        options = self._of(name)
        main = {"files": "root", "shell": "cwd", "http": "allow"}[name]
        if name != "shell" and main not in options:
            raise self._wrong(f"{name}.{main}", f"is missing; [{name}] needs it")
        try:
            if name == "files":
                return packs.files(options.pop("root"), **options)
            if name == "shell":
                return packs.shell(options.pop("cwd", None), **options)
            secrets = [self._secret(number, one) for number, one in enumerate(options.pop("secrets", ()), 1)]
            return packs.http(options.pop("allow"), secrets=secrets, **options)
        except SettingsError:
            raise
        except OSError as error:
            raise self._wrong(
                f"{name}.{main}", f"{error.strerror or error}: {printable(str(error.filename))}"
            ) from None
        except (WasmhostError, ValueError, TypeError) as error:
            raise self._wrong(f"{name}.{main}", f"the pack cannot be made: {error}") from None

    def _secret(self, number: int, given: dict[str, Any]) -> Any:
        """A secret for http. Its value is in a variable of the environment, never in the file."""
        from .packs import Secret

        options = dict(given)
        variable = options.pop("env")
        value = self._environ.get(variable) if isinstance(variable, str) else None
        if not value:
            raise self._wrong("http.secrets", f"number {number}: the environment has no variable {_shown(variable)}")
        try:
            return Secret(value, **options)
        except (WasmhostError, TypeError, ValueError) as error:
            raise self._wrong("http.secrets", f"number {number}: {error}") from None


def _only(given: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: given[name] for name in names if name in given}


def _shown(value: Any) -> str:
    text = printable(repr(value))
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _checked(source: str, key: str, value: Any) -> Any:
    table, _, name = key.rpartition(".")
    known = _KEYS.get(table)
    if known is None or name not in known:
        raise SettingsError(f"{source}: {_plain(key)}: there is no such setting{_near(key)}")
    wrong = known[name](value)
    if wrong is not None:
        raise SettingsError(f"{source}: {key}: {wrong}")
    return value


def _plain(key: str) -> str:
    return printable(key[:100])


def _near(key: str) -> str:
    """What was perhaps meant, or what there is."""
    from difflib import get_close_matches

    table, _, name = key[:100].partition(".")
    if name and table in _KEYS:
        close = get_close_matches(name, _KEYS[table], 1)
        return f"; did you mean {table}.{close[0]}?" if close else f"; [{table}] has: {', '.join(_KEYS[table])}"
    tables = [name for name in _KEYS if name]
    close = get_close_matches(table, ["language", *tables], 1)
    if close:
        return f"; did you mean {close[0]}?"
    return f"; there are: language, {', '.join(f'[{one}]' for one in tables)}"


def _from_file(path: str) -> dict[str, Any]:
    import tomllib

    try:
        data = read_regular(path, MAX_BYTES, path)
    except FileNotFoundError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        tables = tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path}: not UTF-8: {error.reason} at byte {error.start}") from None
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path}: not TOML: {printable(str(error))}") from None
    except RecursionError:
        raise SettingsError(f"{path}: not TOML that can be read: nested too deep") from None
    found: dict[str, Any] = {}
    for name, value in tables.items():
        if name in _KEYS and name:
            if not isinstance(value, dict):
                raise SettingsError(f"{path}: {name}: must be a table: [{name}]")
            found.update({f"{name}.{inner}": one for inner, one in value.items()})
        else:
            found[name] = value
    return found


def read_regular(path: str, most: int, shown: str) -> bytes:
    """The bytes of a regular file, which is opened without waiting for whoever would write into a pipe.

    Args:
        shown: how errors call it.

    Raises:
        SettingsError: it cannot be read, is no regular file, or has more than ``most`` bytes.
        FileNotFoundError: it is not there.
    """
    import stat

    if "\0" in path:
        raise SettingsError(f"{_plain(shown)}: not the name of a file")
    try:
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
        try:
            if not stat.S_ISREG(os.fstat(number).st_mode):
                raise SettingsError(f"{shown}: not a regular file")
            with open(number, "rb", closefd=False) as stream:
                data = stream.read(most + 1)
        finally:
            os.close(number)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise SettingsError(f"{shown}: cannot be read: {error.strerror or error}") from None
    if len(data) > most:
        raise SettingsError(f"{shown}: larger than {most} bytes")
    return data


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    """Variables ``WASMHOST_<TABLE>_<KEY>``. Other variables that begin so have nothing to do with settings."""
    found: dict[str, Any] = {}
    for variable, text in environ.items():
        if not variable.startswith(VARIABLES) or variable == f"{_PREFIX}CONFIG":
            continue
        table, _, name = variable.removeprefix(_PREFIX).lower().partition("_")
        key = f"{table}.{name}" if table in _KEYS else table if not name else f"{table}_{name}"
        check = _KEYS.get(table, {}).get(name) if table in _KEYS else _KEYS[""].get(key)
        if check is None:
            raise SettingsError(f"the environment: {_plain(variable)}: there is no such setting{_near(key)}")
        if len(text) > _MAX_VARIABLE:
            raise SettingsError(f"the environment: {variable}: longer than {_MAX_VARIABLE} characters")
        found[key] = _value(text, check)
    return found


def _value(text: str, check: _Check) -> Any:
    """What a variable means: JSON where that fits (numbers, true, lists, tables), else the text itself."""
    import json

    if check(text) is None:
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
