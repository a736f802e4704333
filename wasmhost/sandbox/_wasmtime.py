"""The few raw calls of the wasmtime C API that wasmhost uses, loaded from the installed ``wasmtime`` wheel.

Importing the ``wasmtime`` package costs several times what a whole sandbox costs, so its shared library is loaded
directly. Nobody but this folder touches ctypes. Each signature and structure below is held against the wheel's own
generated bindings by ``tests/sandbox/test_facade.py``, so that a new wasmtime that changes one is noticed.

All pointers are plain integers (``c_void_p``). No function here checks anything: a wrong argument corrupts the process.
"""

import os
import sys
from ctypes import (
    CDLL,
    CFUNCTYPE,
    POINTER,
    PyDLL,
    Structure,
    Union,
    c_bool,
    c_char_p,
    c_int32,
    c_int64,
    c_size_t,
    c_ssize_t,
    c_uint8,
    c_uint32,
    c_uint64,
    c_void_p,
    py_object,
    pythonapi,
)

from ..errors import EngineError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SUPPORTED_MAJORS = (49, 50)

FuncCallback = CFUNCTYPE(c_size_t, c_void_p, c_void_p, c_void_p, c_size_t)

EXTERN_FUNC, EXTERN_GLOBAL, EXTERN_TABLE, EXTERN_MEMORY = 0, 1, 2, 3
KIND_I32, KIND_I64 = 0, 1
TRAP_STACK_OVERFLOW, TRAP_UNREACHABLE = 0, 9


class ByteVec(Structure):
    _fields_ = [("size", c_size_t), ("data", c_void_p)]


class Func(Structure):
    _fields_ = [("store_id", c_uint64), ("private", c_void_p)]


class _Item(Structure):
    _fields_ = [("store_id", c_uint64), ("private1", c_uint32)]


class Memory(Structure):
    _fields_ = [("item", _Item), ("private2", c_uint32)]


class Global(Structure):
    _fields_ = [("store_id", c_uint64), ("private1", c_uint32), ("private2", c_uint32), ("private3", c_uint32)]


class _ExternUnion(Union):
    _fields_ = [("func", Func), ("global_", Global), ("memory", Memory)]


class Extern(Structure):
    _fields_ = [("kind", c_uint8), ("of", _ExternUnion)]


class Instance(Structure):
    _fields_ = [("store_id", c_uint64), ("private", c_size_t)]


class ValRaw(Union):
    _fields_ = [("i32", c_int32), ("i64", c_int64), ("v128", c_uint8 * 16)]


class Val(Structure):
    class _Of(Union):
        _fields_ = [("i32", c_int32), ("i64", c_int64), ("raw", c_uint64 * 3)]

    _fields_ = [("kind", c_uint8), ("of", _Of)]


P = c_void_p
PP = POINTER(c_void_p)

# name: (result, arguments)
SIGNATURES: dict[str, tuple[object, tuple[object, ...]]] = {
    "wasm_config_new": (P, ()),
    "wasm_engine_new_with_config": (P, (P,)),
    "wasmtime_config_max_wasm_stack_set": (None, (P, c_size_t)),
    "wasmtime_config_async_stack_size_set": (None, (P, c_size_t)),
    "wasmtime_config_memory_reservation_set": (None, (P, c_uint64)),
    "wasmtime_config_memory_may_move_set": (None, (P, c_bool)),
    "wasmtime_config_cranelift_nan_canonicalization_set": (None, (P, c_bool)),
    "wasmtime_config_cranelift_flag_set": (None, (P, c_char_p, c_char_p)),
    "wasmtime_module_new": (P, (P, c_char_p, c_size_t, PP)),
    "wasmtime_module_serialize": (P, (P, POINTER(ByteVec))),
    "wasmtime_module_deserialize": (P, (P, c_char_p, c_size_t, PP)),
    "wasmtime_module_deserialize_file": (P, (P, c_char_p, PP)),
    "wasmtime_module_exports": (None, (P, POINTER(ByteVec))),
    "wasmtime_module_delete": (None, (P,)),
    "wasm_exporttype_vec_delete": (None, (POINTER(ByteVec),)),
    "wasm_exporttype_name": (P, (P,)),
    "wasm_exporttype_type": (P, (P,)),
    "wasm_externtype_as_functype": (P, (P,)),
    "wasm_functype_params": (P, (P,)),
    "wasm_functype_results": (P, (P,)),
    "wasm_valtype_kind": (c_uint8, (P,)),
    "wasm_valtype_new": (P, (c_uint8,)),
    "wasm_valtype_vec_new": (None, (POINTER(ByteVec), c_size_t, PP)),
    "wasm_functype_new": (P, (POINTER(ByteVec), POINTER(ByteVec))),
    "wasm_functype_delete": (None, (P,)),
    "wasm_byte_vec_delete": (None, (POINTER(ByteVec),)),
    "wasmtime_linker_new": (P, (P,)),
    "wasmtime_linker_delete": (None, (P,)),
    "wasmtime_linker_define_func_unchecked": (P, (P, c_char_p, c_size_t, c_char_p, c_size_t, P, FuncCallback, P, P)),
    "wasmtime_linker_instantiate_pre": (P, (P, P, PP)),
    "wasmtime_instance_pre_instantiate": (P, (P, P, POINTER(Instance), PP)),
    "wasmtime_instance_pre_delete": (None, (P,)),
    "wasmtime_instance_export_get": (c_bool, (P, POINTER(Instance), c_char_p, c_size_t, POINTER(Extern))),
    "wasmtime_store_new": (P, (P, P, P)),
    "wasmtime_store_context": (P, (P,)),
    "wasmtime_store_limiter": (None, (P, c_int64, c_int64, c_int64, c_int64, c_int64)),
    "wasmtime_store_delete": (None, (P,)),
    "wasmtime_memory_data": (P, (P, POINTER(Memory))),
    "wasmtime_memory_data_size": (c_size_t, (P, POINTER(Memory))),
    "wasmtime_memory_grow": (P, (P, POINTER(Memory), c_uint64, POINTER(c_uint64))),
    "wasmtime_global_get": (None, (P, POINTER(Global), POINTER(Val))),
    "wasmtime_global_set": (P, (P, POINTER(Global), POINTER(Val))),
    "wasmtime_func_call_unchecked": (P, (P, POINTER(Func), P, c_size_t, PP)),
    "wasmtime_trap_new": (P, (c_char_p, c_size_t)),
    "wasmtime_trap_code": (c_bool, (P, POINTER(c_uint8))),
    "wasm_trap_message": (None, (P, POINTER(ByteVec))),
    "wasm_trap_delete": (None, (P,)),
    "wasmtime_error_new": (P, (c_char_p,)),
    "wasmtime_error_message": (None, (P, POINTER(ByteVec))),
    "wasmtime_error_delete": (None, (P,)),
}

# What returns at once and calls nothing back is called with the GIL held: giving it up costs as much as the call, and
# more where another thread takes it.
_AT_ONCE = frozenset(
    (
        "wasmtime_global_get",
        "wasmtime_global_set",
        "wasmtime_instance_export_get",
        "wasmtime_memory_data",
        "wasmtime_memory_data_size",
        "wasmtime_store_context",
        "wasmtime_store_limiter",
    )
)

_memory_view = pythonapi.PyMemoryView_FromMemory
_memory_view.argtypes = [c_void_p, c_ssize_t, c_int32]
_memory_view.restype = py_object
_WRITABLE = 0x200  # PyBUF_WRITE


def memory_view(address: int, size: int) -> memoryview:
    """Bytes of this process. Reading and writing by it costs a quarter or less of what ``string_at`` and ``memmove``
    do. Whoever has it does not use it when the memory is gone."""
    made: memoryview = _memory_view(address, size, _WRITABLE)
    return made


def machine_name() -> str:
    """``x86_64``, ``aarch64``, or what the system says."""
    machine = (
        os.uname().machine.lower() if hasattr(os, "uname") else os.environ.get("PROCESSOR_ARCHITECTURE", "").lower()
    )
    return {"amd64": "x86_64", "arm64": "aarch64", "arm64-v8a": "aarch64"}.get(machine, machine)


def _library_name() -> tuple[str, str]:
    """Folder and file of the shared library inside the wheel, as the wheel's own loader chooses them."""
    machine = machine_name()
    if sys.platform.startswith("linux"):
        return f"linux-{machine}", "_libwasmtime.so"
    if sys.platform == "darwin":
        return f"darwin-{machine}", "_libwasmtime.dylib"
    if sys.platform in ("win32", "cygwin"):
        return f"win32-{machine}", "_wasmtime.dll"
    return f"{sys.platform}-{machine}", "_libwasmtime.so"


def find_library() -> tuple[str, str]:
    """Path of the library and version of the wheel that it came in.

    Raises:
        EngineError: wasmtime is not installed, has no library for this machine, or is of a major version that is not
            supported.
    """
    folder, name = _library_name()
    for entry in sys.path:
        path = os.path.join(entry or ".", "wasmtime", folder, name)
        if not os.path.exists(path):
            continue
        for other in os.listdir(entry or "."):
            if other.startswith("wasmtime-") and other.endswith(".dist-info"):
                version = other[len("wasmtime-") : -len(".dist-info")]
                if version.partition(".")[0].isdigit() and int(version.partition(".")[0]) in SUPPORTED_MAJORS:
                    return path, version
                raise EngineError(
                    f"wasmtime {version} is installed; this wasmhost works with major versions "
                    f"{', '.join(map(str, SUPPORTED_MAJORS))}: pip install 'wasmtime=={SUPPORTED_MAJORS[-1]}.*'"
                )
    raise EngineError(
        f"no wasmtime library for {folder} on sys.path: pip install 'wasmtime=={SUPPORTED_MAJORS[-1]}.*' "
        "(on a platform that it has a wheel for)"
    )


class Library:
    """The loaded library: each name of SIGNATURES without its ``wasmtime_`` or ``wasm_`` prefix kept whole, as a
    callable attribute."""

    def __init__(self) -> None:
        self.path: str
        self.version: str
        self.path, self.version = find_library()
        self._dll = CDLL(self.path)
        self._at_once = PyDLL(self.path)

    def __getattr__(self, name: str) -> "Any":
        # Once for each name: a cold start calls a part of them.
        signature = SIGNATURES.get(name)
        if signature is None:
            raise AttributeError(name)
        function = getattr(self._at_once if name in _AT_ONCE else self._dll, name)
        function.restype, function.argtypes = signature
        self.__dict__[name] = function
        return function


_library: Library | None = None


def library() -> Library:
    """The one library of this process, loaded at first use. Loading twice from two threads is harmless: dlopen
    counts."""
    global _library
    if _library is None:
        _library = Library()
    return _library
