# ruff: noqa: SIM905 - long lists of words are easier to read and change as words
"""The standard library of the CPython guest: every pure module as marshalled code in one table that is linked in.

Modules under guest-runtimes/python/overlay/ replace those of the same name, or add to them: what lies in
overlay/append/ is put after the end of upstream's source. The time zones come as a generated module.
"""

from __future__ import annotations

from pathlib import Path

import interpreter
from fetch import Fetcher
from pins import Source
from stage import Key, Stage, Store, source_files
from toolchain import HERE, Toolchain
from unpack import extract

OVERLAY = HERE.parent / "python" / "overlay"
APPEND = "append"

# What cannot do anything in the guest: tests, graphical programs, other platforms, installers.
LEFT_OUT = set(
    """
    test idlelib tkinter turtle turtledemo ensurepip venv lib2to3 msilib site-packages __hello__ __phello__
    _aix_support _android_support _apple_support _ios_support _osx_support
    asyncio.windows_events asyncio.windows_utils encodings.mbcs encodings.oem multiprocessing.popen_spawn_win32
    ctypes.macholib ctypes.wintypes sqlite3.__main__ unittest.__main__
    """.split()
)
ZONES_MODULE = "_zoneinfo_files"


def modules(lib: Path, overlay: Path) -> dict[str, list[Path]]:
    """Every module by name with the sources it is made of."""
    found: dict[str, list[Path]] = {}
    for root in (lib, overlay):
        for path in source_files(root, "*.py"):
            parts = path.relative_to(root).with_suffix("").parts
            if root == overlay and parts[0] == APPEND:
                continue
            names = [".".join(parts[: count + 1]) for count in range(len(parts))]
            if LEFT_OUT.isdisjoint(names) and not (root == lib and "tests" in parts):
                found[names[-1].removesuffix(".__init__")] = [path]
    for path in source_files(overlay / APPEND, "*.py"):
        found[path.stem].append(path)
    return found


def packages(found: dict[str, list[Path]]) -> set[str]:
    return {name for name, paths in found.items() if paths[0].name == "__init__.py"}


ZONES_SOURCE = '''"""The files of tzdata {version}: one bytes object and where each of them lies in it."""

VERSION = {version!r}
IANA_VERSION = {iana!r}
INDEX = {index!r}
DATA = {data!r}

_places = {{}}


def places():
    if not _places:
        for line in INDEX.split("\\n"):
            name, start, size = line.split()
            _places[name] = int(start), int(size)
    return _places
'''


def zones_source(zoneinfo: Path, zones: Path, version: str) -> str:
    """The module ZONES_MODULE. Zones that are equal are stored once."""
    places: dict[bytes, int] = {}
    data = bytearray()
    index = []
    for name in sorted(zones.read_text(encoding="ascii").split()):
        content = (zoneinfo / name).read_bytes()
        if content not in places:
            places[content] = len(data)
            data += content
        index.append(f"{name} {places[content]} {len(content)}")
    iana = f"{version.split('.')[0]}{chr(ord('a') - 1 + int(version.split('.')[1]))}"
    return ZONES_SOURCE.format(version=version, iana=iana, index="\n".join(index), data=bytes(data))


def stage(
    store: Store, fetcher: Fetcher, chain: Toolchain, parts: interpreter.Interpreter, tzdata: Source, python: Path
) -> Stage:
    def build(folder: Path, log: Path) -> None:
        zones = folder / "tzdata"
        extract(fetcher.verified(tzdata), zones, inside="tzdata", strip=0)
        generated = folder / f"{ZONES_MODULE}.py"
        generated.write_text(zones_source(zones / "zoneinfo", zones / "zones", tzdata.version), encoding="utf-8")
        found = modules(parts.source.path / "Lib", OVERLAY)
        found[ZONES_MODULE] = [generated]
        freezer = parts.core.path / "freezer.wasm"
        code = interpreter.run_freezer(python, freezer, sorted(found.items()), folder, log)
        is_package = packages(found)
        blob = bytearray()
        rows = []
        for name, data in code.items():
            rows.append(f'    {{"{name}", modules + {len(blob)}, {len(data)}, {int(name in is_package)}}},\n')
            blob += data
        (folder / "modules.bin").write_bytes(blob)
        (folder / "frozen.c").write_text(
            "#include <Python.h>\n\n"
            'static const unsigned char modules[] = {\n#embed "modules.bin"\n};\n\n'
            f"const struct _frozen wh_frozen[] = {{\n{''.join(rows)}    {{0}},\n}};\n",
            encoding="ascii",
        )
        flags = ["-std=gnu23", "-O2", "-w", f"-I{folder}", *parts.include()]
        chain.compile([(folder / "frozen.c", folder / "frozen.o", flags)], folder, log)
        for leftover in (generated, folder / "modules.bin"):
            leftover.unlink()
        chain.clean(folder)

    key = Key().text("stdlib 1", tzdata.sha256, *sorted(LEFT_OUT)).tree(OVERLAY, "*.py")
    key.file(Path(__file__)).file(HERE / "freeze.py")
    needs = [chain.stage, parts.source, parts.core, parts.library, parts.libraries]
    return store.stage("stdlib", "the standard library, frozen", key, build, needs=needs)
