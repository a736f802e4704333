"""Images: a pre-initialised guest as a wasm file, and the machine code that wasmtime made of it.

The folder ``wasmhost/images`` holds ``<name>.wasm``, ``<name>.info`` and, once built, ``<name>.<key>.cwasm``. A
compiled image is machine code that runs with the rights of this process, so it is loaded only from where nobody
else can have put it (security rule 9); otherwise the wasm is compiled again. ``python -m wasmhost.sandbox.image``
compiles all images ahead of use.
"""

import os
import sys
from _thread import allocate_lock
from ctypes import POINTER, byref, c_void_p, cast, string_at
from time import monotonic

from ..errors import EngineError, ImageError
from . import imports
from ._wasmtime import KIND_I32, ByteVec
from .engine import CONFIGURATION, Engine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .instance import Instance

ABI_VERSION = 4
PAGE = 65536
HASH_SUFFIX = ".sha256"

# What an image must export, with the number of its i32 parameters and results; None: not a function.
_EXPORTS: dict[str, tuple[int, int] | None] = {
    "memory": None,
    "__stack_pointer": None,
    "meter": None,
    "wh_alloc": (1, 1),
    "wh_free": (1, 0),
    "wh_start": (2, 1),
    "wh_resume": (2, 1),
}


def images_folder() -> str:
    return os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "images")


class Image:
    """A guest ready to be instantiated in one engine. Made by :func:`image`; lives as long as the process."""

    __slots__ = (
        "_pristine",
        "engine",
        "in_buf",
        "in_cap",
        "memory_bytes",
        "name",
        "out_buf",
        "out_cap",
        "out_len",
        "pokes",
        "pre",
        "sha256",
        "stack_pointer",
    )

    def __init__(self, engine: Engine, name: str, info: dict[str, list[str]], compiled: bytes | str) -> None:
        self.engine: Engine = engine
        self.name: str = name
        self._pristine: Instance | None = None
        try:
            number = {key: int(words[0], 0) for key, words in info.items() if key not in ("sha256", "poke")}
            if number["abi"] != ABI_VERSION:
                raise ImageError(
                    f"image {name!r} speaks ABI {number['abi']}, this wasmhost {ABI_VERSION}: build it again "
                    "(./build.sh)"
                )
            self.sha256: str = info["sha256"][0]
            self.memory_bytes: int = number["memory_pages"] * PAGE
            self.stack_pointer: int = number["stack_pointer"]
            self.in_buf: int = number["in_buf"]
            self.in_cap: int = number["in_cap"]
            self.out_buf: tuple[int, int] = (number["out_buf0"], number["out_buf1"])
            self.out_len: tuple[int, int] = (number["out_len0"], number["out_len1"])
            self.out_cap: int = number["out_cap"]
            words = info.get("poke", [])
            self.pokes: tuple[tuple[int, int, int], ...] = tuple(
                (int(words[i], 0), int(words[i + 1], 0), int(words[i + 2], 0)) for i in range(0, len(words), 3)
            )
        except (KeyError, ValueError, IndexError) as error:
            raise ImageError(f"{name}.info is damaged ({error}): build the image again (./build.sh)") from None
        self._check_addresses()
        module = engine.load(compiled)
        try:
            self._check_exports(module)
            self.pre: int = self._link(module)
        finally:
            engine.lib.wasmtime_module_delete(module)

    def pristine(self) -> tuple[int, int]:
        """Address and size of a memory of this image that nothing has written to, for comparing; made at first use."""
        if self._pristine is None:
            from .instance import Instance
            from .system import SystemSource

            self._pristine = Instance(self, SystemSource(), self.memory_bytes)
        return self._pristine.span(0, 0), self.memory_bytes

    def _check_addresses(self) -> None:
        spans = [(self.in_buf, self.in_cap)]
        spans += [(address, self.out_cap) for address in self.out_buf] + [(address, 4) for address in self.out_len]
        spans += [(address, 4) for _, address, _ in self.pokes]
        if any(not 0 < start <= start + size <= self.memory_bytes for start, size in spans):
            raise ImageError(f"{self.name}.info names addresses outside the image: build it again (./build.sh)")

    def _check_exports(self, module: int) -> None:
        # Exports are called without type checks, where a wrong type corrupts memory. (Imports are checked by the
        # linker.)
        lib = self.engine.lib
        vec = ByteVec()
        lib.wasmtime_module_exports(module, byref(vec))
        try:
            found = {}
            for item in cast(vec.data, POINTER(c_void_p))[: vec.size] if vec.size else []:
                name = cast(lib.wasm_exporttype_name(item), POINTER(ByteVec))[0]
                function = lib.wasm_externtype_as_functype(lib.wasm_exporttype_type(item))
                found[string_at(name.data, name.size).decode()] = self._signature(function) if function else None
        finally:
            lib.wasm_exporttype_vec_delete(byref(vec))
        if found != _EXPORTS:
            different = sorted(
                key for key in found.keys() | _EXPORTS.keys() if found.get(key, "") != _EXPORTS.get(key, "")
            )
            raise ImageError(
                f"image {self.name!r} has other exports than the ABI asks for ({', '.join(different)}): "
                "build it again (./build.sh)"
            )

    def _signature(self, function: int) -> tuple[int, int] | None:
        lib = self.engine.lib
        counts = []
        for types in (lib.wasm_functype_params(function), lib.wasm_functype_results(function)):
            vec = cast(types, POINTER(ByteVec))[0]
            kinds = (
                [lib.wasm_valtype_kind(t) for t in cast(vec.data, POINTER(c_void_p))[: vec.size]] if vec.size else []
            )
            if any(kind != KIND_I32 for kind in kinds):
                return None
            counts.append(len(kinds))
        return counts[0], counts[1]

    def _link(self, module: int) -> int:
        lib = self.engine.lib
        linker = imports.linker(self.engine)
        try:
            pre = c_void_p()
            self.engine.check(
                lib.wasmtime_linker_instantiate_pre(linker, module, byref(pre)), f"image {self.name!r} does not fit"
            )
        finally:
            lib.wasmtime_linker_delete(linker)
        value = pre.value
        assert value is not None
        return value


def read_info(path: str) -> dict[str, list[str]]:
    """The ``.info`` file of an image: lines ``key value ...``; the values of a repeated key follow one another."""
    info: dict[str, list[str]] = {}
    # What is no text is found as a value that is none.
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            words = line.split()
            if words:
                info.setdefault(words[0], []).extend(words[1:])
    return info


def cache_folder() -> str | None:
    """Where compiled images of this user go, made if need be with mode 0700. None where there is no safe place:
    then nothing is kept."""
    base = os.environ.get("WASMHOST_CACHE") or os.environ.get("XDG_CACHE_HOME")
    if not base:
        home = os.path.expanduser("~")
        if home == "~":
            return None
        base = os.path.join(home, ".cache")
    folder = os.path.join(base, "wasmhost", "compiled")
    try:
        os.makedirs(os.path.dirname(folder), mode=0o700, exist_ok=True)
        if not os.path.isdir(folder):
            os.mkdir(folder, 0o700)
    except OSError:
        return None
    return folder if _is_private(folder) else None


def _is_private(folder: str) -> bool:
    """Owned by the effective user, mode 0700, and no parent in which somebody else could exchange it."""
    if not hasattr(os, "geteuid"):
        return True
    try:
        status = os.lstat(folder)
        if status.st_uid != os.geteuid() or status.st_mode & 0o170077 != 0o040000:
            return False
        parent = os.path.realpath(folder)
        while parent != os.path.dirname(parent):
            parent = os.path.dirname(parent)
            status = os.stat(parent)
            writable_by_others = status.st_mode & 0o022 and not status.st_mode & 0o1000
            if status.st_uid not in (0, os.geteuid()) or writable_by_others:
                return False
    except OSError:
        return False
    return True


class Place:
    """Where a compiled image may lie, and who may have written it: files of ``owner``, writable for nobody else but
    those of the mode bits in ``writers``."""

    __slots__ = ("owner", "path", "writers")

    def __init__(self, path: str, owner: int, writers: int) -> None:
        self.path: str = path
        self.owner: int = owner
        self.writers: int = writers

    def open_trusted(self) -> int | None:
        """A descriptor of the file. None if there is none, or none to be trusted."""
        try:
            descriptor = os.open(
                self.path,
                os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0),
            )
        except OSError:
            return None
        status = os.fstat(descriptor)
        plain = status.st_mode & 0o170000 == 0o100000
        foreign = status.st_uid != self.owner or status.st_mode & 0o022 & ~self.writers
        if not plain or (hasattr(os, "geteuid") and foreign):
            os.close(descriptor)
            return None
        return descriptor


def places(engine: Engine, name: str, sha256: str) -> "Iterator[Place]":
    """Where the compiled image of that image is looked for, in this order: the package, the user's cache."""
    folder, file_name = images_folder(), compiled_name(engine, name, sha256)
    # Installed where the umask lets a group write (pip keeps to it), that group can write this file as well: the image
    # needs no stricter mode than the code that loads it.
    writers = os.stat(__file__).st_mode & 0o022
    yield Place(os.path.join(folder, file_name), os.stat(folder).st_uid, writers)
    cache = cache_folder()
    if cache is not None:
        yield Place(os.path.join(cache, file_name), os.geteuid() if hasattr(os, "geteuid") else 0, 0)


def _load_compiled(engine: Engine, name: str, info: dict[str, list[str]], place: Place) -> Image | None:
    descriptor = place.open_trusted()
    if descriptor is None:
        return None
    try:
        # Through the descriptor, so that what was checked is what is loaded.
        through = f"/proc/self/fd/{descriptor}"
        if os.path.exists(through):
            return Image(engine, name, info, through)
        with open(descriptor, "rb", closefd=False) as file:
            return Image(engine, name, info, file.read())
    except EngineError:
        return None  # another CPU, or a file cut short: compiled again
    finally:
        os.close(descriptor)


def compiled_name(engine: Engine, name: str, sha256: str) -> str:
    return f"{name}.{sha256[:16]}.wasmtime{engine.lib.version}.c{CONFIGURATION}.{sys.platform}-{engine.cpu_level}.cwasm"


def _compile(engine: Engine, name: str, sha256: str, folder: str) -> bytes:
    try:
        with open(os.path.join(folder, f"{name}.wasm"), "rb") as file:
            wasm = file.read()
    except OSError as error:
        raise ImageError(f"{name}.wasm cannot be read ({error.strerror}): build the image again (./build.sh)") from None
    from hashlib import sha256 as hash_of

    if hash_of(wasm).hexdigest() != sha256:
        raise ImageError(f"{name}.wasm and {name}.info do not belong together: build the image again (./build.sh)")
    started = monotonic()
    terminal = sys.stderr is not None and sys.stderr.isatty()
    if terminal:
        sys.stderr.write(f"wasmhost: compiling the {name} image, once for this machine ...")
        sys.stderr.flush()
    compiled = engine.compile(wasm)
    if terminal:
        sys.stderr.write(f" {monotonic() - started:.1f} s\n")
    return compiled


def _store(compiled: bytes, folder: str, file_name: str) -> None:
    """Keeps a compiled image, and its hash beside it for ``wasmhost doctor``. Failing to is no error."""
    from hashlib import sha256

    _write(f"{sha256(compiled).hexdigest()}\n".encode(), folder, file_name + HASH_SUFFIX)
    _write(compiled, folder, file_name)


def _write(data: bytes, folder: str, file_name: str) -> None:
    # Beside its place with mode 0400 and renamed, so that a reader never sees half of it.
    temporary = os.path.join(folder, f".{file_name}.{os.getpid()}")
    try:
        descriptor = os.open(
            temporary,
            os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0),
            0o400,
        )
        try:
            with open(descriptor, "wb") as file:
                file.write(data)
            os.replace(temporary, os.path.join(folder, file_name))
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError:
        pass


_images: dict[tuple[str, int], Image] = {}
_lock = allocate_lock()


def image(engine: Engine, name: str) -> Image:
    """The image of that name in that engine, loaded (or, without a usable compiled image, compiled: seconds) at first
    use. Thread-safe.

    Raises:
        ImageError: not built, or damaged.
    """
    found = _images.get((name, engine.ptr))
    if found is None:
        with _lock:
            found = _images.get((name, engine.ptr))
            if found is None:
                found = _images[name, engine.ptr] = _find(engine, name)
    return found


def _find(engine: Engine, name: str) -> Image:
    folder = images_folder()
    try:
        info = read_info(os.path.join(folder, f"{name}.info"))
        sha256 = info["sha256"][0]
    except (OSError, KeyError, IndexError):
        raise ImageError(
            f"the {name} image is not built: run ./build.sh in the checkout, or install the wheel"
        ) from None
    for place in places(engine, name, sha256):
        found = _load_compiled(engine, name, info, place)
        if found is not None:
            return found
    compiled = _compile(engine, name, sha256, folder)
    cache = cache_folder()
    if cache is not None:
        _store(compiled, cache, compiled_name(engine, name, sha256))
    elif sys.stderr is not None:
        sys.stderr.write(
            "wasmhost: no private cache folder to keep the compiled image in; it is compiled at each start "
            "(set WASMHOST_CACHE)\n"
        )
    return Image(engine, name, info, compiled)


def compile_all() -> None:
    """Compiles every image of the package into its folder, unless that was done: what ``./build.sh`` does last."""
    from .engine import engine as get_engine

    engine = get_engine()
    folder = images_folder()
    for entry in sorted(os.listdir(folder)):
        name, extension = os.path.splitext(entry)
        if extension != ".info":
            continue
        sha256 = read_info(os.path.join(folder, entry))["sha256"][0]
        file_name = compiled_name(engine, name, sha256)
        for old in os.listdir(folder):
            if old.startswith(f"{name}.") and ".cwasm" in old and not old.startswith(file_name):
                os.unlink(os.path.join(folder, old))
        if not all(os.path.exists(os.path.join(folder, file_name + suffix)) for suffix in ("", HASH_SUFFIX)):
            _store(_compile(engine, name, sha256, folder), folder, file_name)


if __name__ == "__main__":
    compile_all()

__all__ = [
    "ABI_VERSION",
    "Image",
    "cache_folder",
    "compile_all",
    "compiled_name",
    "image",
    "images_folder",
    "read_info",
]
