"""The wasmtime engine of a process."""

import os
from _thread import allocate_lock, start_new_thread
from ctypes import byref, c_void_p, string_at

from ..errors import EngineError
from ._wasmtime import ByteVec, Library, library, machine_name
from .signals import TrapHandlers, trap_handlers

DEFAULT_STACK_BYTES = 4 << 20
MIN_STACK_BYTES = 256 << 10
MAX_STACK_BYTES = 64 << 20

# Part of the key of a compiled image: raise it with any change of the configuration below that changes the compiled
# code.
CONFIGURATION = 3

# What wasmtime would use of an x86-64 CPU beyond the level x86-64-v2: by the major version that knows the name, since
# a name that it does not know ends the process (docs/decisions/0009-cpu-level.md).
_ABOVE_V2 = (
    b"has_avx has_avx2 has_fma has_bmi1 has_bmi2 has_lzcnt has_avx512bitalg has_avx512dq has_avx512f has_avx512vbmi "
    b"has_avx512vl has_avx512vnni has_avx_vnni"
)
_ABOVE_V2_BY_MAJOR = {49: _ABOVE_V2, 50: _ABOVE_V2 + b" has_apx"}

# Counts the forks above this process: what was made under another number belongs to an ancestor (security rule 4).
generation: int = 0


class Engine:
    """One configuration of wasmtime. Engines live as long as the process; get one by :func:`engine`.

    Thread-safe. After ``os.fork()`` compiled images are shared with the child.
    """

    def __init__(self, stack_bytes: int = DEFAULT_STACK_BYTES, native: bool = False) -> None:
        # native: code for every feature of this CPU, which no other may have; to measure what that would bring.
        # wasmtime panics, and so aborts the process, on some values: nothing unchecked goes in.
        if not MIN_STACK_BYTES <= stack_bytes <= MAX_STACK_BYTES:
            raise EngineError(
                f"the wasm stack must have {MIN_STACK_BYTES} to {MAX_STACK_BYTES} bytes, not {stack_bytes}"
            )
        self.lib: Library = library()
        self.stack_bytes = stack_bytes
        machine = machine_name()
        # Part of the key of a compiled image.
        self.cpu_level: str = "x86-64-v2" if machine == "x86_64" and not native else f"{machine}-native"
        self.ptr: int = self.lib.wasm_engine_new_with_config(self._configuration())
        if not self.ptr:
            raise EngineError("wasmtime refused its configuration")
        self.trap_handlers: TrapHandlers | None = _trap_handlers_once()

    def _configuration(self) -> int:
        lib = self.lib
        config: int = lib.wasm_config_new()
        # Neither fuel nor epochs: the images have a meter of their own (docs/decisions/0050-meter.md).
        # The bits of a NaN would tell the maker of the CPU (docs/decisions/0020-deterministic-mode.md).
        lib.wasmtime_config_cranelift_nan_canonicalization_set(config, True)
        # max_wasm_stack above async_stack_size aborts the process, also where nothing is async.
        lib.wasmtime_config_async_stack_size_set(config, self.stack_bytes + (2 << 20))
        lib.wasmtime_config_max_wasm_stack_set(config, self.stack_bytes)
        # The address of a memory is read once for each instance, so it must never move.
        lib.wasmtime_config_memory_reservation_set(config, 1 << 32)
        lib.wasmtime_config_memory_may_move_set(config, False)
        if self.cpu_level == "x86-64-v2":
            # wasmtime starts from the features that the CPU has, so an older one keeps what it has.
            for flag in _ABOVE_V2_BY_MAJOR[int(lib.version.partition(".")[0])].split():
                lib.wasmtime_config_cranelift_flag_set(config, flag, b"false")
        return config

    def error_text(self, error: int) -> str:
        """Message of a wasmtime error, which is deleted."""
        vec = ByteVec()
        self.lib.wasmtime_error_message(error, byref(vec))
        text = string_at(vec.data, vec.size).decode("utf-8", "replace")
        self.lib.wasm_byte_vec_delete(byref(vec))
        self.lib.wasmtime_error_delete(error)
        return text

    def check(self, error: int | None, what: str) -> None:
        if error:
            raise EngineError(f"{what}: {self.error_text(error)}")

    def compile(self, wasm: bytes) -> bytes:
        """Machine code for this machine, as the bytes of a compiled image. Takes seconds for a large module.

        Raises:
            EngineError: not a valid module, or no threads to compile it with.
        """
        _check_threads(os.cpu_count() or 1)
        module = c_void_p()
        self.check(self.lib.wasmtime_module_new(self.ptr, wasm, len(wasm), byref(module)), "cannot compile")
        vec = ByteVec()
        try:
            self.check(self.lib.wasmtime_module_serialize(module, byref(vec)), "cannot serialize")
            return string_at(vec.data, vec.size)
        finally:
            self.lib.wasm_byte_vec_delete(byref(vec))
            self.lib.wasmtime_module_delete(module)

    def load(self, source: bytes | str) -> int:
        """A module from the bytes or the path of a compiled image, which is machine code: see
        :mod:`wasmhost.sandbox.image` for trust.

        Raises:
            EngineError: made by another version or configuration, for another CPU, or damaged.
        """
        module = c_void_p()
        if isinstance(source, str):
            error = self.lib.wasmtime_module_deserialize_file(self.ptr, os.fsencode(source), byref(module))
        else:
            error = self.lib.wasmtime_module_deserialize(self.ptr, source, len(source), byref(module))
        self.check(error, "compiled image refused")
        value = module.value
        assert value is not None
        return value


def _check_threads(count: int) -> None:
    """wasmtime compiles in as many threads as there are CPUs, and ends the process where it cannot have them."""
    gate = allocate_lock()
    gate.acquire()

    def wait() -> None:
        with gate:
            pass

    try:
        for _ in range(count):
            start_new_thread(wait, ())
    except RuntimeError as error:
        raise EngineError(f"no threads to compile an image with: {error}") from None
    finally:
        gate.release()


_trap_handlers: "list[TrapHandlers | None]" = []


def _trap_handlers_once() -> "TrapHandlers | None":
    # Once: later engines find wasmtime's handlers installed, or somebody else's over them.
    if not _trap_handlers:
        _trap_handlers.append(trap_handlers())
    return _trap_handlers[0]


_by_stack: dict[int, Engine] = {}
_lock = allocate_lock()


def engine(stack_bytes: int = DEFAULT_STACK_BYTES) -> Engine:
    """The engine of this process with that size of wasm stack, made at first use."""
    found = _by_stack.get(stack_bytes)
    if found is None:
        with _lock:
            found = _by_stack.get(stack_bytes)
            if found is None:
                found = _by_stack[stack_bytes] = Engine(stack_bytes)
    return found


def _after_fork_in_child() -> None:
    global generation, _lock
    generation += 1
    _lock = allocate_lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)

__all__ = ["DEFAULT_STACK_BYTES", "MAX_STACK_BYTES", "MIN_STACK_BYTES", "Engine", "engine"]
