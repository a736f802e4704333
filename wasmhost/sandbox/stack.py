"""Where a guest may run: in the caller's thread if its stack has room, else on a runner thread of ours.

A wasm stack larger than what is left of the thread's own stack is a segmentation fault of the whole process, so
the room is measured (``pthread_getattr_np`` once for each thread, the stack pointer by ``getcontext`` each time:
glibc on x86-64 and aarch64) and whatever cannot be measured counts as too small.
"""

import os
import sys
from _thread import _local, allocate_lock, stack_size, start_new_thread
from ctypes import PyDLL, addressof, byref, c_char, c_size_t, c_uint64, c_ulong, c_void_p

from ..errors import EngineError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# Beyond the wasm stack itself: for the host functions that a guest calls, which run Python, and for decoding what it
# gives back.
MARGIN_BYTES = 2 << 20
RUNNER_STACK_BYTES = 16 << 20

# Offset of the saved stack pointer in glibc's ucontext_t, by machine (sys/ucontext.h).
_STACK_POINTER_OFFSET = {"x86_64": 160, "aarch64": 432}

_thread_state = _local()


class _Probe:
    """Measures the stack of the calling thread, where that is possible."""

    def __init__(self) -> None:
        self.getcontext: Callable[[c_void_p], int] | None = None
        offset = _STACK_POINTER_OFFSET.get(os.uname().machine) if hasattr(os, "uname") and sys.maxsize > 2**32 else None
        if not sys.platform.startswith("linux") or offset is None:
            return
        try:
            libc = PyDLL(None)
            _ = libc.gnu_get_libc_version  # musl's layout of ucontext_t is not known to us
            self.self_ = libc.pthread_self
            self.getattr_np = libc.pthread_getattr_np
            self.getstack = libc.pthread_attr_getstack
            self.destroy = libc.pthread_attr_destroy
            getcontext = libc.getcontext
        except (OSError, AttributeError):
            return
        self.self_.restype = c_ulong
        self.getattr_np.argtypes = [c_ulong, c_void_p]
        self.getstack.argtypes = [c_void_p, c_void_p, c_void_p]
        self.destroy.argtypes = [c_void_p]
        self.offset = offset
        self.getcontext = getcontext

    def lowest(self) -> int:
        """Lowest address of the calling thread's stack; a huge one where it cannot be told."""
        attributes = (c_char * 256)()
        start, size = c_void_p(), c_size_t()
        if self.getattr_np(self.self_(), attributes):
            return 1 << 62
        self.getstack(attributes, byref(start), byref(size))
        self.destroy(attributes)
        return start.value or 1 << 62


_probe: _Probe | None = None


class _ThreadStack:
    """What is kept for each thread: the end of its stack and a buffer for its registers."""

    __slots__ = ("context", "context_address", "lowest", "pointer")

    def __init__(self, probe: _Probe) -> None:
        self.lowest = probe.lowest()
        # glibc's ucontext_t has 968 bytes on x86-64 and about 4,560 on aarch64.
        self.context = (c_char * 8192)()
        self.context_address = c_void_p(addressof(self.context))
        self.pointer = c_uint64.from_buffer(self.context, probe.offset)


def room() -> int:
    """Bytes left on the stack of the calling thread, 0 where that cannot be told. Under 1 µs after the first call
    of a thread."""
    global _probe
    probe = _probe
    if probe is None:
        probe = _probe = _Probe()
    getcontext = probe.getcontext
    if getcontext is None:
        return 0
    try:
        stack = _thread_state.stack
    except AttributeError:
        stack = _thread_state.stack = _ThreadStack(probe)
    getcontext(stack.context_address)
    left: int = stack.pointer.value - stack.lowest
    return max(0, left)


def fits(stack_bytes: int) -> bool:
    """Whether a guest with that size of wasm stack may run on the calling thread."""
    return room() >= stack_bytes + MARGIN_BYTES


class _Runner:
    """One thread with a stack of its own size that runs one job at a time."""

    __slots__ = ("jobs",)

    def __init__(self) -> None:
        from _queue import SimpleQueue

        self.jobs: SimpleQueue[tuple[Callable[[], None], Callable[[], None]]] = SimpleQueue()
        # The size for new threads is one setting of the process: set and put back under a lock.
        with _size_lock:
            before = stack_size(RUNNER_STACK_BYTES)
            try:
                start_new_thread(self._run, ())
            except RuntimeError as error:
                raise EngineError(f"no thread with a stack for a guest: {error}") from None
            finally:
                stack_size(before)

    def _run(self) -> None:
        while True:
            job, done = self.jobs.get()
            job()
            del job
            # Back among the idle ones first: whoever waits for `done` may want a runner at once.
            if len(_idle) < _MAX_IDLE:
                _idle.append(self)
                done()
                del done
            else:
                done()
                return


_MAX_IDLE = 32
_idle: list[_Runner] = []
_size_lock = allocate_lock()


def submit(job: "Callable[[], None]", done: "Callable[[], None]") -> None:
    """Runs ``job`` on a runner thread, then ``done`` on the same thread. Neither may raise. Returns at once.

    There are as many runners as guests run at a time, so a guest that waits never keeps another one from starting.

    Raises:
        EngineError: a runner is needed, and there can be no other thread.
    """
    try:
        runner = _idle.pop()
    except IndexError:
        runner = _Runner()
    runner.jobs.put((job, done))


def ensure_runner() -> None:
    """Makes a runner where none is idle, so that :func:`submit` does not fail unless another thread takes it.

    Raises:
        EngineError: there can be no other thread.
    """
    if not _idle:
        _idle.append(_Runner())


def _after_fork_in_child() -> None:
    global _size_lock
    _size_lock = allocate_lock()
    _idle.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)

__all__ = ["MARGIN_BYTES", "RUNNER_STACK_BYTES", "ensure_runner", "fits", "room", "submit"]
