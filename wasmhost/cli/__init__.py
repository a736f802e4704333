"""The command line. The path of ``wasmhost run`` imports as little as it can: argparse alone would cost as much as
the sandbox."""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

_COMMANDS = {
    "run": ("[-l LANGUAGE] [options] FILE | - | -c CODE", "one cell of code in a fresh sandbox"),
    "repl": ("[-l LANGUAGE] [options]", "a prompt for cells of one sandbox"),
    "chat": ("[--code-runtime LANGUAGE] [options]", "a chat with a model that answers in cells"),
    "mcp": ("[options]", "sandboxes as tools of the Model Context Protocol"),
    "serve": ("--stdio | --http ADDRESS [options]", "sandboxes for programs in other languages, by JSON-RPC"),
    "doctor": ("[--json]", "what is here, what is wrong, what to do"),
}

# Commands that settings can switch off, by the name of the surface.
_SURFACES = {"mcp": "mcp", "serve": "server", "chat": "chat"}

OK, FAILED, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130


class UsageError(Exception):
    """The command line cannot be understood; ends with exit status 2."""


def main(arguments: list[str]) -> int:
    """Runs the command and returns its exit status."""
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(_usage(), end="")
        return OK if arguments else WRONG_USAGE
    if arguments[0] in ("-V", "--version", "version"):
        from wasmhost import __version__

        print(f"wasmhost {__version__}")
        return OK
    try:
        return _command(arguments[0])(arguments[1:])
    except UsageError as error:
        print(f"wasmhost: {error}", file=sys.stderr)
        return WRONG_USAGE
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        return FAILED
    except OSError as error:
        # Of stdout: a full disk, or closed. What a command opens itself it answers for itself.
        print(f"wasmhost: {error}", file=sys.stderr)
        return FAILED


def _usage() -> str:
    listed = [name for name in _COMMANDS if name not in _switched_off()]
    lines = [f"wasmhost {name} {_COMMANDS[name][0]}" for name in listed]
    lines = ["usage: " + lines[0], *(f"       {line}" for line in lines[1:]), ""]
    lines += [f"{name:8} {_COMMANDS[name][1]}" for name in listed]
    return "\n".join([*lines, "", "`wasmhost COMMAND --help` tells more.", ""])


def _switched_off() -> tuple[str, ...]:
    """Commands that settings have switched off, which are not listed (row B25)."""
    import os

    if not any(name == "WASMHOST_CONFIG" or name.startswith("WASMHOST_SURFACES_") for name in os.environ):
        return ()
    from ..errors import SettingsError
    from ..settings import Settings

    try:
        settings = Settings.load()
    except SettingsError:  # the command itself will say so
        return ()
    return tuple(name for name, surface in _SURFACES.items() if not settings.surface(surface))


def _command(name: str) -> "Callable[[list[str]], int]":
    if name not in _COMMANDS:
        raise UsageError(f"there is no command {name!r}; there are: {', '.join(_COMMANDS)}")
    # Without importlib, which would have to be imported first.
    command: Callable[[list[str]], int] = getattr(__import__(f"{__name__}.{name}", fromlist=[name]), name)
    return command


def entry(argv: list[str]) -> "NoReturn":
    """What the script calls. Leaves without the interpreter's own tidying up, which would cost as much as the cell."""
    import os

    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if stream is None:
            # It is closed: else the next file that is opened would get its number, and what a guest prints. To be read
            # only, so that writing fails as before.
            os.open(os.devnull, os.O_RDONLY)
    status = FAILED
    try:
        status = main(argv[1:])
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except OSError:  # nobody can be told
        status = FAILED
    os._exit(status)
