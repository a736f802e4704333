"""test262, the tests of the language's standard, in the guest.

    ./build.sh conformance javascript PATH                  a checkout of test262, all of it
    ./build.sh conformance javascript PATH PART...          files or folders below its test/
    ./build.sh conformance javascript PATH --native QJS     tests that fail also run in a native quickjs-ng (`qjs`) of
                                                            the same version; what fails there is not the guest's

Each test runs in a session of its own: the harness as the first cell, the test as the second. What needs modules,
workers, other realms or the host object `$262` is left out and counted."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from wasmhost import JavaScriptRuntime, Limits

LIMITS = Limits(script_ms=10_000, wall_ms=60_000, memory_bytes=512 << 20)
SHOWN = 200  # failures that are printed

# Words of `flags` and `features` whose tests cannot run here, with the reason.
LEFT_OUT = {
    "module": "modules",
    "dynamic-import": "modules",
    "import-attributes": "modules",
    "import-defer": "modules",
    "import.meta": "modules",
    "json-modules": "modules",
    "source-phase-imports": "modules",
    "top-level-await": "modules",
    "Atomics": "shared memory",
    "Atomics.waitAsync": "shared memory",
    "SharedArrayBuffer": "shared memory",
    "CanBlockIsFalse": "shared memory",
    "CanBlockIsTrue": "shared memory",
    "ShadowRealm": "other realms",
    "cross-realm": "other realms",
    "Temporal": "not in the engine",
    "tail-call-optimization": "not in the engine",
    "IsHTMLDDA": "not in the engine",
}
PRINT = "globalThis.print = console.log;\n"
DONE = "Test262:AsyncTestComplete"


@dataclass(frozen=True)
class Test:
    """One file of test262, as its comment describes it."""

    name: str
    source: str
    includes: tuple[str, ...]
    flags: frozenset[str]
    features: frozenset[str]
    # Phase and type of the error that it has to end in.
    negative: tuple[str, str] | None

    @property
    def left_out(self) -> str:
        """Why it cannot run here; empty if it can."""
        for word in sorted(self.flags | self.features):
            if word in LEFT_OUT:
                return LEFT_OUT[word]
        return "the host object $262" if "$262" in self.source else ""

    @property
    def modes(self) -> tuple[str, ...]:
        if self.flags & {"onlyStrict"}:
            return ("strict",)
        if self.flags & {"noStrict", "raw"}:
            return ("sloppy",)
        return ("sloppy", "strict")


def parse(name: str, text: str) -> Test:
    """Reads the description: the part of YAML that test262 uses."""
    block = re.search(r"/\*---(.*?)---\*/", text, re.DOTALL)
    head = block[1] if block else ""

    def words(key: str) -> tuple[str, ...]:
        inline = re.search(rf"^{key}:\s*\[(.*?)\]", head, re.MULTILINE | re.DOTALL)
        if inline:
            return tuple(word.strip() for word in inline[1].split(",") if word.strip())
        listed = re.search(rf"^{key}:[ \t]*\n((?:[ \t]+- .*\n?)+)", head, re.MULTILINE)
        return tuple(line.strip()[2:].strip() for line in listed[1].splitlines()) if listed else ()

    negative = None
    part = re.search(r"^negative:[ \t]*\n((?:[ \t]+.*\n?)+)", head, re.MULTILINE)
    if part:
        fields = dict(re.findall(r"(phase|type):\s*(\w+)", part[1]))
        negative = (fields.get("phase", ""), fields.get("type", ""))
    return Test(name, text, words("includes"), frozenset(words("flags")), frozenset(words("features")), negative)


def harness(root: Path, test: Test) -> str:
    """What runs before the test: nothing for a raw one."""
    if "raw" in test.flags:
        return ""
    names = ["assert.js", "sta.js", *(["doneprintHandle.js"] if "async" in test.flags else []), *test.includes]
    return PRINT + "\n".join((root / "harness" / name).read_text(encoding="utf-8") for name in names)


def run(root: Path, test: Test, mode: str) -> str:
    """Why the test fails in the guest; empty if it passes."""
    source = '"use strict";\n' + test.source if mode == "strict" else test.source
    with JavaScriptRuntime(limits=LIMITS) as session:
        before = harness(root, test)
        if before:
            loaded = session.run(before)
            if not loaded.ok:
                return f"the harness does not run: {loaded.error_message}"
        result = session.run(source)
    if test.negative is not None:
        if result.ok:
            return f"no error, but a {test.negative[1]} is wanted"
        return "" if result.error_type == test.negative[1] else f"{result.error_type} instead of {test.negative[1]}"
    if not result.ok:
        return f"{result.error_type}: {result.error_message}"
    if "async" in test.flags and DONE not in result.stdout:
        return result.stdout.strip()[:200] or "it did not come to its end"
    return ""


def fails_natively(program: str, root: Path, test: Test, mode: str) -> bool:
    """Whether the native engine fails as well."""
    source = f"{harness(root, test).removeprefix(PRINT)}\n{test.source}"
    with tempfile.NamedTemporaryFile("w", suffix=".js", encoding="utf-8") as file:
        file.write('"use strict";\n' + source if mode == "strict" else source)
        file.flush()
        try:
            done = subprocess.run(
                [program, "--script", file.name], capture_output=True, text=True, errors="replace", timeout=60
            )
        except subprocess.TimeoutExpired:
            return True
    if test.negative is not None:
        return done.returncode == 0 or test.negative[1] not in done.stdout + done.stderr
    return done.returncode != 0 or ("async" in test.flags and DONE not in done.stdout)


def files(root: Path, parts: list[str]) -> list[Path]:
    """The tests: files whose name has no `_FIXTURE`, in order."""
    found: list[Path] = []
    for part in parts or [""]:
        place = root / "test" / part
        if not place.exists():
            raise SystemExit(f"there is no {place}")
        found += [place] if place.is_file() else sorted(place.rglob("*.js"))
    return [path for path in found if "_FIXTURE" not in path.name and "intl402" not in path.parts]


def main(arguments: list[str]) -> int:
    native = None
    if "--native" in arguments:
        at = arguments.index("--native")
        native = (arguments[at + 1 : at + 2] or [""])[0]
        arguments = arguments[:at] + arguments[at + 2 :]
        if not native:
            print("--native wants the path of qjs", file=sys.stderr)
            return 2
    if not arguments:
        print((__doc__ or "").strip(), file=sys.stderr)
        return 2
    root = Path(arguments[0])
    if not (root / "harness" / "assert.js").is_file() or not (root / "test").is_dir():
        print(f"{root} is no checkout of test262: it has no harness/assert.js and test/", file=sys.stderr)
        return 2
    counts: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    failures = []
    started = time.monotonic()
    for path in files(root, arguments[1:]):
        test = parse(path.relative_to(root / "test").as_posix(), path.read_text(encoding="utf-8", errors="replace"))
        counts["files"] += 1
        if test.left_out:
            left_out[test.left_out] += 1
            continue
        for mode in test.modes:
            counts["run"] += 1
            why = run(root, test, mode)
            if not why:
                counts["passed"] += 1
            elif native is not None and fails_natively(native, root, test, mode):
                counts["native"] += 1
            else:
                failures.append(f"{test.name} ({mode}): {why[:200]}")
    for line in failures[:SHOWN]:
        print(line)
    if len(failures) > SHOWN:
        print(f"... and {len(failures) - SHOWN} more")
    print(f"files: {counts['files']}, of which left out: {sum(left_out.values())}")
    for reason, count in sorted(left_out.items()):
        print(f"    {count:6} {reason}")
    print(
        f"tests: {counts['run']} run, {counts['passed']} passed, {len(failures)} failed, "
        f"{counts['native']} failed in the native engine too, in {time.monotonic() - started:.0f} s"
    )
    return 1 if failures else 0
