"""A running guest: its memory, its meters, and the ways to stop it."""

from _struct import Struct
from _thread import LockType, allocate_lock, get_ident
from ctypes import byref, c_uint8, c_uint32, c_uint64, c_void_p, string_at
from time import perf_counter_ns, thread_time_ns

from ..errors import EngineError, ProtocolError, SessionLost
from . import engine as _engine
from ._wasmtime import (
    EXTERN_FUNC,
    EXTERN_GLOBAL,
    EXTERN_MEMORY,
    KIND_I64,
    TRAP_STACK_OVERFLOW,
    ByteVec,
    Extern,
    Func,
    Global,
    Memory,
    Val,
    memory_view,
)
from ._wasmtime import Instance as RawInstance
from .imports import GuestFault, current
from .meter import FUEL, GRACE_NS, STACK, TICK_NS, Meter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from .engine import Engine
    from .image import Image
    from .pages import Checkpoint
    from .system import Source

    class Output(Protocol):
        def write(self, stream: int, data: bytes) -> None: ...  # 1 to 4: as the guest names it

    class Calls(Protocol):
        """The host's side of the calls of one cell."""

        max_request: int

        def on_call(self, kind: int, data: bytes) -> bytes: ...

        def too_large(self, kind: int, size: int) -> bytes | None: ...

        @property
        def in_flight(self) -> int: ...

        def has_news(self) -> bool: ...

        def next_deadline(self) -> int | None: ...

        def expire(self, now: int) -> None: ...


_U32 = 0xFFFFFFFF
# In the count of what a guest has printed: it is output of what an earlier cell has left.
_BACKGROUND = 1 << 31
_Raw = c_uint64 * 4
PAGE = 65536
_NOTHING = memoryview(b"")
_FRAME = Struct("<6I")
_SPAN = Struct("<2I")
# Larger than any table of ours, small enough that a guest cannot fill the host with one.
_TABLE_ELEMENTS = 1 << 16
_MAX_ATTACHMENTS = 1 << 16

SOFT, HARD = "soft", "hard"


class Frame:
    """What an export gave back, copied out of the guest: ``status``, ``flags``, the JSON ``head`` and the
    ``attachments``."""

    __slots__ = ("attachments", "flags", "head", "status")

    def __init__(self, status: int, flags: int, head: bytes, attachments: list[bytes]) -> None:
        self.status: int = status
        self.flags: int = flags
        self.head: bytes = head
        self.attachments: list[bytes] = attachments


class Broken(Exception):
    """The instance cannot be used any more. ``limit`` names the limit that ended it, or is None: then ``text``
    says what happened."""

    def __init__(self, text: str, limit: str | None = None) -> None:
        super().__init__(text)
        self.text = text
        self.limit = limit


class Instance:
    """One guest in one store.

    Not thread-safe, except :meth:`interrupt`: one call of an export at a time, by whoever owns the instance, on a
    thread whose stack has room for it (see :mod:`wasmhost.sandbox.stack`). After :class:`Broken` only
    :meth:`close` may be called.
    """

    __slots__ = (
        "__weakref__",
        "_asked_ns",
        "_base",
        "_context",
        "_count",
        "_count_ref",
        "_counter",
        "_counter_ref",
        "_functions",
        "_granted",
        "_instance",
        "_lib",
        "_memory",
        "_memory_limit",
        "_memory_ref",
        "_out_counts",
        "_raw",
        "_raw_address",
        "_store",
        "_trap",
        "_trap_ref",
        "_wake",
        "calls",
        "engine",
        "exit_code",
        "fault",
        "frame_bytes",
        "generation",
        "image",
        "kept_reply",
        "layer",
        "look_ns",
        "meter",
        "on_interrupt",
        "output",
        "requested",
        "source",
        "stop_limit",
        "view",
    )

    meter: Meter
    output: "Output"

    def __init__(
        self, image: "Image", source: "Source", memory_bytes: int, checkpoint: "Checkpoint | None" = None
    ) -> None:
        """Instantiates the image: copy-on-write, so nothing of it is copied; then puts back the pages of a checkpoint.

        Raises:
            EngineError: no address space or memory for it.
        """
        self.engine: Engine = image.engine
        engine = self.engine
        lib = self._lib = engine.lib
        self.image: Image = image
        self.source: Source = source
        self.generation: int = _engine.generation
        self.requested: str | None = None
        self.stop_limit: str | None = None
        self.layer: str | None = None
        self.fault: BaseException | None = None
        self.on_interrupt: Callable[[], None] | None = None
        self.exit_code: int | None = None
        self.kept_reply: bytes = b""
        # The most that is copied out of a guest as one frame: head and attachments.
        self.frame_bytes: int = 1 << 32
        self._asked_ns = 0
        self._wake: LockType | None = None
        self.calls: Calls | None = None
        self._functions: dict[bytes, Func] = {}
        store = self._store = lib.wasmtime_store_new(engine.ptr, None, None)
        # An object of ctypes is passed on as it is; an integer is made one for each call.
        context = self._context = c_void_p(lib.wasmtime_store_context(store))
        self._memory_limit = -1
        self.limit_memory(memory_bytes)
        self._instance = RawInstance()
        self._trap = c_void_p()
        self._trap_ref = byref(self._trap)
        self._raw = _Raw()
        self._raw_address = byref(self._raw)
        error = lib.wasmtime_instance_pre_instantiate(image.pre, context, byref(self._instance), self._trap_ref)
        if error or self._trap.value:
            self.close()
            text = engine.error_text(error) if error else "trap"
            raise EngineError(
                f"cannot start a sandbox: {text}. Each reserves over 4 GiB of address space and about 3 mappings: "
                "look at `ulimit -v` and at vm.max_map_count"
            )
        export = self._export(b"memory", EXTERN_MEMORY)
        self._memory = Memory.from_buffer_copy(export.of.memory)
        self._memory_ref = byref(self._memory)
        # Fuel that the guest was given and has not used; below zero, it calls `tick`.
        self._counter = Global.from_buffer_copy(self._export(b"meter", EXTERN_GLOBAL).of.global_)
        self._counter_ref = byref(self._counter)
        self._count = Val(KIND_I64)
        self._count_ref = byref(self._count)
        self._granted = 0
        # When the next of the host functions looks at the clock, whatever they do.
        self.look_ns: int = 0
        # Never moves: the engine reserves all that a 32-bit memory can grow to.
        self._base: int = lib.wasmtime_memory_data(context, self._memory_ref)
        # The memory, as large as it was when it was last looked at: it never shrinks, so what it has had it has.
        self.view: memoryview = memory_view(self._base, self.memory_bytes)
        first, second = image.out_len
        self._out_counts = (c_uint32.from_address(self._base + first), c_uint32.from_address(self._base + second))
        if checkpoint is not None:
            self._put_back(checkpoint)

    def _export(self, name: bytes, kind: int) -> Extern:
        item = Extern()
        if (
            not self._lib.wasmtime_instance_export_get(self._context, self._instance, name, len(name), byref(item))
            or item.kind != kind
        ):
            raise EngineError(f"image {self.image.name!r} has no {name.decode()}")
        return item

    def _function(self, name: bytes) -> Func:
        found = self._functions.get(name)
        if found is None:
            found = self._functions[name] = Func.from_buffer_copy(self._export(name, EXTERN_FUNC).of.func)
        return found

    # ---- checkpoints ----

    def checkpoint(self) -> "Checkpoint":
        """A copy of what differs from the image. Only between two entries."""
        from .pages import copy_dirty

        return copy_dirty(self._base, self.memory_bytes, self.image.pristine)

    def _put_back(self, checkpoint: "Checkpoint") -> None:
        grow = checkpoint.memory_bytes - self.memory_bytes
        if grow > 0:
            error = self._lib.wasmtime_memory_grow(self._context, self._memory_ref, grow // PAGE, byref(c_uint64()))
            if error:
                text = self.engine.error_text(error)
                self.close()
                raise EngineError(f"cannot put a session back: {text}")
        for offset, data in checkpoint.pages:
            self.fill(offset, data)

    # ---- memory ----

    def limit_memory(self, memory_bytes: int) -> None:
        """Size beyond which the memory does not grow; what has grown already stays. Only between two entries."""
        if memory_bytes != self._memory_limit:
            self._memory_limit = memory_bytes
            self._lib.wasmtime_store_limiter(self._store, memory_bytes, _TABLE_ELEMENTS, 1, 8, 1)

    @property
    def memory_bytes(self) -> int:
        size: int = self._lib.wasmtime_memory_data_size(self._context, self._memory_ref)
        return size

    def span(self, start: int, size: int) -> int:
        """Host address of ``size`` bytes at ``start`` of the guest.

        Raises:
            GuestFault: not all of them lie in the memory as it is now.
        """
        if start + size > len(self.view) and not self._reaches(start + size):
            raise GuestFault(f"{size} bytes at {start} are outside the memory")
        return self._base + start

    def _reaches(self, end: int) -> bool:
        """Whether the memory has that many bytes now."""
        if end > len(self.view) and self._store:
            self.view = memory_view(self._base, self.memory_bytes)
        return end <= len(self.view)

    def read(self, start: int, size: int) -> bytes:
        """A copy of bytes of the guest; raises as :meth:`span` does."""
        self.span(start, size)
        return self.view[start : start + size].tobytes()

    def fill(self, start: int, data: bytes) -> None:
        """Writes bytes into the guest; raises as :meth:`span` does."""
        self.span(start, len(data))
        self.view[start : start + len(data)] = data

    def collect_output(self) -> None:
        """Takes what the guest has printed and not handed over: it need not call the host at the end of a cell, nor
        could it after a trap."""
        for stream, count in enumerate(self._out_counts, 1):
            held = count.value
            if held:
                count.value = 0
                data = self.read(self.image.out_buf[stream - 1], min(held & ~_BACKGROUND, self.image.out_cap))
                self.output.write(stream + 2 if held & _BACKGROUND else stream, data)

    # ---- running ----

    def start(self, head: bytes, source: bytes) -> Frame:
        """Runs a cell until it ends or waits. See :meth:`_enter` for what it raises."""
        return self._enter(b"wh_start", head + source)

    def resume(self, events: bytes) -> Frame:
        """Goes on with a cell that waited. See :meth:`_enter` for what it raises."""
        return self._enter(b"wh_resume", events)

    def _enter(self, name: bytes, data: bytes) -> Frame:
        """Passes data to an export and copies out the frame that it gives.

        Raises:
            Broken: stopped by a limit, trapped, ended itself, or gave back what no guest gives.
            SessionLost: made before a fork.
        """
        if self.generation != _engine.generation:
            raise SessionLost(
                "this session was made before os.fork() and lives in the parent process; make a new one here"
            )
        size = len(data)
        if size <= self.image.in_cap:
            start = self.image.in_buf
        else:
            start = self._call(b"wh_alloc", size)
            if not start:
                raise Broken("out of memory: the sandbox has no room for the source of the cell", "memory")
        try:
            self.fill(start, data)
            frame = self._frame(self._call(name, start, size))
        except GuestFault as fault:
            raise Broken(f"the guest broke the protocol: {fault}") from None
        if start != self.image.in_buf:
            self._call(b"wh_free", start)
        self.collect_output()
        return frame

    def _frame(self, start: int) -> Frame:
        if not start or not self._reaches(start + _FRAME.size):
            raise GuestFault("no frame")
        status, flags, head, head_size, count, table = _FRAME.unpack_from(self.view, start)
        if not self._reaches(head + head_size):
            raise GuestFault("head outside the memory")
        if head_size > self.frame_bytes:
            raise GuestFault("frame larger than the limit on values allows")
        attachments = self._attachments(count, table, self.frame_bytes - head_size) if count else []
        return Frame(status, flags, self.view[head : head + head_size].tobytes(), attachments)

    def _attachments(self, count: int, table: int, most: int) -> list[bytes]:
        if count > _MAX_ATTACHMENTS:
            raise GuestFault(f"{count} attachments")
        spans = list(_SPAN.iter_unpack(self.read(table, 8 * count)))
        total = sum(length for _, length in spans)
        # Overlapping spans would let a small memory fill a large host.
        if total > self.memory_bytes:
            raise GuestFault("attachments larger than the memory")
        if total > most:
            raise GuestFault("frame larger than the limit on values allows")
        return [self.read(at, length) for at, length in spans]

    def _call(self, name: bytes, first: int, second: int = 0) -> int:
        lib, context, meter = self._lib, self._context, self.meter
        function = self._functions.get(name) or self._function(name)
        raw = self._raw
        raw[0] = first
        raw[2] = second
        self._grant(meter.first())
        thread = get_ident()
        outer = current.get(thread)
        current[thread] = self
        now = perf_counter_ns()
        self.look_ns = now + TICK_NS
        meter.start(now)
        try:
            error = lib.wasmtime_func_call_unchecked(context, function, self._raw_address, 2, self._trap_ref)
        finally:
            meter.stop(perf_counter_ns())
            if outer is None:
                del current[thread]
            else:
                current[thread] = outer
        meter.fuel_used += self._settle()
        if error or self._trap.value:
            raise self._broken(error)
        return raw[0] & _U32

    def burnt(self) -> int:
        """Fuel of the cell so far, also while a host function runs."""
        meter = self.meter
        if current.get(get_ident()) is not self:
            return meter.fuel_used
        meter.fuel_used += self._settle()
        return meter.fuel_used

    def _grant(self, fuel: int) -> None:
        self._granted = self._count.of.i64 = fuel
        self._lib.wasmtime_global_set(self._context, self._counter_ref, self._count_ref)

    def _settle(self) -> int:
        """The fuel that was used since this was asked last, or since some was granted."""
        self._lib.wasmtime_global_get(self._context, self._counter_ref, self._count_ref)
        left: int = self._count.of.i64
        used, self._granted = self._granted - left, left
        return used

    def take_stock(self) -> None:
        """The guest has used what it was given: it gets more, unless a limit is spent. Runs in a host function.

        Raises:
            GuestFault: the instance must be ended now.
        """
        meter = self.meter
        used = self._settle()
        meter.fuel_used += used
        if meter.fuel_used > meter.fuel:
            meter.fuel_used = meter.fuel
            self.layer, self.stop_limit = HARD, FUEL
            raise GuestFault("out of fuel")
        self.keep_time()
        self._grant(meter.next(used, perf_counter_ns(), thread_time_ns()))

    def _broken(self, error: int | None) -> Broken:
        """Why a call did not return, from the host's own state wherever there is any (row C4)."""
        code = c_uint8(255)
        text = ""
        if error:
            text = self.engine.error_text(error)
        trap, self._trap.value = self._trap.value, None
        if trap:
            self._lib.wasmtime_trap_code(trap, byref(code))
            vec = ByteVec()
            self._lib.wasm_trap_message(trap, byref(vec))
            text = string_at(vec.data, vec.size).decode("utf-8", "replace").rstrip("\0").partition("\n")[0]
            self._lib.wasm_byte_vec_delete(byref(vec))
            self._lib.wasm_trap_delete(trap)
        if self.layer == HARD:
            return Broken("out of fuel" if self.stop_limit == FUEL else "stopped", self.stop_limit)
        if code.value == TRAP_STACK_OVERFLOW:
            self.layer = HARD
            return Broken("call stack exhausted", STACK)
        if self.exit_code is not None:
            return Broken(f"the guest ended itself with exit code {self.exit_code}")
        if isinstance(self.fault, GuestFault):
            return Broken(f"the guest broke the protocol: {self.fault}")
        if self.fault is not None:
            return Broken(f"a host function failed: {type(self.fault).__name__}: {self.fault}")
        return Broken(f"the guest crashed: {text}")

    # ---- stopping ----

    def begin_cell(self, meter: Meter, output: "Output") -> None:
        self.meter = meter
        self.output = output
        self.stop_limit = self.layer = self.requested = None
        self.calls = None
        self._asked_ns = 0
        handlers = self.engine.trap_handlers
        if handlers is not None:
            handlers.check()

    def interrupt(self, reason: str) -> None:
        """Asks the running cell to stop, from any thread; seen at the next tick, at once by a guest that sleeps.

        The request stays until the next cell begins, so that one which comes between two entries of a cell is not lost.
        """
        self.requested = reason
        self.wake()

    def wake(self) -> None:
        """Has whoever waits for this instance look again, from any thread."""
        wake, hook = self._wake, self.on_interrupt
        if wake is not None:
            try:
                wake.release()
            except RuntimeError:  # released already
                pass
        if hook is not None:
            hook()

    def tick(self, now: int) -> bool:
        """Whether the instance must be ended now; asks the guest to stop when a limit is spent."""
        if self._asked_ns:
            if now - self._asked_ns < GRACE_NS:
                return False
            self.layer = HARD
            return True
        reason = self.requested or self.meter.spent(now)
        if reason is not None:
            self.ask_to_stop(reason, now)
        return False

    def keep_time(self) -> None:
        """Looks at the limits, in a host function.

        Raises:
            GuestFault: the instance must be ended now.
        """
        now = perf_counter_ns()
        self.look_ns = now + TICK_NS
        if self.tick(now):
            raise GuestFault("stopped")

    def ask_to_stop(self, reason: str, now: int) -> None:
        # Plain stores at addresses fixed when the image was built, and nothing else: the guest may be inside malloc
        # (security rule 5).
        self._asked_ns = now
        self.stop_limit = reason
        self.layer = SOFT
        for operation, address, value in self.image.pokes:
            word = c_uint32.from_address(self._base + address)
            word.value = word.value | value if operation else value

    def note_soft_stop(self, reason: str, now: int) -> None:
        """The guest is about to be told by other means than :meth:`ask_to_stop`; from the first time on it has the
        grace, then it is ended.

        Raises:
            Broken: the grace is over: the guest answered by waiting again.
        """
        if self._asked_ns:
            if now - self._asked_ns >= GRACE_NS:
                self.layer = HARD
                raise Broken("stopped", self.stop_limit)
            return
        self._asked_ns = now
        self.stop_limit = reason
        self.layer = SOFT

    def wait(self, nanoseconds: int) -> int:
        """Sleeps for a guest, at most until a limit is spent. 1: the guest has to stop. Runs in a host function."""
        calls = self.calls
        charged = calls is not None and calls.in_flight and self.meter.pause(perf_counter_ns())
        if self.source.virtual and not self.source.replaying:
            self.source.sleep(nanoseconds)
            nanoseconds = 0
        try:
            reason = self._sleep(perf_counter_ns() + nanoseconds)
        finally:
            if charged:
                self.meter.start(perf_counter_ns())
        if reason is None:
            return 0
        self.ask_to_stop_now(reason)
        return 1

    def ask_to_stop_now(self, reason: str) -> None:
        """In a host function: the guest is to see the request when it goes on."""
        if not self._asked_ns:
            self.ask_to_stop(reason, perf_counter_ns())

    def wait_outside(self, nanoseconds: int | None) -> str | None:
        """Sleeps while the guest waits and no export runs, at most until there is news of a call (None: nothing else is
        waited for); gives the limit that was spent or the request that came, if one did."""
        meter, calls = self.meter, self.calls
        # Waiting is the script's own only while no call is in flight.
        charged = calls is None or not calls.in_flight
        deadline = None if nanoseconds is None else perf_counter_ns() + nanoseconds
        if charged:
            meter.start(perf_counter_ns())
        try:
            if calls is None:
                return self._sleep(deadline)
            while True:
                given_up = calls.next_deadline()
                until = deadline if given_up is None else given_up if deadline is None else min(deadline, given_up)
                reason = self._sleep(until, calls.has_news)
                now = perf_counter_ns()
                over = deadline is not None and now >= deadline
                if reason is not None or calls.has_news() or over or self.source.replaying:
                    return reason
                calls.expire(now)
        finally:
            if charged:
                meter.stop(perf_counter_ns())

    def pass_time(self, nanoseconds: int) -> str | None:
        """Lets the virtual clock move while the guest waits; gives the limit that was spent or the request that
        came."""
        self.source.sleep(nanoseconds)
        return self._sleep(0)

    def wait_for(self, ready: "Callable[[], bool]", deadline: int | None) -> str | None:
        """In a host function: until ``ready``, which :meth:`wake` has looked at again, or the deadline; gives what
        spent or requested the end."""
        return self._sleep(deadline, ready)

    def wait_whatever_comes(self, ready: "Callable[[], bool]", deadline: int) -> None:
        """Until ``ready`` or the deadline, whatever is spent or requested."""
        wake = self._wake_lock()
        while not ready():
            now = perf_counter_ns()
            if now >= deadline:
                return
            wake.acquire(timeout=(deadline - now) / 1e9)

    def _wake_lock(self) -> LockType:
        wake = self._wake
        if wake is None:
            wake = self._wake = allocate_lock()
            wake.acquire()
        return wake

    def _sleep(self, deadline: int | None, ready: "Callable[[], bool] | None" = None) -> str | None:
        if self.source.replaying:
            return self.requested
        meter = self.meter
        wake = self._wake_lock()
        while True:
            if ready is not None and ready():
                return None
            now = perf_counter_ns()
            reason = self.requested or meter.spent(now)
            if reason is not None or (deadline is not None and now >= deadline):
                return reason
            # A little beyond the limit, so that it is spent when we wake.
            left = meter.left(now) + 1_000_000
            wake.acquire(timeout=(left if deadline is None else min(deadline - now, left)) / 1e9)

    def on_call(self, kind: int, start: int, size: int) -> bytes | None:
        """The reply to a request of the guest, at a place that was checked; None refuses it."""
        calls = self.calls
        if calls is None:
            return None
        if size > calls.max_request:
            return calls.too_large(kind, size)
        try:
            return calls.on_call(kind, self.view[start : start + size].tobytes())
        except ProtocolError as error:
            raise GuestFault(str(error)) from None

    def close(self) -> None:
        """Frees the store. Not while an export runs."""
        if self._store:
            store, self._store = self._store, 0
            self.view = _NOTHING
            self._lib.wasmtime_store_delete(store)

    def __del__(self) -> None:
        if getattr(self, "_store", 0):
            self.close()


__all__ = ["HARD", "SOFT", "Broken", "Frame", "Instance"]
