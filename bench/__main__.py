import sys

from . import calls, cells, cold, cpu, grep, limits, maps, soak, state, typescript, wheel

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


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in SUITES]
    if unknown or not names:
        print(f"usage: ./build.sh bench NAME...   there are: {', '.join(sorted(SUITES))}", file=sys.stderr)
        return 2
    return max(SUITES[name]() for name in names)


sys.exit(main(sys.argv[1:]))
