"""What ./build.sh does.

    ./build.sh                  build: environment, guests, images, compiled images
    ./build.sh build NAME       one guest alone: quickjs or python
    ./build.sh demo             build, then run a cell in each language
    ./build.sh test             build, then everything that CI runs (scripts/check)
    ./build.sh bench NAME...    build, then print the figures of bench/NAME.py
    ./build.sh bench peers [OPTION...]     build, then measure beside other runtimes and write docs/performance.md
    ./build.sh bench pytest [OPTION...]    build, then bench/timed with pytest-benchmark
    ./build.sh conformance python [MODULE...]    build, then CPython's own tests inside the guest (suites/python.py)
    ./build.sh conformance javascript PATH       build, then test262 of a checkout in the guest (suites/javascript.py)
    ./build.sh wheel            build, then the wheel, in dist/
    ./build.sh clean            remove what a build leaves in the checkout; clean --cache: the cache as well
    ./build.sh help             this text

WASMHOST_CACHE    folder for everything third-party and for the results of stages (else wasmhost in the user's cache)
WASMHOST_SOURCES  folder that is looked through for source archives first
WASMHOST_FAST     1: no link-time optimisation: CPython links in a second instead of two minutes, and is a tenth slower
PYTHON            the Python (3.11 or newer) that runs the build and that .venv is made of
"""

from __future__ import annotations

import compileall
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import FrameType

import install
import plan
from report import BuildError, Reporter
from stage import lock_file

ROOT = install.ROOT
WHEEL_BYTES = 100_000_000
DEMO = (
    (
        "javascript",
        "const words = ['sand', 'box'];\nconsole.log('from QuickJS');\n({ joined: words.join(''), big: 2n ** 100n })",
    ),
    ("python", "import statistics\nprint('from CPython')\n{'mean': statistics.mean(range(10)), 'big': 2**100}"),
)


def main(arguments: list[str]) -> int:
    command, *rest = arguments or ["build"]
    if command in ("help", "-h", "--help"):
        print((__doc__ or "").strip())
        return 0
    if command not in ("build", "demo", "test", "bench", "conformance", "wheel", "clean"):
        print(f"build.sh: there is no command {command!r}\n\n{(__doc__ or '').strip()}", file=sys.stderr)
        return 2
    only = rest[0] if command == "build" and len(rest) == 1 and rest[0] in plan.NAMES else ""
    if rest and not only and command not in ("test", "bench", "conformance", "clean"):
        print(f"build.sh {command}: does not take {' '.join(rest)}", file=sys.stderr)
        return 2
    report = Reporter()
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        if command == "clean":
            return clean(rest)
        lock = plan.IMAGES / ".lock"
        with lock_file(lock, lambda: report.say("waiting: another build of this checkout is running")):
            plan.build(report, command in ("test", "bench", "wheel"), only)
            # As pip would: where Python is told to write no bytecode, each start would compile the package again.
            compileall.compile_dir(plan.ROOT / "wasmhost", quiet=2)
    except BuildError as error:
        report.close()
        print(f"build failed: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        report.close()
        print("build stopped; it goes on from here next time", file=sys.stderr)
        return 130
    report.close()
    if command == "demo":
        return demo()
    if command == "test":
        return run(["sh", ROOT / "scripts" / "check", *rest])
    if command == "bench":
        return run([install.PYTHON, "-m", "bench", *rest])
    if command == "conformance":
        # The suite runs in the checkout, and a path that was given does not begin there.
        rest[1:2] = [os.path.abspath(path) if rest[0] == "javascript" else path for path in rest[1:2]]
        return run([install.PYTHON, "-m", "suites", *rest])
    if command == "wheel":
        return wheel()
    return 0


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def run(argv: list[str | Path]) -> int:
    sys.stdout.flush()
    try:
        return subprocess.run([str(word) for word in argv], cwd=ROOT, check=False).returncode
    except KeyboardInterrupt:
        return 130


def demo() -> int:
    program = install.PYTHON.parent / "wasmhost"
    for language, code in DEMO:
        shown = "\n".join(f"    {line}" for line in code.splitlines())
        print(f"\n$ .venv/bin/wasmhost run -l {language} -c '...'\n{shown}\n")
        status = run([program, "run", "-l", language, "-c", code])
        if status != 0:
            return status
    return 0


def wheel() -> int:
    folder = ROOT / "dist"
    for old in folder.glob("wasmhost_runtime-*.whl"):
        old.unlink()
    status = run([install.PYTHON, "-m", "hatchling", "build", "-t", "wheel", "-d", folder])
    if status != 0:
        return status
    (made,) = folder.glob("wasmhost_runtime-*.whl")
    size = made.stat().st_size
    print(f"{size / 1e6:.1f} MB")
    if size > WHEEL_BYTES:
        print(f"build.sh wheel: more than the {WHEEL_BYTES / 1e6:.0f} MB that it may have", file=sys.stderr)
        return 1
    return 0


def clean(arguments: list[str]) -> int:
    if arguments not in ([], ["--cache"]):
        print("build.sh clean: takes nothing or --cache", file=sys.stderr)
        return 2
    for path in (ROOT / ".venv", ROOT / "dist", ROOT / "build"):
        shutil.rmtree(path, ignore_errors=True)
    for path in plan.IMAGES.iterdir() if plan.IMAGES.is_dir() else ():
        if path.suffix in (".wasm", ".info", ".cwasm", ".sha256", ".stamp"):
            path.unlink()
    if arguments:
        cache = plan.cache_folder()
        for name in plan.CACHE_PARTS:
            shutil.rmtree(cache / name, ignore_errors=True)
    return 0


if __name__ == "__main__":
    os.umask(0o022)
    sys.exit(main(sys.argv[1:]))
