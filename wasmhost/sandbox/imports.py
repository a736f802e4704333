"""The host functions that a guest is given: eight, and nothing else (``guest-runtimes/abi/wasmhost_abi.h``).

Every pointer and length comes from hostile code and is checked against the memory's size at that moment. No
exception may leave a callback: ctypes would print and drop it, and the guest would go on. The reason is kept in
the instance and a trap is returned.
"""

from _struct import Struct
from _thread import get_ident
from ctypes import byref, c_uint64, c_void_p
from time import perf_counter_ns

from ._wasmtime import KIND_I32, KIND_I64, ByteVec, FuncCallback, Library, library

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .engine import Engine
    from .instance import Instance

MODULE = b"wasmhost"
# Largest piece that is copied to the host at once, whatever length a guest names.
PIECE = 1 << 16
_U32 = 0xFFFFFFFF
# Five i32 as wasmtime passes them: each in 16 bytes.
_FIVE_U32 = Struct("<I12xI12xI12xI12xI")

# The instance that runs on each thread. A host function is always called on the thread that called the export.
current: "dict[int, Instance]" = {}


class GuestFault(Exception):
    """A guest passed something out of bounds; ends the instance."""


def _write(instance: "Instance", args: "list[int]") -> None:
    stream, start, size = args[0] & _U32, args[2] & _U32, args[4] & _U32
    if not 1 <= stream <= 4:
        raise GuestFault(f"write to stream {stream}")
    instance.span(start, size)
    while size:
        piece = min(size, PIECE)
        instance.output.write(stream, instance.read(start, piece))
        start += piece
        size -= piece
        if size:
            instance.keep_time()


def _clock(instance: "Instance", args: "list[int]") -> int:
    return instance.source.clock(args[0] & _U32)


def _random(instance: "Instance", args: "list[int]") -> None:
    start, size = args[0] & _U32, args[2] & _U32
    instance.span(start, size)
    while size:
        piece = min(size, PIECE)
        instance.fill(start, instance.source.random(piece))
        start += piece
        size -= piece
        if size:
            instance.keep_time()


def _sleep(instance: "Instance", args: "list[int]") -> int:
    nanoseconds = args[0]
    if nanoseconds >= 1 << 63:
        nanoseconds = 0
    return instance.wait(nanoseconds)


def _exit(instance: "Instance", args: "list[int]") -> None:
    instance.exit_code = args[0] & _U32
    raise GuestFault("exit")


def _call(instance: "Instance", args: "list[int]") -> int:
    kind, start, size, reply, capacity = _FIVE_U32.unpack_from(args)  # type: ignore[arg-type]
    known = len(instance.view)
    if start + size > known or reply + capacity > known:
        instance.span(start, size)
        instance.span(reply, capacity)
    answer = instance.on_call(kind, start, size)
    if answer is None:
        return -1
    length = len(answer)
    if length <= capacity:
        instance.view[reply : reply + length] = answer
    else:
        instance.kept_reply = answer
    return length


def _take(instance: "Instance", args: "list[int]") -> None:
    start, size = args[0] & _U32, args[2] & _U32
    reply, instance.kept_reply = instance.kept_reply, b""
    if size != len(reply):
        raise GuestFault("take of another size than the reply has")
    instance.fill(start, reply)


def _tick(instance: "Instance", args: "list[int]") -> None:
    instance.take_stock()


_TABLE: "dict[bytes, tuple[Callable[[Instance, list[int]], int | None], tuple[int, ...], tuple[int, ...]]]" = {
    b"write": (_write, (KIND_I32,) * 3, ()),
    b"clock": (_clock, (KIND_I32,), (KIND_I64,)),
    b"random": (_random, (KIND_I32,) * 2, ()),
    b"sleep": (_sleep, (KIND_I64,), (KIND_I32,)),
    b"exit": (_exit, (KIND_I32,), ()),
    b"call": (_call, (KIND_I32,) * 5, (KIND_I32,)),
    b"take": (_take, (KIND_I32,) * 2, ()),
    b"tick": (_tick, (), ()),
}


def _callback(
    function: "Callable[[Instance, list[int]], int | None]", parameters: int, lib: Library
) -> "Callable[[int, int, int, int], int]":
    words = c_uint64 * (2 * parameters)

    def call(_env: int, _caller: int, args: int, _count: int) -> int:
        instance = None
        try:
            instance = current[get_ident()]
            values = words.from_address(args)
            result = function(instance, values)  # type: ignore[arg-type]
            if result is not None:
                values[0] = result
            # A guest that does little but call the host uses little fuel.
            if perf_counter_ns() >= instance.look_ns:
                instance.keep_time()
            return 0
        except BaseException as error:
            if instance is not None:
                # Its frames hold the instance, which would then wait for the collector with all that it holds.
                instance.fault = error.with_traceback(None) if isinstance(error, GuestFault) else error
            trap: int = lib.wasmtime_trap_new(b"host function", 13)
            return trap

    return FuncCallback(call)


_callbacks: "dict[bytes, Callable[[int, int, int, int], int]]" = {}


def _function_type(lib: Library, parameters: tuple[int, ...], results: tuple[int, ...]) -> int:
    vecs = []
    for kinds in (parameters, results):
        types = (c_void_p * max(1, len(kinds)))(*(lib.wasm_valtype_new(kind) for kind in kinds))
        vec = ByteVec()
        lib.wasm_valtype_vec_new(byref(vec), len(kinds), types)
        vecs.append(vec)
    made: int = lib.wasm_functype_new(byref(vecs[0]), byref(vecs[1]))
    return made


def linker(engine: "Engine") -> int:
    """A linker that defines the imports and nothing more; the caller deletes it. The callbacks live as long as the
    process."""
    lib = library()
    made: int = lib.wasmtime_linker_new(engine.ptr)
    for name, (function, parameters, results) in _TABLE.items():
        callback = _callbacks.get(name)
        if callback is None:
            callback = _callbacks[name] = _callback(function, len(parameters), lib)
        kind = _function_type(lib, parameters, results)
        error = lib.wasmtime_linker_define_func_unchecked(
            made, MODULE, len(MODULE), name, len(name), kind, callback, None, None
        )
        lib.wasm_functype_delete(kind)
        engine.check(error, f"cannot define {name.decode()}")
    return made
