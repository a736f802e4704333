# ruff: noqa: SIM905 - long lists of words are easier to read and change as words
"""The whole build: which stages there are, and what ends up in the checkout."""

from __future__ import annotations

import os
import platform
import shutil
from functools import partial
from pathlib import Path

import guests
import install
import interpreter
import libraries
import make
import process
import stdlib
import toolchain
import tree_sitter
from fetch import Fetcher
from report import BuildError, Reporter
from stage import Key, Stage, Store

ROOT = install.ROOT
IMAGES = ROOT / "wasmhost" / "images"
GUEST_RUNTIMES = ROOT / "guest-runtimes"
STAMP = IMAGES / "build.stamp"
NAMES = ("quickjs", "python")
QUICKJS_SOURCES = ["zig", "quickjs-ng", "tree-sitter", "tree-sitter-typescript"]
PYTHON_SOURCES = ["cpython", "zlib", "bzip2", "xz", "sqlite", "tzdata"]
CACHE_PARTS = ("stages", "sources", "wheels", "logs", "locks", "trash", "tmp", "apt", "tools", "peers")

# What configure and make call. Most are part of every system; each is looked for before anything starts.
TOOLS = """
    sh sed awk grep tr cat expr sort uname mkdir rm cp mv ln ls chmod touch date basename dirname head wc env true false
""".split()


def cache_folder() -> Path:
    named = os.environ.get("WASMHOST_CACHE")
    if not named:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
        named = os.path.join(base, "wasmhost")
    path = Path(named).absolute()
    if any(character.isspace() for character in str(path)):
        raise BuildError(
            f"configure scripts cannot work in {str(path)!r}: name a folder without spaces in WASMHOST_CACHE"
        )
    return path


def fast() -> bool:
    return os.environ.get("WASMHOST_FAST", "0") not in ("", "0")


def build(report: Reporter, dev: bool, only: str = "") -> None:
    """Everything, as far as it is not there yet; or one guest alone."""
    stamp = _stamp()
    if install.ready(dev) and _up_to_date(stamp):
        return
    cache = cache_folder()
    _check_tools()
    try:
        cache.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise BuildError(f"the cache folder cannot be made: {error} (WASMHOST_CACHE names another)") from error
    fetcher = Fetcher(cache, report)
    store = Store(cache, report)
    install.ensure(cache, report, dev)
    if _up_to_date(stamp):
        return
    STAMP.unlink(missing_ok=True)
    own_make = [] if make.on_this_machine() else ["make"]
    sources = fetcher.get([*QUICKJS_SOURCES, *PYTHON_SOURCES, *own_make])
    if sources["cpython"].patches:
        sources |= fetcher.get([sources["cpython"].patches])
    zig = toolchain.stage(store, fetcher, sources["zig"])
    chain = toolchain.Toolchain(zig, fast())

    grammar = tree_sitter.stage(store, fetcher, chain, sources["tree-sitter"], sources["tree-sitter-typescript"])
    quickjs_guest = guests.quickjs(store, fetcher, chain, sources["quickjs-ng"], grammar)
    quickjs_image = guests.image(store, "quickjs", quickjs_guest, guests.QUICKJS / "prelude", install.PYTHON)

    native = libraries.stage(store, fetcher, chain, sources)
    made = make.stage(store, fetcher, toolchain.Toolchain(zig, True), sources["make"]) if own_make else None
    parts = interpreter.stages(store, fetcher, chain, sources, native, made, install.PYTHON)
    frozen = stdlib.stage(store, fetcher, chain, parts, sources["tzdata"], install.PYTHON)
    python_guest = guests.python(store, chain, parts, frozen)
    python_image = guests.image(store, "python", python_guest, guests.PYTHON / "prelude", install.PYTHON)

    images = {"quickjs": quickjs_image, "python": python_image}
    if only:
        images = {only: images[only]}
    for name, image in images.items():
        # as soon as it is there: the first language runs while the second is built
        store.after(image, partial(_publish, report, store, name, image))
    store.run(images.values())
    for name, image in images.items():
        _publish(report, store, name, image)
    # Nothing, unless wasmhost or wasmtime changed so that the images must be compiled again.
    process.run([install.PYTHON, "-m", "wasmhost.sandbox.image"], log=store.root / "logs" / "compile.log", cwd=ROOT)
    if not only:
        _record(stamp)
        store.prune(images.values())


def _publish(report: Reporter, store: Store, name: str, image: Stage) -> None:
    """Puts an image into the package, and beside it what wasmtime makes of it for this machine."""
    wasm, info = (image.path / f"{name}.{suffix}" for suffix in ("wasm", "info"))
    if _same(info, IMAGES / info.name) and _same_size(wasm, IMAGES / wasm.name) and _compiled(name):
        return
    with store.publishing:
        task = f"{name}-compile"
        report.begin(task, "machine code of the image")
        try:
            (IMAGES / info.name).unlink(missing_ok=True)
            for file in (wasm, info):
                copy = IMAGES / f".{file.name}.{os.getpid()}"
                shutil.copyfile(file, copy)
                copy.replace(IMAGES / file.name)
            log = store.root / "logs" / f"{task}.log"
            process.run([install.PYTHON, "-m", "wasmhost.sandbox.image"], log=log, cwd=ROOT)
            if not _compiled(name):
                raise BuildError(f"wasmhost.sandbox.image made no compiled image of {name}\n{process.tail(log)}")
        except BaseException:
            report.fail(task)
            raise
        report.end(task)


def _same(one: Path, other: Path) -> bool:
    return other.is_file() and one.read_bytes() == other.read_bytes()


def _same_size(one: Path, other: Path) -> bool:
    return other.is_file() and one.stat().st_size == other.stat().st_size


def _compiled(name: str) -> bool:
    info = (IMAGES / f"{name}.info").read_text(encoding="ascii").split()
    sha256 = info[info.index("sha256") + 1]
    return any(IMAGES.glob(f"{name}.{sha256[:16]}.*.cwasm"))


# ---- the second build in a row --------------------------------------------------------------------------------------


def _stamp() -> str:
    """Everything in the checkout that has a part in what the build leaves in it."""
    key = Key().text(fast(), platform.platform(), install.VENV)
    for root in ("build", "abi", "quickjs", "python"):
        key.tree(GUEST_RUNTIMES / root)
    key.file(GUEST_RUNTIMES / "pins.toml").tree(ROOT / "wasmhost" / "sandbox", "*.py").file(install.RUNTIME)
    return key.digest()


def _record(stamp: str) -> None:
    rows = [f"{path.name} {path.stat().st_size} {path.stat().st_mtime_ns}\n" for path in _results()]
    STAMP.write_text(f"{stamp}\n{''.join(rows)}", encoding="ascii")


def _results() -> list[Path]:
    return sorted(path for path in IMAGES.iterdir() if path.suffix in (".wasm", ".info", ".cwasm"))


def _up_to_date(stamp: str) -> bool:
    try:
        recorded, *rows = STAMP.read_text(encoding="ascii").splitlines()
        if recorded != stamp or len(rows) < 3 * len(NAMES):
            return False
        for row in rows:
            name, size, modified = row.split()
            status = (IMAGES / name).stat()
            if (status.st_size, status.st_mtime_ns) != (int(size), int(modified)):
                return False
    except (OSError, ValueError):
        return False
    return True


def _check_tools() -> None:
    missing = [name for name in TOOLS if shutil.which(name) is None]
    if missing:
        packages = {"sed": "sed", "awk": "mawk", "grep": "grep"}
        wanted = sorted({packages.get(name, "coreutils") for name in missing})
        how = f"On Debian: apt-get install {' '.join(wanted)}"
        raise BuildError(f"programs that the build needs are missing: {', '.join(missing)}\n  {how}")
