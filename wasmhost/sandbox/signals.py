"""The signal handlers by which wasmtime turns a guest's fault into a trap.

They are installed when the first engine is made. A program that installs its own later (``faulthandler.enable()``
does) would turn every guest trap into the death of the process. So they are compared before each cell and put back
if they were replaced.
"""

import sys
from _thread import allocate_lock
from ctypes import PyDLL, addressof, c_char, c_int, c_uint64, c_void_p

TYPE_CHECKING = False
if TYPE_CHECKING:
    from signal import SIGBUS, SIGFPE, SIGILL, SIGSEGV
elif sys.platform != "win32":
    from _signal import SIGBUS, SIGFPE, SIGILL, SIGSEGV

# Larger than struct sigaction anywhere; its first word is the handler on every POSIX system that wasmtime runs on.
_ACTION_BYTES = 256


class TrapHandlers:
    """What wasmtime installed, remembered right after an engine was made. Thread-safe."""

    def __init__(self) -> None:
        # With objects of ctypes as arguments, made once: there are four calls for each cell.
        self._sigaction = PyDLL(None).sigaction
        self._lock = allocate_lock()
        self._warned = False
        self._now = (c_char * _ACTION_BYTES)()
        self._now_at = c_void_p(addressof(self._now))
        self._now_handler = c_uint64.from_buffer(self._now)
        self._saved = []
        for number in (SIGSEGV, SIGILL, SIGFPE, SIGBUS):
            action = (c_char * _ACTION_BYTES)()
            signal = c_int(number)
            self._sigaction(signal, None, action)
            self._saved.append((signal, action, c_uint64.from_buffer(action).value))

    def replaced(self) -> list[int]:
        """Numbers of the signals whose handler is not the one remembered."""
        with self._lock:
            found = []
            for number, _, expected in self._saved:
                self._sigaction(number, None, self._now_at)
                if self._now_handler.value != expected:
                    found.append(number.value)
            return found

    def check(self) -> None:
        """Puts back what was replaced, with one warning. Takes a few microseconds."""
        sigaction, at, handler = self._sigaction, self._now_at, self._now_handler
        with self._lock:
            for number, action, expected in self._saved:
                sigaction(number, None, at)
                if handler.value != expected:
                    sigaction(number, action, None)
                    self._warn()

    def _warn(self) -> None:
        if not self._warned:
            self._warned = True
            import warnings

            warnings.warn(
                "something (faulthandler, perhaps) replaced the signal handlers that keep a sandbox's fault from "
                "ending this process; wasmhost has put its own back. Enable it before the first sandbox starts to keep "
                "both.",
                RuntimeWarning,
                stacklevel=2,
            )


def trap_handlers() -> TrapHandlers | None:
    """None on Windows, where wasmtime uses no signals."""
    return TrapHandlers() if sys.platform != "win32" else None
