# ruff: noqa: SIM905 - long lists of words are easier to read and change as words
"""CPython for WebAssembly as a static library.

Three stages. `configure` runs upstream's own script. `core` compiles CPython without link-time optimisation, links the
freezer from it, and freezes the modules that the interpreter needs to start. `cpython` is the library that the guest is
linked with: the one of `core` for a fast build, else compiled once more with link-time optimisation.
"""

from __future__ import annotations

import platform
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import process
from fetch import Fetcher
from pins import Source
from report import BuildError
from stage import LANES, Key, Stage, Store
from toolchain import EMULATED, HERE, LINK, Toolchain
from unpack import apply_series, extract

CONFIG_SITE = HERE.parent / "python" / "config.site"
ABI = HERE.parent / "abi"

CONFIGURE = """
    --host=wasm32-wasi --disable-test-modules --without-ensurepip --without-system-libmpdec --without-system-expat
    --without-readline --with-pymalloc --without-mimalloc --disable-ipv6 --prefix=/python
""".split()

FAST_OPT = "-DNDEBUG -O2 -w"
FULL_OPT = "-DNDEBUG -O3 -w"

# Left out of what is kept of the source: nothing here is compiled or frozen.
NOT_NEEDED = (
    "Doc Mac PC PCbuild Android iOS Lib/test Lib/idlelib Lib/tkinter Lib/turtledemo Lib/ensurepip/_bundled".split()
)

# Objects of a freezer: all of the library but what holds frozen modules, by the names of upstream's makefile.
EXTRA_RULES = """\
wasmhost-core: $(LIBRARY_OBJS_OMIT_FROZEN) Modules/getpath_noop.o $(LIBMPDEC_A) $(LIBEXPAT_A) $(LIBHACL_SHA2_A)
\t@echo $(LIBRARY_OBJS_OMIT_FROZEN) > wasmhost-core.txt
"""

LIBRARIES = {
    "libpython.a": "libpython3.13.a",
    "libmpdec.a": "Modules/_decimal/libmpdec/libmpdec.a",
    "libexpat.a": "Modules/expat/libexpat.a",
    "libhacl.a": "Modules/_hacl/libHacl_Hash_SHA2.a",
}

BUILT_IN = (
    "_bz2 _lzma zlib _sqlite3 _decimal pyexpat _elementtree unicodedata _zoneinfo _datetime _json _pickle".split()
)


@dataclass(frozen=True)
class Interpreter:
    source: Stage
    core: Stage
    library: Stage
    libraries: Stage

    def include(self) -> list[str]:
        src = self.source.path
        paths = (
            self.library.path / "include",
            src / "Include",
            src / "Include" / "internal",
            self.libraries.path / "include",
        )
        return [f"-isystem{path}" for path in paths]

    def archives(self) -> list[Path]:
        found = [self.library.path / "lib" / name for name in LIBRARIES]
        return found + [
            self.libraries.path / "lib" / name for name in ("libsqlite3.a", "libz.a", "libbz2.a", "liblzma.a")
        ]


def stages(
    store: Store,
    fetcher: Fetcher,
    chain: Toolchain,
    sources: dict[str, Source],
    libraries: Stage,
    make: Stage | None,
    python: Path,
) -> Interpreter:
    cpython = sources["cpython"]
    patches = sources.get(cpython.patches)
    if cpython.patches and patches is None:
        raise BuildError(f"{cpython.file} needs {cpython.patches}, which pins.toml does not have")

    def unpack(folder: Path, log: Path) -> None:
        extract(fetcher.verified(cpython), folder)
        if patches is not None:
            debian = folder / "debian"
            extract(fetcher.verified(patches), debian)
            count = apply_series(debian / "patches" / "series", folder)
            log.parent.mkdir(parents=True, exist_ok=True)
            log.write_text(f"{count} patches applied\n", encoding="ascii")
        for name in NOT_NEEDED:
            shutil.rmtree(folder / name, ignore_errors=True)

    key = Key().text("source 1", cpython.sha256, patches and patches.sha256, *NOT_NEEDED).file(HERE / "unpack.py")
    source = store.stage("cpython-source", f"CPython {cpython.version}", key, unpack)

    def configure(folder: Path, log: Path) -> None:
        build = folder / "build"
        build.mkdir()
        site = folder / "config.site"
        upstream = source.path / "Tools" / "wasm" / "config.site-wasm32-wasi"
        site.write_bytes(upstream.read_bytes() + b"\n" + CONFIG_SITE.read_bytes())
        # A cross build asks for a native Python of the same version, to freeze modules with. The freezer does that
        # here.
        stand_in = folder / "python"
        stand_in.write_text("#!/bin/sh\necho 3.13\n", encoding="ascii")
        stand_in.chmod(0o755)
        include, lib = libraries.path / "include", libraries.path / "lib"
        compiler = " ".join(str(word) for word in chain.cc())
        settings = {
            "CC": compiler,
            "CPP": f"{compiler} -E",
            "AR": f"{chain.zig} ar",
            "RANLIB": f"{chain.zig} ranlib",
            "CONFIG_SITE": str(site),
            "PKG_CONFIG": "false",
            "PKG_CONFIG_PATH": "",
            "PKG_CONFIG_LIBDIR": "",
            "HOSTRUNNER": "false",
            "OPT": FAST_OPT,
        }
        for name, library in (("ZLIB", "z"), ("BZIP2", "bz2"), ("LIBLZMA", "lzma"), ("LIBSQLITE3", "sqlite3")):
            settings[f"{name}_CFLAGS"] = f"-I{include}"
            settings[f"{name}_LIBS"] = f"-L{lib} -l{library}"
        argv: list[str | Path] = [
            _relative(source.path, build) / "configure",
            *CONFIGURE,
            f"--build={_build_triplet()}",
            f"--with-build-python={stand_in}",
        ]
        process.run(argv, log=log, cwd=build, env={**chain.env(folder), **settings})
        config = (build / "Modules" / "config.c").read_text(encoding="utf-8")
        missing = [name for name in BUILT_IN if f'{{"{name}"' not in config]
        if missing:
            raise BuildError(f"configure left out {', '.join(missing)}\n{process.tail(log)}")
        chain.clean(folder)

    key = Key().text("configure 1", *CONFIGURE, FAST_OPT, *BUILT_IN).file(CONFIG_SITE).file(HERE / "toolchain.py")
    needs = [source, libraries, chain.stage]
    configured = store.stage("cpython-configure", "upstream's configure script", key, configure, needs=needs)

    def run_make(folder: Path, log: Path, opt: str, *targets: str) -> None:
        program = make.path / "make" if make is not None else "make"
        build = folder / "build"
        (folder / "extra.mk").write_text(EXTRA_RULES, encoding="ascii")
        # PY_CORE_CFLAGS and the like come from OPT; nothing else of what configure found depends on it.
        argv: list[str | Path] = [
            program,
            f"-j{LANES}",
            "-f",
            "Makefile",
            "-f",
            folder / "extra.mk",
            f"OPT={opt}",
            *targets,
        ]
        process.run(argv, log=log, cwd=build, env=chain.env(folder))

    def collect(folder: Path, build: Path) -> None:
        (folder / "lib").mkdir()
        (folder / "include").mkdir()
        for name, place in LIBRARIES.items():
            shutil.copy(build / place, folder / "lib" / name)
        shutil.copy(build / "pyconfig.h", folder / "include")
        shutil.rmtree(build)
        chain.clean(folder)

    def core(folder: Path, log: Path) -> None:
        build = folder / "build"
        shutil.copytree(configured.path / "build", build)
        run_make(folder, log, FAST_OPT, "wasmhost-core")
        _link_freezer(chain, folder, build, libraries, source.path, log)
        frozen = folder / "frozen_modules"
        frozen.mkdir()
        _freeze_core(python, folder, build, source.path, frozen, log)
        shutil.copytree(frozen, build / "Python" / "frozen_modules", dirs_exist_ok=True)
        run_make(folder, log, FAST_OPT, "libpython3.13.a")
        collect(folder, build)

    key = Key().text("core 1", EXTRA_RULES).file(HERE / "freezer.c").file(HERE / "freeze.py").tree(ABI)
    key.text(*LINK)
    needs = [chain.stage, source, libraries, configured, *([make] if make is not None else [])]
    what = "CPython without frozen modules, and the freezer made of it"
    core_stage = store.stage("cpython-core", what, key, core, needs=needs, lanes=2)
    if chain.fast:
        return Interpreter(source, core_stage, core_stage, libraries)

    def full(folder: Path, log: Path) -> None:
        build = folder / "build"
        shutil.copytree(configured.path / "build", build)
        shutil.copytree(core_stage.path / "frozen_modules", build / "Python" / "frozen_modules", dirs_exist_ok=True)
        run_make(folder, log, " ".join([FULL_OPT, *chain.lto]), "libpython3.13.a")
        collect(folder, build)

    key = Key().text("full 1", FULL_OPT, *chain.lto)
    library = store.stage("cpython", "CPython, optimised", key, full, needs=[*needs, core_stage], lanes=2)
    return Interpreter(source, core_stage, library, libraries)


def _link_freezer(chain: Toolchain, folder: Path, build: Path, libraries: Stage, src: Path, log: Path) -> None:
    include = [f"-I{path}" for path in (ABI, build, src / "Include", src / "Include" / "internal")]
    freezer, sealed = folder / "freezer.o", folder / "sealed.o"
    chain.compile(
        [
            (HERE / "freezer.c", freezer, ["-std=gnu17", "-O2", "-w", "-DPy_BUILD_CORE", *include]),
            (ABI / "sealed.c", sealed, ["-O2", "-w", *include[:1]]),
        ],
        folder,
        log,
    )
    objects = (build / "wasmhost-core.txt").read_text(encoding="utf-8").split()
    parts: list[str | Path] = [sealed, freezer, "Modules/getpath_noop.o", *objects]
    parts += [place for name, place in LIBRARIES.items() if name != "libpython.a"]
    parts += [libraries.path / "lib" / name for name in ("libsqlite3.a", "libz.a", "libbz2.a", "liblzma.a")]
    argv = chain.cc("-O2", *LINK, "-o", folder / "freezer.wasm", *parts, *EMULATED, "-lm")
    process.run(argv, log=log, cwd=build, env=chain.env(folder))
    for leftover in (freezer, sealed):
        leftover.unlink()


def _freeze_core(python: Path, folder: Path, build: Path, src: Path, out: Path, log: Path) -> None:
    """Writes the headers Python/frozen_modules/*.h that upstream's makefile would make with a native Python."""
    rules = re.findall(
        r"^Python/frozen_modules/(\S+)\.h: (\S+\.py)", (build / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )
    if not any(name == "importlib._bootstrap" for name, _ in rules):
        raise BuildError("the makefile of this CPython freezes modules in another way")
    code = run_freezer(python, folder / "freezer.wasm", [(name, [src / path]) for name, path in rules], folder, log)
    for name, data in code.items():
        rows = [",".join(map(str, data[at : at + 32])) for at in range(0, len(data), 32)]
        text = f"const unsigned char _Py_M__{name.replace('.', '_')}[] = {{\n" + ",\n".join(rows) + "\n};\n"
        (out / f"{name}.h").write_text(text, encoding="ascii")


def run_freezer(
    python: Path, freezer: Path, modules: list[tuple[str, list[Path]]], folder: Path, log: Path
) -> dict[str, bytes]:
    """Marshalled code of each module; the sources of one name are put one after the other."""
    plan, blob, index = (folder / name for name in ("plan", "blob", "index"))
    lines = ("\t".join([name, *(str(path) for path in paths)]) + "\n" for name, paths in modules)
    plan.write_text("".join(lines), encoding="utf-8")
    process.run([python, HERE / "freeze.py", freezer, plan, blob, index], log=log, cwd=folder)
    data = blob.read_bytes()
    found = {}
    for line in index.read_text(encoding="ascii").splitlines():
        name, start, size = line.split()
        found[name] = data[int(start) : int(start) + int(size)]
    for file in (plan, blob, index):
        file.unlink()
    return found


def _relative(path: Path, start: Path) -> Path:
    """Relative paths are the same on every machine; some end up in the library."""
    return Path("../..") / path.relative_to(start.parent.parent)


def _build_triplet() -> str:
    machine = platform.machine().lower().replace("arm64", "aarch64")
    return f"{machine}-apple-darwin" if sys.platform == "darwin" else f"{machine}-pc-linux-gnu"
