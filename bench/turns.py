"""Two checkouts by turns: what a call, a cell and a new sandbox cost in each, on a machine that others use too.

    python -m bench.turns OTHER_CHECKOUT [ROUNDS]

Prints microseconds in the other checkout and in this one. Both need their images built, and the same ones.
"""

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from .measure import machine

ROUNDS = 30
CALLS, CELLS, SANDBOXES = 300, 200, 40
_ARGUMENTS = {
    "JavaScript": {"inline": "({ i })", "schema": "({ i, name: 'x' })", "hop": "({ i })"},
    "Python": {"inline": "(i=i)", "schema": "(i=i, name='x')", "hop": "(i=i)"},
}
_SCHEMA = {"type": "object", "properties": {"i": {"type": "integer"}, "name": {"type": "string"}}}

Measures = dict[str, Callable[[], float]]


def measures() -> Measures:
    """Each gives microseconds of one call, cell or sandbox."""
    from wasmhost import Capability, Hooks, JavaScriptRuntime, Limits, PythonRuntime, capability

    @capability(inline=True)
    def inline(i: int) -> int:
        return i

    def hop(i: int) -> int:
        return i

    schema = Capability.from_json_schema("schema", lambda i, name: i, _SCHEMA, inline=True)
    options: dict[str, Any] = {"capabilities": [inline, schema, hop], "policy": "allow"}
    options["limits"] = Limits(calls=1_000_000, script_ms=600_000)
    runtimes: dict[str, type[JavaScriptRuntime] | type[PythonRuntime]]
    runtimes = {"JavaScript": JavaScriptRuntime, "Python": PythonRuntime}
    made: Measures = {}
    for language, runtime in runtimes.items():
        plain, hooked = runtime(**options), runtime(**options, hooks=Hooks(pre=lambda call: None))
        for tool, arguments in _ARGUMENTS[language].items():
            made[f"{language}: {tool} call"] = _calls(plain, language, tool + arguments, CALLS)
        made[f"{language}: inline call with a hook"] = _calls(hooked, language, f"inline{arguments}", CALLS // 5)
        made[f"{language}: cell"] = _cells(runtime())
        made[f"{language}: sandbox, made, used and closed"] = _sandboxes(runtime)
    return made


def _calls(session: Any, language: str, call: str, count: int) -> Callable[[], float]:
    javascript = f"for (let i = 0; i < {count}; i++) await tools.{call}"
    code = javascript if language == "JavaScript" else f"for i in range({count}): tools.{call}"

    def once() -> float:
        started = time.perf_counter()
        result = session.run(code)
        elapsed = time.perf_counter() - started
        if not result.ok:
            raise SystemExit(result.error)
        return elapsed / count * 1e6

    return once


def _cells(session: Any) -> Callable[[], float]:
    def once() -> float:
        started = time.perf_counter()
        for _ in range(CELLS):
            session.run("1+1")
        return (time.perf_counter() - started) / CELLS * 1e6

    return once


def _sandboxes(runtime: Callable[[], Any]) -> Callable[[], float]:
    def once() -> float:
        started = time.perf_counter()
        for _ in range(SANDBOXES):
            session = runtime()
            session.run("1+1")
            session.close()
        return (time.perf_counter() - started) / SANDBOXES * 1e6

    return once


def serve() -> None:
    """In a child: the names first, then the figure of each name that comes in."""
    made = measures()
    print("\t".join(made), flush=True)
    for line in sys.stdin:
        print(made[line.rstrip("\n")](), flush=True)


def _child(checkout: Path) -> "subprocess.Popen[str]":
    # This file's programs, for whatever wasmhost that checkout has.
    here = Path(__file__).resolve().parent.parent
    code = f"import sys; sys.path[:0] = [{str(checkout)!r}, {str(here)!r}]; import wasmhost"
    code += f"\nassert wasmhost.__file__.startswith({str(checkout)!r}), wasmhost.__file__"
    code += f"\nimport bench; bench.__path__ = [{str(here / 'bench')!r}]\nfrom bench.turns import serve; serve()"
    return subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _end(stream: "IO[str] | None") -> "IO[str]":
    assert stream is not None
    return stream


def _figure(child: "subprocess.Popen[str]", name: str) -> float:
    stdin = _end(child.stdin)
    stdin.write(f"{name}\n")
    stdin.flush()
    return float(_end(child.stdout).readline())


def main(arguments: list[str]) -> int:
    if len(arguments) not in (1, 2):
        print(__doc__, file=sys.stderr)
        return 2
    rounds = int(arguments[1]) if len(arguments) == 2 else ROUNDS
    children = [_child(Path(arguments[0]).resolve()), _child(Path(__file__).resolve().parent.parent)]
    names, _ = (_end(child.stdout).readline().rstrip("\n").split("\t") for child in children)
    figures: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in names}
    for turn in range(rounds + 1):
        for name in names:
            for which in (0, 1) if turn % 2 else (1, 0):
                figure = _figure(children[which], name)
                if turn:
                    figures[name][which].append(figure)
    for child in children:
        _end(child.stdin).close()
        child.wait()
    print(f"µs, least and median of {rounds} rounds by turns: there, here, and here as a part of there  ({machine()})")
    for name, (there, here) in figures.items():
        least, median = (min(there), min(here)), (statistics.median(there), statistics.median(here))
        print(
            f"  {name:<42} {least[0]:8.2f} {median[0]:8.2f}  {least[1]:8.2f} {median[1]:8.2f}"
            f"  {least[1] / least[0]:6.3f} {median[1] / median[0]:6.3f}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
