import sys
from collections.abc import Callable

from . import javascript, python

SUITES: dict[str, Callable[[list[str]], int]] = {"python": python.main, "javascript": javascript.main}


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0] not in SUITES:
        print(
            "usage: ./build.sh conformance python [MODULE...]\n       ./build.sh conformance javascript PATH [PART...]"
        )
        return 2
    return SUITES[arguments[0]](arguments[1:])


sys.exit(main(sys.argv[1:]))
