# ruff: noqa: SIM905 - long lists of words are easier to read and change as words
"""The guests: our C and an interpreter, linked to a reactor, started once and written down as an image."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import interpreter
import process
import wasm
from fetch import Fetcher
from pins import Source
from report import BuildError
from stage import Key, Stage, Store, source_files
from toolchain import EMULATED, HERE, LINK, Toolchain
from unpack import apply_patch, extract

ABI = HERE.parent / "abi"
QUICKJS = HERE.parent / "quickjs"
PYTHON = HERE.parent / "python"

# Our own code is held to more than upstream's, whose headers are system headers to it.
WARNINGS = ("-Wall", "-Wextra", "-Wno-unused-parameter")
QUICKJS_DEFINES = ("-D_GNU_SOURCE", "-D_WASI_EMULATED_SIGNAL")
QUICKJS_UPSTREAM = "libregexp libunicode dtoa".split()
PYTHON_FLAGS = ("-std=gnu17", "-DPy_BUILD_CORE_BUILTIN", "-DNDEBUG")

EXPORTS = set(
    "memory __stack_pointer _initialize wh_alloc wh_free wh_start wh_resume wh_init wh_load wh_seal wh_describe".split()
)


def check(guest: Path) -> None:
    """A guest that could reach anything but the ABI does not leave the build."""
    module = wasm.parse(guest.read_bytes())
    foreign = [f"{item.module}.{item.name}" for item in module.imports if item.module != "wasmhost"]
    if foreign:
        raise BuildError(f"the guest imports {', '.join(foreign)}: only the module wasmhost is allowed")
    missing, extra = EXPORTS - module.exports.keys(), module.exports.keys() - EXPORTS
    if missing or extra:
        raise BuildError(f"exports of the guest: missing {sorted(missing)}, not in the ABI {sorted(extra)}")
    unknown = [item.index for item in module.globals if item.mutable and ("__stack_pointer" not in module.exports)]
    if unknown:
        raise BuildError(f"mutable globals {unknown} are not exported")


def quickjs(store: Store, fetcher: Fetcher, chain: Toolchain, source: Source, grammar: Stage) -> Stage:
    flags = ("-O3", *QUICKJS_DEFINES)
    patches = source_files(QUICKJS / "patches", "*.patch")

    def build(folder: Path, log: Path) -> None:
        upstream = folder / "upstream"
        extract(fetcher.verified(source), upstream, inside="upstream-quickjs")
        for patch in patches:
            apply_patch(patch, upstream)
        include = [f"-I{ABI}", f"-I{QUICKJS}", f"-isystem{upstream}", f"-isystem{grammar.path / 'include'}"]
        # the largest first: it decides how long this takes
        own = sorted(source_files(QUICKJS, "*.c"), key=lambda path: path.name != "guest.c")
        plan = [(path, "own", [*WARNINGS, *flags, *include]) for path in own]
        plan += [(path, "abi", [*WARNINGS, *flags, *include]) for path in source_files(ABI, "*.c")]
        plan += [(upstream / f"{name}.c", "upstream", ["-w", *flags]) for name in QUICKJS_UPSTREAM]
        archives: list[str | Path] = [*sorted((grammar.path / "lib").glob("*.a")), *EMULATED, "-lm"]
        _compile_and_link(chain, folder, log, plan, archives, lto=False)

    key = (
        Key()
        .text("quickjs 1", source.sha256, *WARNINGS, *flags, *LINK, *QUICKJS_UPSTREAM)
        .tree(ABI)
        .file(Path(__file__))
    )
    for path in source_files(QUICKJS):
        if path.suffix in (".c", ".h", ".patch"):
            key.file(path, path.relative_to(QUICKJS).as_posix())
    what = f"QuickJS-NG {source.version} with our C"
    return store.stage("quickjs-guest", what, key, build, needs=[chain.stage, grammar])


def python(store: Store, chain: Toolchain, parts: interpreter.Interpreter, stdlib: Stage) -> Stage:
    flags = ("-O2", *PYTHON_FLAGS)

    def build(folder: Path, log: Path) -> None:
        include = [f"-I{ABI}", f"-I{PYTHON}", *parts.include()]
        plan = [(path, "own", [*WARNINGS, *chain.lto, *flags, *include]) for path in sorted(PYTHON.glob("*.c"))]
        plan += [(path, "abi", [*WARNINGS, "-O2", f"-I{ABI}"]) for path in source_files(ABI, "*.c")]
        archives: list[str | Path] = [stdlib.path / "frozen.o", *parts.archives(), *EMULATED, "-lm"]
        _compile_and_link(chain, folder, log, plan, archives, lto=True)

    key = Key().text("python 1", *WARNINGS, *chain.lto, *flags, *LINK, *EMULATED).tree(ABI).file(Path(__file__))
    for path in source_files(PYTHON):
        if path.suffix in (".c", ".h") and path.parent == PYTHON:
            key.file(path)
    needs = [chain.stage, parts.library, parts.libraries, parts.source, stdlib]
    return store.stage("python-guest", "CPython with our C, linked", key, build, needs=needs)


def _compile_and_link(
    chain: Toolchain,
    folder: Path,
    log: Path,
    plan: Sequence[tuple[Path, str, list[str]]],
    archives: Sequence[str | Path],
    *,
    lto: bool,
) -> None:
    jobs = [(path, folder / f"{where}-{path.stem}.o", flags) for path, where, flags in plan]
    chain.compile(jobs, folder, log)
    # sealed.o comes first: its system functions win over the libc's. alloc.o comes last: what it writes to lies behind
    # what the guest does.
    objects = sorted(
        (out for _, out, _ in jobs), key=lambda out: (out.name != "abi-sealed.o", out.name == "abi-alloc.o", out.name)
    )
    guest = folder / "guest.wasm"
    words = chain.cc(*(chain.lto if lto else ()), "-O2", *LINK, "-o", guest, *objects, *archives)
    process.run(words, log=log, cwd=folder, env=chain.env(folder))
    check(guest)
    for out in objects:
        out.unlink()
    chain.clean(folder)


def image(store: Store, name: str, guest: Stage, prelude: Path, python: Path) -> Stage:
    def build(folder: Path, log: Path) -> None:
        out, info = folder / f"{name}.wasm", folder / f"{name}.info"
        process.run([python, HERE / "preinit.py", guest.path / "guest.wasm", prelude, out, info], log=log, cwd=folder)

    key = Key().text("image 1").file(HERE / "preinit.py").file(HERE / "wasm.py").file(HERE / "meter.py").tree(prelude)
    return store.stage(f"{name}-image", "started once, its memory written down", key, build, needs=[guest])
