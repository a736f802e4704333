"""The command line. The path of ``wasmhost run`` imports as little as it can: argparse alone would cost as much as
the sandbox."""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

USAGE = """\
usage: wasmhost run [-l LANGUAGE] [options] FILE | - | -c CODE
       wasmhost repl [-l LANGUAGE] [options]
       wasmhost doctor [--json]

run      one cell of code in a fresh sandbox
repl     a prompt for cells of one sandbox
doctor   what is here, what is wrong, what to do

`wasmhost COMMAND --help` tells more.
"""

OK, FAILED, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130


class UsageError(Exception):
    """The command line cannot be understood; ends with exit status 2."""


def main(arguments: list[str]) -> int:
    """Runs the command and returns its exit status."""
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(USAGE, end="")
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


def _command(name: str) -> "Callable[[list[str]], int]":
    if name == "run":
        from .run import run

        return run
    if name == "repl":
        from .repl import repl

        return repl
    if name == "doctor":
        from .doctor import doctor

        return doctor
    raise UsageError(f"there is no command {name!r}; there are: run, repl, doctor")


def entry(argv: list[str]) -> "NoReturn":
    """What the script calls. Leaves without the interpreter's own tidying up, which would cost as much as the cell."""
    import os

    status = main(argv[1:])
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        status = FAILED
    os._exit(status)
