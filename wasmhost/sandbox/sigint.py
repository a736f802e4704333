"""Ctrl-C while a guest runs in the main thread.

Python delivers SIGINT at the first bytecode of whatever runs next, which would be one of our callbacks, and an
exception there is lost. So while a guest runs in the main thread, the default handler is exchanged for one that
asks the guest to stop.
"""

import sys
from _thread import get_ident

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signals
    from collections.abc import Callable
    from signal import SIGINT, default_int_handler, getsignal, signal
else:
    # The C module: `signal` makes enums of it, which costs more than the cell.
    import _signal as _signals
    from _signal import SIGINT, default_int_handler, getsignal, signal


_NAMES = (
    "SIGALRM",
    "SIGTERM",
    "SIGHUP",
    "SIGUSR1",
    "SIGUSR2",
    "SIGQUIT",
    "SIGVTALRM",
    "SIGPROF",
    "SIGCHLD",
    "SIGBREAK",
)


def _main_thread() -> int:
    # `threading` knows, but need not be loaded; without it nobody can have started another thread than by `_thread`,
    # and the first thread to come here is then the one that runs the program.
    threading = sys.modules.get("threading")
    return threading.main_thread().ident if threading is not None else get_ident()


INTERRUPTED = "interrupted"

# Signals that programs handle in Python; SIGINT, which Python handles by itself, is looked at apart.
_HANDLED = tuple(number for number in (getattr(_signals, name, None) for name in _NAMES) if number is not None)
_ALL = (SIGINT, *_HANDLED)


class InterruptGuard:
    """``with InterruptGuard(stop) as guard``: SIGINT calls ``stop``, sets ``guard.hit``, and raises KeyboardInterrupt
    at the end of the block and nowhere in it: what is inside is never left half done.

    Does nothing off the main thread, or where the program has a handler of its own, which then runs as always.
    """

    __slots__ = ("_installed", "_main", "_stop", "hit")

    def __init__(self, stop: "Callable[[str], None]") -> None:
        self._stop = stop
        self._main = self._installed = False
        self.hit: bool = False

    def __enter__(self) -> "InterruptGuard":
        self._main = get_ident() == _main_thread()
        if self._main and getsignal(SIGINT) is default_int_handler:
            try:
                signal(SIGINT, self._handle)
                self._installed = True
            except ValueError:  # not the main thread after all, or a sub-interpreter
                pass
        return self

    def program_has_handlers(self) -> bool:
        """Whether this is the main thread and the program handles signals in Python. What such a handler raises inside
        one of our callbacks would be lost, so the guest had better run on another thread while this one waits."""
        if not self._main:
            return False
        return any(map(callable, map(getsignal, _HANDLED if self._installed else _ALL)))

    def _handle(self, _number: int, _frame: object) -> None:
        self.hit = True
        self._stop(INTERRUPTED)

    def __exit__(self, *_: object) -> None:
        if self._installed:
            signal(SIGINT, default_int_handler)
        if self.hit:
            raise KeyboardInterrupt
