"""The figures that `figures.toml` keeps, and which of them this interpreter and these images are held against."""

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

from tests.support.child import run_python

KEPT = Path(__file__).resolve().parent / "figures.toml"
# Of a figure, in percent.
ALLOWED = 5
# Each one more is somebody's decision.
EXACT = ("modules", "crossings")
HEAD = """\
# Written by scripts/performance; tests/performance/test_guard.py fails when a figure is more than 5 % above what stands
# here, modules and crossings at each one more. Opcodes and modules are those of one version of Python. CPython's image
# is linked in two ways (WASMHOST_FAST); `functions` tells them apart.
"""

Figures = dict[str, dict[str, Any]]


def measured() -> dict[str, dict[str, int]]:
    """The figures of this checkout, from a process of its own."""
    code = "from tests.performance.measured import measure; import json; print(json.dumps(measure()))"
    found: dict[str, dict[str, int]] = json.loads(run_python(code).stdout)
    return found


def version() -> str:
    return f"{sys.version_info[0]}.{sys.version_info[1]}"


def read() -> Figures:
    return tomllib.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}


def image_of(kept: Figures, functions: int) -> str:
    """Which of the kept images is nearest to one with so many functions."""
    names = [name for name in ("full", "fast") if name in kept]
    return min(names, key=lambda name: abs(kept[name]["functions"] - functions))


def jumps(kept: dict[str, Any], found: dict[str, int]) -> list[str]:
    """A line for each figure that is more than it may be, is missing, or is new."""
    made = []
    for name in sorted(kept.keys() | found.keys()):
        before, now = kept.get(name), found.get(name)
        if before is None or now is None:
            made.append(f"{name}: {'not kept' if before is None else 'not measured'}")
        elif now * 100 > before * (100 + (0 if name.startswith(EXACT) else ALLOWED)):
            made.append(f"{name}: {now} instead of {before} ({now / max(before, 1) - 1:+.1%})")
    return made


def write(found: dict[str, dict[str, int]], image: str) -> None:
    """Puts figures in the place of the kept ones; those of the other image stay."""
    tables: Figures = read()
    tables["host"] = {"python": version(), **found["host"]}
    tables[image] = {"functions": found["image"]["functions"], **found["guests"]}
    lines = [HEAD]
    for name in ("host", "full", "fast"):
        if name in tables:
            lines.append(f"[{name}]")
            lines += [f"{json.dumps(key)} = {json.dumps(value)}" for key, value in tables[name].items()]
            lines.append("")
    KEPT.write_text("\n".join(lines[:-1]) + "\n", encoding="utf-8")
