"""What wasmhost finds on this machine and in this process, what is wrong with it, and what to do.

``wasmhost doctor`` prints it. A program that embeds wasmhost may call :func:`diagnose` itself: signal handlers, limits
and threads are those of the process that asks.
"""

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Literal

from .errors import WasmhostError

if TYPE_CHECKING:
    from .sandbox.image import Place

Status = Literal["ok", "note", "wrong"]

# What an instance reserves: 4 GiB of memory, the guard after it, and the module's own data.
_ADDRESS_SPACE = 4 << 30
_MAPPINGS_PER_SANDBOX = 3
_LANGUAGES = (("python", "python"), ("javascript", "quickjs"))


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at. ``ok``: as it should be. ``note``: works, but worth knowing. ``wrong``: something
    does not work, and ``advice`` says what to do."""

    name: str
    status: Status
    detail: str
    advice: str = ""
    data: dict[str, object] = field(default_factory=dict)


def diagnose() -> list[Finding]:
    """Looks at everything; takes a second or two. Raises nothing: what fails is a finding. Starts sandboxes, so it
    installs wasmtime's signal handlers. Blocking; call it from any thread."""
    found: list[Finding] = []
    for look in (_python, _package, _library, _images, _cache, _stacks, _pages, _swap, _address_space, _mappings):
        found += _safely(look)
    # Before the guests: starting one puts wasmtime's own handlers back.
    found += _safely(_signals)
    for language, _ in _LANGUAGES:
        found += _safely(partial(_self_test, language), f"self-test of {language}")
    return found


def _safely(look: Callable[[], Iterator[Finding]], name: str = "") -> list[Finding]:
    name = name or look.__name__.strip("_").replace("_", " ")
    try:
        return list(look())
    except WasmhostError as error:
        return [Finding(name, "wrong", str(error), "see the findings above")]
    except OSError as error:
        return [Finding(name, "note", f"cannot be looked at here: {error}")]


def _python() -> Iterator[Finding]:
    import platform

    detail = f"{platform.python_implementation()} {platform.python_version()} on {platform.platform()}"
    data: dict[str, object] = {"executable": sys.executable, "bits": sys.maxsize.bit_length() + 1}
    if sys.maxsize < 2**32:
        yield Finding("python", "wrong", detail, "a sandbox reserves 4 GiB: use a 64-bit Python", data)
    elif sys.platform.startswith("linux"):
        yield Finding("python", "ok", detail, data=data)
    else:
        yield Finding("python", "note", detail, "wasmhost is tested on Linux; nobody has tested this system yet", data)


def _package() -> Iterator[Finding]:
    from . import __file__ as home
    from . import __version__

    folder = os.path.dirname(os.path.abspath(home))
    yield Finding("wasmhost", "ok", f"{__version__} in {folder}", data={"version": __version__, "folder": folder})


def _library() -> Iterator[Finding]:
    from .errors import EngineError
    from .sandbox._wasmtime import SUPPORTED_MAJORS
    from .sandbox.engine import engine

    supported = f"supported majors: {', '.join(map(str, SUPPORTED_MAJORS))}"
    try:
        made = engine()
    except (EngineError, OSError) as error:
        yield Finding("wasmtime", "wrong", str(error), f"pip install 'wasmtime=={SUPPORTED_MAJORS[-1]}.*'")
        return
    data: dict[str, object] = {"version": made.lib.version, "path": made.lib.path, "cpu_level": made.cpu_level}
    yield Finding(
        "wasmtime", "ok", f"{made.lib.version} ({supported}), code for {made.cpu_level}, {made.lib.path}", data=data
    )


def _hash_of(descriptor_or_path: int | str) -> str:
    from hashlib import sha256

    digest = sha256()
    with open(descriptor_or_path, "rb", closefd=isinstance(descriptor_or_path, str)) as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def _images() -> Iterator[Finding]:
    from .sandbox.engine import engine
    from .sandbox.image import images_folder, places, read_info

    folder = images_folder()
    for language, name in _LANGUAGES:
        title = f"image of {language}"
        wasm = os.path.join(folder, f"{name}.wasm")
        try:
            expected = read_info(os.path.join(folder, f"{name}.info"))["sha256"][0]
            actual = _hash_of(wasm)
        except (OSError, KeyError, IndexError) as error:
            yield Finding(title, "wrong", f"missing or damaged: {error}", _INSTALL_AGAIN)
            continue
        data: dict[str, object] = {"path": wasm, "sha256": actual}
        if actual != expected:
            yield Finding(title, "wrong", f"{wasm} has SHA-256 {actual}, not {expected}", _INSTALL_AGAIN, data)
            continue
        yield Finding(title, "ok", f"SHA-256 {actual}", data=data)
        yield _compiled(f"compiled {title}", places(engine(), name, expected))


_INSTALL_AGAIN = "install the wheel again (pip install --force-reinstall wasmhost-runtime), or run ./build.sh"


def _compiled(title: str, candidates: "Iterator[Place]") -> Finding:
    from .sandbox.image import HASH_SUFFIX

    refused = ""
    for place in candidates:
        descriptor = place.open_trusted()
        if descriptor is None:
            if os.path.lexists(place.path):
                refused = (
                    f"{place.path} is not used: it is a link, of another owner than the package, or writable for others"
                )
            continue
        try:
            actual = _hash_of(descriptor)
        finally:
            os.close(descriptor)
        data: dict[str, object] = {"path": place.path, "sha256": actual}
        try:
            with open(place.path + HASH_SUFFIX, encoding="ascii") as file:
                expected = file.read(100).strip()
        except OSError:
            return Finding(title, "note", f"{place.path} has no hash beside it to compare with", data=data)
        if actual != expected:
            return Finding(
                title,
                "wrong",
                f"{place.path} has SHA-256 {actual}, and had {expected} when it was made",
                "delete it: the next start makes it again; find out who changed it",
                data,
            )
        return Finding(title, "ok", f"SHA-256 {actual}, {place.path}", data=data)
    advice = "the first sandbox compiles it into the cache, which takes some seconds"
    if refused:
        return Finding(title, "note", refused, f"repair its owner and mode; until then {advice}")
    return Finding(title, "note", "none for this wasmtime and this machine", advice)


def _names_in_use() -> tuple[str, ...]:
    from .sandbox.engine import engine
    from .sandbox.image import compiled_name, images_folder, read_info

    names = []
    for _, name in _LANGUAGES:
        try:
            sha256 = read_info(os.path.join(images_folder(), f"{name}.info"))["sha256"][0]
        except (OSError, KeyError, IndexError):
            continue
        names.append(compiled_name(engine(), name, sha256))
    return tuple(names)


def _cache() -> Iterator[Finding]:
    from .sandbox.image import cache_folder

    folder = cache_folder()
    if folder is None:
        yield Finding(
            "cache",
            "note",
            "there is no private folder for compiled images",
            "needed only where the package has none that fits: give WASMHOST_CACHE a folder of yours (mode 0700, in "
            "no folder that others may write)",
        )
        return
    files = [entry for entry in os.scandir(folder) if entry.is_file(follow_symlinks=False)]
    size = sum(entry.stat(follow_symlinks=False).st_size for entry in files)
    old = sorted(entry.name for entry in files if not entry.name.startswith(_names_in_use()))
    data: dict[str, object] = {"folder": folder, "files": len(files), "bytes": size, "unused": old}
    advice = f"{len(old)} of other images, versions or machines may be deleted" if old else ""
    yield Finding("cache", "ok", f"{folder}: {len(files)} files, {size / 1e6:.1f} MB", advice, data)


def _stacks() -> Iterator[Finding]:
    import threading

    from .sandbox.engine import DEFAULT_STACK_BYTES
    from .sandbox.stack import MARGIN_BYTES, RUNNER_STACK_BYTES, room

    needed = DEFAULT_STACK_BYTES + MARGIN_BYTES
    rooms = [room()]
    thread = threading.Thread(target=lambda: rooms.append(room()))
    thread.start()
    thread.join()
    data: dict[str, object] = {
        "needed": needed,
        "this_thread": rooms[0],
        "new_thread": rooms[1],
        "runner": RUNNER_STACK_BYTES,
    }
    here, new = (
        "unknown" if left == 0 else f"{left / 2**20:.1f} MiB ({'in place' if left >= needed else 'beside it'})"
        for left in rooms
    )
    detail = f"{needed / 2**20:.1f} MiB needed; left on this thread: {here}, on a new one: {new}"
    if rooms[0] >= needed:
        yield Finding("thread stacks", "ok", detail, data=data)
    else:
        advice = "guests run on threads of ours, some 50 µs more a cell; a larger stack (ulimit -s) avoids that"
        yield Finding("thread stacks", "note", detail, advice, data)


def _pages() -> Iterator[Finding]:
    from .sandbox.pages import fast_way

    way = fast_way()
    if way is not None:
        yield Finding("dirty pages", "ok", f"told by the kernel ({type(way).__name__.strip('_').lower()})")
    else:
        yield Finding(
            "dirty pages",
            "note",
            "found by comparing memory with the image: /proc/self/pagemap cannot be used here",
            "a checkpoint costs milliseconds more; nothing else changes",
        )


def _swap() -> Iterator[Finding]:
    kilobytes = 0
    with open("/proc/meminfo", encoding="ascii") as file:
        for line in file:
            if line.startswith("SwapTotal:"):
                kilobytes = int(line.split()[1])
    data: dict[str, object] = {"bytes": kilobytes * 1024}
    if kilobytes:
        yield Finding(
            "swap",
            "note",
            f"{kilobytes / 2**20:.1f} GiB",
            "memory of guests can reach the disk: encrypt the swap device if sessions hold secrets",
            data,
        )
    else:
        yield Finding("swap", "ok", "none", data=data)


def _address_space() -> Iterator[Finding]:
    try:
        from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit
    except ImportError:
        return
    soft, _ = getrlimit(RLIMIT_AS)
    if soft == RLIM_INFINITY:
        yield Finding("address space", "ok", "unlimited", data={"bytes": None})
        return
    data: dict[str, object] = {"bytes": soft}
    room = soft // _ADDRESS_SPACE
    detail = f"RLIMIT_AS is {soft} bytes; each sandbox reserves more than {_ADDRESS_SPACE} bytes"
    advice = "raise it (ulimit -v unlimited) and limit memory by a control group instead"
    if room < 2:
        yield Finding("address space", "wrong", f"{detail}: no sandbox can start", advice, data)
    else:
        yield Finding("address space", "note", f"{detail}: at most {room - 1} at a time", advice, data)


def _mappings() -> Iterator[Finding]:
    with open("/proc/sys/vm/max_map_count", encoding="ascii") as file:
        limit = int(file.read())
    with open("/proc/self/maps", "rb") as maps:
        used = sum(1 for _ in maps)
    sandboxes = max(0, limit - used) // _MAPPINGS_PER_SANDBOX
    data: dict[str, object] = {"max_map_count": limit, "used": used, "sandboxes": sandboxes}
    detail = f"vm.max_map_count is {limit}, {used} in use: room for about {sandboxes} sandboxes at a time"
    advice = "raise it (sysctl vm.max_map_count=1048576) if you want more"
    yield Finding("mappings", "ok" if sandboxes >= 1000 else "note", detail, advice if sandboxes < 1000 else "", data)


def _signals() -> Iterator[Finding]:
    from .sandbox.engine import engine

    handlers = engine().trap_handlers
    if handlers is None:
        yield Finding("signal handlers", "ok", "wasmtime uses none on this system")
        return
    import faulthandler
    import signal

    replaced = [signal.Signals(number).name for number in handlers.replaced()]
    data: dict[str, object] = {"replaced": replaced, "faulthandler": faulthandler.is_enabled()}
    if replaced:
        yield Finding(
            "signal handlers",
            "note",
            f"{', '.join(replaced)} replaced after wasmtime put its own in; wasmhost puts them back before each cell",
            "call faulthandler.enable() and the like before the first sandbox starts",
            data,
        )
    else:
        before = "; faulthandler was enabled before, and both work" if faulthandler.is_enabled() else ""
        yield Finding("signal handlers", "ok", f"wasmtime's{before}", data=data)


_TESTS = {
    "python": ("sum(range(10))", "while True: pass"),
    "javascript": ("[...Array(10).keys()].reduce((a, b) => a + b)", "for (;;) {}"),
}


def _self_test(language: str) -> Iterator[Finding]:
    from .limits import Limits
    from .runtimes import JavaScriptRuntime, PythonRuntime

    title = f"self-test of {language}"
    sum_of_ten, endless = _TESTS[language]
    try:
        with (PythonRuntime if language == "python" else JavaScriptRuntime)() as session:
            first = session.run(sum_of_ten)
            stopped = session.run(endless, limits=Limits(script_ms=50))
            after = session.run(sum_of_ten)
    except WasmhostError as error:
        yield Finding(title, "wrong", str(error), "see the findings above")
        return
    wrong = []
    if not first.ok or first.value != 45:
        wrong.append(f"a sum is {first.value if first.ok else first.error!r}")
    if stopped.ok or stopped.stop is None or stopped.stop.limit != "script":
        wrong.append("an endless loop was not stopped by its time limit")
    if after.ok is not True or after.value != 45:
        wrong.append("the session does not go on after that")
    data: dict[str, object] = {"duration_ms": first.duration_ms, "fuel": first.fuel}
    if wrong:
        advice = "if the images are as they should be, this is a bug of wasmhost: report it with this output"
        yield Finding(title, "wrong", "; ".join(wrong), advice, data)
    else:
        layer = stopped.stop.layer if stopped.stop else ""
        yield Finding(title, "ok", f"computes, stops an endless loop ({layer}), goes on", data=data)


__all__ = ["Finding", "Status", "diagnose"]
