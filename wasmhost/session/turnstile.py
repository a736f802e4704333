"""Who may run the next cell of a session: one at a time, blocking callers refused while it is taken, async callers
in order."""

from _thread import allocate_lock

from ..errors import SessionBusy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Callable
else:
    from _collections import deque  # without the package around it

# Cells queued or running (row B21).
MAX_QUEUED = 8


class Turnstile:
    """Thread-safe. A turn that is given up goes to the one that has waited longest."""

    __slots__ = ("_lock", "_taken", "_waiting")

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._taken = False
        self._waiting: deque[Callable[[], None]] = deque()

    def take(self) -> None:
        """Raises SessionBusy when a cell runs or waits."""
        with self._lock:
            if self._taken:
                raise SessionBusy("a cell of this session is running; use execute(), which queues, or another session")
            self._taken = True

    def take_or_queue(self, wake: "Callable[[], None]", limited: bool = True) -> bool:
        """True: the turn was free and is taken. False: ``wake`` is called, from any thread, when the turn has become
        the caller's.

        Raises:
            SessionBusy: ``limited``, and eight cells are queued or running.
        """
        with self._lock:
            if not self._taken:
                self._taken = True
                return True
            if limited and len(self._waiting) + 1 >= MAX_QUEUED:
                raise SessionBusy(f"{MAX_QUEUED} cells of this session are queued or running already")
            self._waiting.append(wake)
            return False

    def leave(self, wake: "Callable[[], None]") -> None:
        """A caller that no longer waits; if its turn had come meanwhile, it passes it on."""
        with self._lock:
            try:
                self._waiting.remove(wake)
                return
            except ValueError:
                pass
        self.give()

    def give(self) -> None:
        with self._lock:
            if not self._waiting:
                self._taken = False
                return
            wake = self._waiting.popleft()
        wake()
