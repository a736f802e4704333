"""CPython's own tests, from the source that the guest is built of, inside the guest.

    ./build.sh conformance python                the modules that are known
    ./build.sh conformance python MODULE...      these (test_json, test_asyncio.test_queues)
    ./build.sh conformance python --all          every module that there is
    ./build.sh conformance python --record ...   write what fails into python_expected.toml

Every module runs in a session of its own, with limits. A test that ends the sandbox counts as failed, and the rest of
its module runs in the next session. What is known to fail is in python_expected.toml, with the reason."""

from __future__ import annotations

import re
import sys
import time
import tokenize
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from wasmhost import Limits, PythonRuntime, capability

HERE = Path(__file__).resolve().parent
EXPECTED = HERE / "python_expected.toml"
GUEST = HERE / "python_guest.py"
LIMITS = Limits(script_ms=60_000, wall_ms=300_000, memory_bytes=1 << 30, stdout_bytes=8 << 20)
ENDED = "it ended the sandbox"

sys.path.append(str(HERE.parent / "guest-runtimes" / "build"))


@dataclass
class Module:
    """What a test module gave. Tests are named without the module's own name."""

    name: str
    ran: set[str] = field(default_factory=set)
    failed: dict[str, str] = field(default_factory=dict)
    skipped: set[str] = field(default_factory=set)
    # Why there are no tests, where the module could not be loaded or skips itself.
    broken: str = ""
    left_out: str = ""

    @property
    def passed(self) -> int:
        return len(self.ran - self.failed.keys() - self.skipped)


class Tests:
    """The sources of CPython's tests."""

    def __init__(self, root: Path) -> None:
        self.root: Path = root

    def names(self) -> list[str]:
        """Every module with tests; those of a package one by one."""
        found = []
        for path in sorted(self.root.glob("test_*")):
            if path.suffix == ".py":
                found.append(path.stem)
            elif (path / "__init__.py").exists():
                found += [f"{path.name}.{inner.stem}" for inner in sorted(path.glob("test_*.py"))] or [path.name]
        return found

    def source(self, name: str) -> list[str]:
        """Place and text of a module, or nothing. Only what lies in the folder of the tests can be asked for."""
        parts = name.split(".")
        if parts[0] != "test" or not all(part.isidentifier() for part in parts):
            return []
        base = self.root.joinpath(*parts[1:])
        for path in (base.with_suffix(".py") if parts[1:] else base, base / "__init__.py"):
            if path.is_file():
                with tokenize.open(path) as file:
                    return [f"/test/{path.relative_to(self.root).as_posix()}", file.read()]
        return []


def fetch() -> Tests:
    """The tests, from the archive that the build has taken by its hash."""
    import plan
    from fetch import Fetcher
    from report import Reporter
    from stage import Key, Store
    from unpack import extract

    report = Reporter()
    cache = plan.cache_folder()
    fetcher = Fetcher(cache, report)
    source = fetcher.get(["cpython"])["cpython"]
    store = Store(cache, report)

    def build(folder: Path, log: Path) -> None:
        extract(fetcher.verified(source), folder / "test", inside="Lib/test")

    stage = store.stage("cpython-tests", "CPython's own tests", Key().text(source.sha256), build)
    store.run([stage])
    report.close()
    return Tests(stage.path / "test")


def run(tests: Tests, name: str) -> Module:
    """Runs one module, in as many sessions as it takes."""
    made = Module(name)

    @capability(read_only=True)
    def source(name: str) -> list[str]:
        """Place and text of one of CPython's test modules."""
        return tests.source(name)

    while True:
        with PythonRuntime(limits=LIMITS, capabilities=[source]) as session:
            loaded = session.run(GUEST.read_text(encoding="utf-8"))
            if not loaded.ok:
                raise SystemExit(f"{GUEST.name} does not run: {loaded.error}")
            full = {f"test.{name}.{test}" for test in made.ran}
            result = session.run(f"run_module('test.{name}', {full!r})")
        began, last, over = 0, "", False
        for line in result.stdout.splitlines():
            what, *words = line.split("\t")
            if what == "module failed":
                made.broken = words[0]
                return made
            if what == "module skipped":
                made.left_out = words[0]
                return made
            over = over or what == "done"
            if not words:
                continue
            test = words[0].removeprefix(f"test.{name}.")
            if what == "begin":
                began, last = began + 1, test
            elif what == "end":
                made.ran.add(test)
                last = ""
            elif what == "failed":
                made.ran.add(test)
                made.failed.setdefault(test, words[-1])
            elif what == "skipped":
                made.ran.add(test)
                made.skipped.add(test)
        if over and result.ok:
            return made
        why = f"{result.error_type}: {(result.error_message or '')[:200]}"
        if not last:
            made.broken = why
            return made
        # The time may have been spent by the tests before: one that was the first of its session had all of it.
        if began == 1 or (result.stop is not None and result.stop.limit not in ("script", "wall")):
            made.ran.add(last)
            made.failed[last] = f"{ENDED} ({why})"


def expected() -> dict[str, dict[str, str]]:
    """What is known to fail: module, test ("*" for the module itself), reason."""
    return tomllib.loads(EXPECTED.read_text(encoding="utf-8")) if EXPECTED.exists() else {}


def report(module: Module, known: dict[str, str]) -> tuple[list[str], list[str]]:
    """Failures that nobody expects, and what passes although it is listed."""
    if module.broken:
        return ([] if "*" in known else [f"{module.name}: {module.broken}"]), []
    surprises = [f"{module.name}.{test}: {why}" for test, why in module.failed.items() if test not in known]
    healed = [f"{module.name}.{test}" for test in known if test not in module.failed and test not in module.skipped]
    return surprises, healed


def main(arguments: list[str]) -> int:
    record = "--record" in arguments
    names = [word for word in arguments if not word.startswith("-")]
    tests = fetch()
    known = expected()
    if not names:
        names = tests.names() if "--all" in arguments else sorted(known)
    surprises: list[str] = []
    healed: list[str] = []
    modules = []
    started = time.monotonic()
    for name in names:
        began = time.monotonic()
        module = run(tests, name)
        modules.append(module)
        more, well = report(module, known.get(name, {}))
        surprises += more
        healed += well
        if module.broken or module.left_out:
            text = f"{'does not load' if module.broken else 'skips itself'}: {module.broken or module.left_out}"
        else:
            counts = (len(module.ran), module.passed, len(module.failed), len(module.skipped))
            text = "{} run, {} passed, {} failed, {} skipped".format(*counts)
            text += f", {len(more)} not expected" if more else ""
        print(f"{name:<32} {time.monotonic() - began:6.1f} s  {text}", flush=True)
        if record:
            known[name] = recorded(module, known.get(name, {}))
            write(known)
    for line in surprises:
        print(f"not expected: {line}")
    for line in healed:
        print(f"listed, and does not fail: {line}")
    loaded = [module for module in modules if not module.broken and not module.left_out]
    print(
        f"modules: {len(modules)}, of which {len(loaded)} ran, "
        f"{sum(bool(m.left_out) for m in modules)} skip themselves, "
        f"{sum(bool(m.broken) for m in modules)} do not load"
    )
    print(
        f"tests: {sum(len(m.ran) for m in loaded)} run, {sum(m.passed for m in loaded)} passed, "
        f"{sum(len(m.failed) for m in loaded)} failed (all expected but {len(surprises)}), "
        f"{sum(len(m.skipped) for m in loaded)} skipped, in {time.monotonic() - started:.0f} s"
    )
    return 1 if surprises or healed else 0


# ---- the list --------------------------------------------------------------------------------------------------------

# What the text of an error tells about its reason. The first that fits.
REASONS = (
    (r"it ended the sandbox", "ends the sandbox"),
    (r"can't start new thread|threads", "no threads"),
    (r"FileNotFoundError|No such file|Errno 44|NotADirectoryError|Read-only file|not capable|Errno 76", "no files"),
    (r"subprocess|posix_spawn|fork|Popen|processes", "no processes"),
    (r"sockets? |_socket|ssl", "no network"),
    (r"No module named", "a module that is left out"),
    (r"MemoryError", "not that much memory"),
    (r"RecursionError|recursion", "another depth of recursion"),
    (r"Python int too large to convert to C|32-bit|maxsize", "32-bit"),
)


def reason(text: str) -> str:
    return next((why for pattern, why in REASONS if re.search(pattern, text)), f"not looked into: {text[:160]}")


def recorded(module: Module, before: dict[str, str]) -> dict[str, str]:
    if module.broken:
        return {"*": before.get("*") or reason(module.broken)}
    return {test: before.get(test) or reason(text) for test, text in sorted(module.failed.items())}


def quoted(text: str) -> str:
    escaped = "".join(
        f"\\u{ord(c):04x}" if ord(c) < 32 or 127 <= ord(c) < 160 else f"\\{c}" if c in '"\\' else c for c in text
    )
    return f'"{escaped}"'


def write(known: dict[str, dict[str, str]]) -> None:
    lines = ["# Tests of CPython that fail in the guest, each with the reason. `*`: the module cannot be loaded.\n"]
    for name, rows in sorted(known.items()):
        lines.append(f"\n[{quoted(name)}]\n")
        lines += [f"{quoted(test)} = {quoted(why)}\n" for test, why in rows.items()]
    EXPECTED.write_text("".join(lines).encode("utf-8", "replace").decode(), encoding="utf-8")
