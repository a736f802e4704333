import sys

from . import calls, cells, cold, cpu, grep, limits, maps, soak, state, typescript, wheel
from .peers import command as peers
from .timed import command as timed

SUITES = {
    "calls": calls.main,
    "cells": cells.main,
    "cold": cold.main,
    "cpu": cpu.main,
    "grep": grep.main,
    "limits": limits.main,
    "maps": maps.main,
    "soak": soak.main,
    "state": state.main,
    "typescript": typescript.main,
    "wheel": wheel.main,
}

# These take options of their own.
COMMANDS = {"peers": peers.main, "pytest": timed.main}


def main(names: list[str]) -> int:
    if names and names[0] in COMMANDS:
        return COMMANDS[names[0]](names[1:])
    unknown = [name for name in names if name not in SUITES]
    if unknown or not names:
        usage = f"""\
usage: ./build.sh bench NAME...   there are: {", ".join(sorted(SUITES))}
       ./build.sh bench {"|".join(COMMANDS)} [OPTION...]"""
        print(usage, file=sys.stderr)
        return 2
    return max(SUITES[name]() for name in names)


sys.exit(main(sys.argv[1:]))
