"""``wasmhost run``: one cell from a file, standard input or the command line."""

import gc
import os
import sys

from ..errors import LimitsError, SettingsError, WasmhostError
from . import FAILED, OK, WRONG_USAGE, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..limits import Limits
    from ..results import RuntimeFailure, RuntimeSuccess
    from ..session.session import Session
    from ..settings import Settings

HELP = """\
usage: wasmhost run [-l LANGUAGE] [options] FILE | - | -c CODE

Runs one cell of code in a fresh sandbox. What it prints goes to stdout and stderr as it comes; then the value of
its last expression goes to stdout, or its error to stderr. Exit status: 0 done, 1 the cell failed, 2 wrong usage.

  FILE, -             source file, or standard input
  -c CODE             source text
  -l, --language L    python (py), javascript (js) or typescript (ts); told from the file's extension where that is .py,
                      .js, .mjs, .cjs, .ts, .mts or .cts
  --json              print one line of JSON, the result, and nothing else
  --timeout MS        script time in milliseconds (1000): the time in which the code runs or waits for its own timers
  --wall MS           real time in milliseconds (600000)
  --fuel N            exact budget of executed instructions
  --memory BYTES      size that the sandbox's memory may grow to (268435456)
  --config FILE       settings: limits, policy, packs (docs/settings.md); by default the file that WASMHOST_CONFIG
                      names. Options win over the environment, which wins over the file. What the policy would ask
                      about is denied
"""

_LANGUAGES = {
    "python": "python",
    "py": "python",
    "javascript": "javascript",
    "js": "javascript",
    "typescript": "typescript",
    "ts": "typescript",
}
_EXTENSIONS = {
    ".py": "python",
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
}
_LIMITS = {"--timeout": "script_ms", "--wall": "wall_ms", "--fuel": "fuel", "--memory": "memory_bytes"}

# What has to do with settings, which are not even imported without them (the same as in settings.py).
_VARIABLES = (
    "WASMHOST_CONFIG",
    "WASMHOST_LANGUAGE",
    "WASMHOST_BACKGROUND",
    "WASMHOST_LIMITS_",
    "WASMHOST_POLICY_",
    "WASMHOST_FILES_",
    "WASMHOST_SHELL_",
    "WASMHOST_HTTP_",
    "WASMHOST_SURFACES_",
)

# More than anybody writes, less than what would fill a sandbox by itself.
_MAX_SOURCE_BYTES = 32 << 20

# What a pipe and a terminal take at once if they have room at all.
_PIPE_BYTES, _TERMINAL_BYTES = 4096, 256
# How often a cell that waits for its reader looks whether it has to end.
_LOOK_SECONDS = 0.05


class Options:
    """What the words of a command line ask for. ``source=False``: for a command that takes no source."""

    def __init__(self, arguments: list[str], source: bool = True) -> None:
        self.language: str | None = None
        self.code: str | None = None
        self.file: str | None = None
        self.json: bool = False
        self.config: str | None = None
        self.limits: dict[str, float] = {}
        rest = list(arguments)
        while rest:
            word = rest.pop(0)
            name, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
            if name in ("-h", "--help"):
                raise Help
            if name == "--json":
                self.json = True
            elif name in ("-l", "--language"):
                given = value if equals else self._next(rest, name)
                if given.lower() not in _LANGUAGES:
                    raise UsageError(f"language {given!r} is not known; there are: python, javascript, typescript")
                self.language = _LANGUAGES[given.lower()]
            elif name == "--config":
                self.config = value if equals else self._next(rest, name)
            elif name == "-c":
                self.code = self._next(rest, name)
            elif name in _LIMITS:
                self.limits[_LIMITS[name]] = self._number(name, value if equals else self._next(rest, name))
            elif word.startswith("-") and word != "-":
                raise UsageError(f"option {word!r} is not known; see: wasmhost run --help")
            elif self.file is not None:
                raise UsageError(f"one source at a time: {self.file!r} and {word!r} were given")
            else:
                self.file = word
        if not source:
            if self.code is not None or self.file is not None or self.json:
                raise UsageError("this command takes no source and no --json; see its --help")
        elif (self.code is None) == (self.file is None):
            raise UsageError("give either a file, - for standard input, or -c CODE; see: wasmhost run --help")
        if self.language is None and self.file is not None:
            self.language = _EXTENSIONS.get(os.path.splitext(self.file)[1].lower())
        self.settings: Settings | None = None
        if self.config is not None or any(name.startswith(_VARIABLES) for name in os.environ):
            self.settings = _settings(self)
            self.language = self.language or self.settings.language
        if self.language is None and source:
            raise UsageError("give the language: -l python, -l javascript or -l typescript")

    def check_surface(self, name: str) -> None:
        """Whether settings have switched it off.

        Raises:
            UsageError: they have.
        """
        settings = self.settings
        if settings is not None and not settings.surface(name):
            raise UsageError(f"{name} is switched off: surfaces.{name} of {settings.source(f'surfaces.{name}')}")

    @staticmethod
    def _next(rest: list[str], name: str) -> str:
        if not rest:
            raise UsageError(f"{name} needs a value")
        return rest.pop(0)

    @staticmethod
    def _number(name: str, text: str) -> float:
        try:
            return int(text)
        except ValueError:
            pass
        try:
            return float(text)
        except ValueError:
            raise UsageError(f"{name} needs a number, not {text!r}") from None


class Help(Exception):
    """The help is asked for."""


def _settings(options: Options) -> "Settings":
    from ..settings import Settings

    explicit = {f"limits.{name}": value for name, value in options.limits.items()}
    return Settings.load(options.config, explicit=explicit)


def run(arguments: list[str]) -> int:
    try:
        options = Options(arguments)
    except Help:
        print(HELP, end="")
        return OK
    except SettingsError as error:
        raise UsageError(str(error)) from None
    code = _source(options)
    try:
        with session_of(options) as session:
            gc.enable()
            write = None if options.json else Writer(session)
            result = session.run(code, on_output=write)
    except (LimitsError, SettingsError) as error:
        raise UsageError(str(error)) from None
    except WasmhostError as error:
        print(f"wasmhost: {error}", file=sys.stderr)
        return WRONG_USAGE
    if options.json:
        _write(1, result.to_json().encode() + b"\n")
    else:
        show(result)
        if write is not None:
            write.tell_left_out()
    return OK if result.ok else FAILED


def _source(options: Options) -> str:
    if options.code is not None:
        return options.code
    file = options.file
    assert file is not None
    try:
        if file == "-":
            if sys.stdin is None:
                raise UsageError("cannot read -: standard input is closed")
            data = sys.stdin.buffer.read(_MAX_SOURCE_BYTES + 1)
        else:
            with open(file, "rb") as stream:
                data = stream.read(_MAX_SOURCE_BYTES + 1)
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror or error}") from None
    if len(data) > _MAX_SOURCE_BYTES:
        raise UsageError(f"{file} is larger than {_MAX_SOURCE_BYTES} bytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{file} is not UTF-8: {error.reason} at byte {error.start}") from None


def session_of(options: Options, **more: "Any") -> "Session":
    """A session as the options say. Raises what a runtime raises."""
    from ..runtimes import RUNTIMES

    assert options.language is not None
    if options.settings is not None:
        return options.settings.runtime(options.language, **more)
    return RUNTIMES[options.language](limits=_limits(options), **more)


def _limits(options: Options) -> "Limits | None":
    if not options.limits:
        return None
    from ..limits import Limits

    return Limits(**options.limits)  # type: ignore[arg-type]


def show(result: "RuntimeSuccess | RuntimeFailure") -> None:
    """Value or error, and notes."""
    if result.ok:
        if result.has_value:
            _write_text(1, result.value_text + "\n")
    else:
        _write_text(2, result.error.rstrip("\n") + "\n")
    for note in result.notes:
        _write_text(2, f"note: {note}\n")


# ---- writing ----


def _write(stream: int, data: bytes) -> None:
    while data:
        data = data[os.write(stream, data) :]


class Writer:
    """Passes on what a cell of a session prints, as it comes: bytes to a file or pipe, harmless text to a terminal.
    Whoever does not read holds the cell up, but only until it has to end: by its limits, or by Ctrl-C."""

    def __init__(self, session: "Session") -> None:
        self._session = session
        self._terminals = {stream: _Terminal() for stream in (1, 2) if os.isatty(stream)}
        self._select: Callable[..., Any] | None = None
        self._left_out = 0

    def __call__(self, name: str, data: bytes) -> None:
        stream = 1 if name.endswith("stdout") else 2
        terminal = self._terminals.get(stream)
        rest = memoryview(data if terminal is None else terminal.harmless(data))
        at_once = _PIPE_BYTES if terminal is None else _TERMINAL_BYTES
        while rest:
            if not self._has_room(stream):
                self._left_out += len(rest)
                return
            rest = rest[os.write(stream, rest[:at_once]) :]

    def _has_room(self, stream: int) -> bool:
        """Waits until a write would not; False: the cell has to end before."""
        if sys.platform == "win32":
            return True
        if self._select is None:
            from select import select

            self._select = select
        while True:
            ends = self._session._must_end()
            if self._select((), (stream,), (), 0 if ends else _LOOK_SECONDS)[1]:
                return True
            if ends:
                return False

    def tell_left_out(self) -> None:
        """Says what the cell has printed and nobody has read, if there is any."""
        if self._left_out:
            _write_text(2, f"note: {self._left_out} bytes of output are left out here: nobody read them in time\n")
            self._left_out = 0


def _write_text(stream: int, text: str) -> None:
    if os.isatty(stream):
        from ..protocol.harmless import harmless

        text = harmless(text)
    _write(stream, text.encode("utf-8", "replace"))


class _Terminal:
    """What a guest prints, fit for a terminal."""

    def __init__(self) -> None:
        import codecs

        from ..protocol.harmless import harmless

        self._harmless = harmless
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def harmless(self, data: bytes) -> bytes:
        return self._harmless(self._decoder.decode(data)).encode()
