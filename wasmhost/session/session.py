"""A session: one guest with its state, running one cell at a time. The blocking driver is here, the async one in
``async_driver``."""

from _thread import allocate_lock
from time import perf_counter_ns

from ..errors import LimitsError, SessionClosed, SessionLost
from ..limits import DEFAULT_LIMITS, Limits
from .cell import CANCELLED, CLOSED, FINISH, INTERRUPTED, CellRun, Effect, Finish, Resume, Start, Wait
from .output import CellOutput
from .turnstile import Turnstile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

    from ..results import RuntimeFailure, RuntimeSuccess
    from ..sandbox import engine as _engine
    from ..sandbox.image import Image
    from ..sandbox.image import image as get_image
    from ..sandbox.instance import Broken, Instance
    from ..sandbox.meter import UNLIMITED_FUEL, Meter
    from ..sandbox.pages import Checkpoint
    from ..sandbox.sigint import InterruptGuard
    from ..sandbox.stack import fits, submit
    from ..sandbox.system import Source, SystemSource
    from .journal import Entry, Journal

    Result = RuntimeSuccess | RuntimeFailure
    OnOutput = Callable[[str, bytes], None]

_loaded = False


def _load() -> None:
    """Imports what runs guests, at the first session and not with the package: most of it is ctypes."""
    global _loaded
    from ..sandbox import engine
    from ..sandbox.image import image
    from ..sandbox.instance import Broken, Instance
    from ..sandbox.meter import UNLIMITED_FUEL, Meter
    from ..sandbox.sigint import InterruptGuard
    from ..sandbox.stack import fits, submit
    from ..sandbox.system import SystemSource
    from .journal import Entry, Journal

    globals().update(
        _engine=engine,
        get_image=image,
        Broken=Broken,
        Instance=Instance,
        UNLIMITED_FUEL=UNLIMITED_FUEL,
        Meter=Meter,
        InterruptGuard=InterruptGuard,
        fits=fits,
        submit=submit,
        SystemSource=SystemSource,
        Entry=Entry,
        Journal=Journal,
    )
    _loaded = True


class Session:
    """One guest with its state. The public classes are in :mod:`wasmhost.runtimes`; each names its language and image.

    Any thread may use a session; its cells never overlap. A session does not survive ``os.fork()``: in the child its
    methods raise
    :class:`~wasmhost.errors.SessionLost`.
    """

    language: str
    image_name: str

    def __init__(self, *, limits: Limits | None = None) -> None:
        """Loads the image at the first use in a process (about 1 ms with a compiled one); the sandbox itself starts
        with the first cell.

        Raises:
            ImageError: the image is not built.
            LimitsError: the memory limit is below what the image needs.
        """
        if limits is not None and not isinstance(limits, Limits):
            raise TypeError(f"limits must be a Limits, not {type(limits).__name__}")
        if not _loaded:
            _load()
        self.limits: Limits = limits or DEFAULT_LIMITS
        self._image: Image = get_image(_engine.engine(self.limits.stack_bytes), self.image_name)
        self._check_memory(self.limits)
        self._turn = Turnstile()
        self._instance: Instance | None = None
        self._cells = 0
        self._closed = False
        self._running: CellRun | None = None
        # The state after the last cell is that of the checkpoint (None: of the image) and the replay of the journal.
        self._checkpoint: Checkpoint | None = None
        self._journal = Journal()
        self._generation = _engine.generation

    def _check_memory(self, limits: Limits) -> None:
        if limits.memory_bytes < self._image.memory_bytes:
            raise LimitsError(
                f"memory_bytes of {limits.memory_bytes} is below what the {self.image_name} image itself needs: "
                f"{self._image.memory_bytes}"
            )

    # ---- the blocking driver ----

    def run(self, code: str, *, limits: Limits | None = None, on_output: "OnOutput | None" = None) -> "Result":
        """Runs a cell to its end and returns its result; whatever the code does is a result and no exception.

        Runs in the calling thread where its stack has room for a guest (wasm stack + 2 MiB), in the main thread only if
        the program handles no signals in Python; else on a thread of ours. Ctrl-C in the main thread stops the cell,
        keeps the session, and raises KeyboardInterrupt.

        Args:
            code: source text of one cell.
            limits: narrower limits for this cell.
            on_output: called with ``"stdout"`` or ``"stderr"`` and the bytes, as the cell prints them, in the thread
                that runs the guest. What it raises stops the cell.

        Raises:
            SessionBusy: a cell of this session is running or queued.
            SessionClosed, SessionLost, LimitsError, TypeError: misuse.
        """
        cell_limits = self._cell_limits(code, limits)
        # Around all of it: KeyboardInterrupt between two lines would leave the turn taken or the state half written.
        with InterruptGuard(self._interrupt) as guard:
            self._turn.take()
            try:
                if fits(cell_limits.stack_bytes) and not guard.program_has_handlers():
                    return self._run_here(code, cell_limits, on_output, guard)
                return self._run_elsewhere(code, cell_limits, on_output, guard)
            finally:
                self._turn.give()

    def _run_here(self, code: str, limits: Limits, on_output: "OnOutput | None", guard: "InterruptGuard") -> "Result":
        cell, effect, instance = self._begin(code, limits, on_output)
        if guard.hit:
            instance.interrupt(INTERRUPTED)
        try:
            while effect is not FINISH:
                effect = cell_step(self, instance, cell, effect)
        except BaseException:
            self._abandon(instance)
            raise
        return self._end(cell, instance)

    def _run_elsewhere(
        self, code: str, limits: Limits, on_output: "OnOutput | None", guard: "InterruptGuard"
    ) -> "Result":
        outcome: list[Result | BaseException] = []
        finished = allocate_lock()
        finished.acquire()

        def job() -> None:
            try:
                outcome.append(self._run_here(code, limits, on_output, guard))
            except BaseException as error:
                outcome.append(error)

        submit(job, finished.release)
        fault: BaseException | None = None
        while not outcome:
            try:
                finished.acquire()
            except BaseException as error:
                # Of a signal handler of the program. Nobody may enter a guest that still runs, so it is waited for.
                fault = error
                self._interrupt(CANCELLED)
        if fault is not None:
            raise fault
        if isinstance(outcome[0], BaseException):
            raise outcome[0]
        return outcome[0]

    # ---- the async driver ----

    async def execute(
        self,
        code: str,
        *,
        limits: Limits | None = None,
        on_output: "OnOutput | None" = None,
        description: str | None = None,
    ) -> "Result":
        """The same as :meth:`run` for asyncio and trio: the event loop goes on while the guest runs on a thread of
        ours.

        Calls on one session queue up, first in first out, at most eight. Cancelling it stops the guest, keeps the
        session and raises the event loop's own cancellation; the guest has stopped by then. ``on_output`` is
        called in the thread that runs the guest.

        Raises:
            SessionBusy: eight cells are queued or running.
            SessionClosed, SessionLost, LimitsError, TypeError: misuse.
        """
        from .async_driver import execute

        return await execute(self, code, self._cell_limits(code, limits), on_output)

    # ---- what both share ----

    def _cell_limits(self, code: str, limits: Limits | None) -> Limits:
        if not isinstance(code, str):
            raise TypeError(f"code must be a str, not {type(code).__name__}")
        self._check_usable()
        if limits is None:
            return self.limits
        if not isinstance(limits, Limits):
            raise TypeError(f"limits must be a Limits, not {type(limits).__name__}")
        merged = self.limits.narrowed(limits)
        self._check_memory(merged)
        return merged

    def _new_instance(self, source: "Source") -> "Instance":
        return Instance(self._image, source, self.limits.memory_bytes, self._checkpoint)

    def _check_usable(self) -> None:
        if self._generation != _engine.generation:
            raise SessionLost(
                "this session was made before os.fork() and lives in the parent process; make a new one here"
            )
        if self._closed:
            raise SessionClosed("this session is closed")

    def _begin(self, code: str, limits: Limits, on_output: "OnOutput | None") -> "tuple[CellRun, Effect, Instance]":
        """The first effect of a new cell; the turn is held."""
        self._check_usable()
        self._cells += 1
        output = CellOutput(limits.stdout_bytes, limits.stderr_bytes, limits.console_bytes)
        now = perf_counter_ns()
        fuel = limits.fuel
        meter = Meter(
            now, int(limits.script_ms * 1e6), int(limits.wall_ms * 1e6), UNLIMITED_FUEL if fuel is None else fuel
        )
        cell = self._running = CellRun(self._cells, limits, meter, output)
        instance = self._instance
        if instance is None:
            instance = self._instance = self._new_instance(SystemSource())
        seed = None
        instance.source.begin_cell()
        if self._checkpoint is None and self._journal.untouched:
            # No cell has run in this guest: its random generators are still those of the image.
            seed = instance.source.instance_seed()
        instance.begin_cell(meter, output)
        instance.limit_memory(limits.memory_bytes)
        if on_output is not None:
            output.follow(on_output, instance.interrupt, meter)
        problem = None
        if not code or code.isspace():
            problem = "the cell is empty: there is nothing to run"
        else:
            try:
                typescript = self.language == "typescript"
                return cell, cell.start(code.encode(), seed, on_output is not None, typescript), instance
            except UnicodeEncodeError:
                problem = "the code holds lone surrogates, which no source text can"
        return cell, cell.refuse("SyntaxError", problem), instance

    def _end(self, cell: CellRun, instance: "Instance") -> "Result":
        """The result of a cell that is over."""
        self._running = None
        if cell.state == "kept" and cell.entry is not None:
            if instance.stop_limit is not None:
                # Stopped at an instruction that no replay would find again.
                self._journal.exact = False
            else:
                cell.entry.clock = instance.source.readings
                cell.entry.fuel = cell.meter.fuel_used
                self._journal.add(cell.entry)
        result = cell.result(perf_counter_ns(), instance.stop_limit, instance.layer)
        if cell.output.listener_error is not None:
            raise cell.output.listener_error
        return result

    def _abandon(self, instance: "Instance") -> None:
        """After a fault of the host itself: nothing is known about the guest any more."""
        self._running = None
        instance.close()
        self._drop()

    def _undo(self, cell: CellRun, instance: "Instance") -> None:
        """Goes back to the state before a cell that will not be seen to its end."""
        self._running = None
        if self._instance is instance:
            self._restore(instance, cell)

    def _save(self, instance: "Instance") -> None:
        """Makes sure that the state before the cell that starts now can be had again."""
        if self._journal.due:
            self._checkpoint = instance.checkpoint()
            self._journal.clear()

    def _restore(self, broken: "Instance", cell: CellRun) -> None:
        """Puts an instance with the state before the cell into the place of one that cannot be used any more."""
        broken.collect_output()
        broken.close()
        # With the same clock, which would go back otherwise.
        instance = self._new_instance(broken.source)
        if self._journal.replay(instance):
            self._instance = instance
            cell.state = "restored"
            return
        instance.close()
        self._drop()
        cell.state = "lost"

    def _interrupt(self, reason: str) -> None:
        instance = self._instance
        if instance is not None and self._running is not None:
            instance.interrupt(reason)

    # ---- end ----

    async def reset(self) -> None:
        """Drops variables and whatever else the guest holds, and frees it; limits stay. A cell that runs is cancelled
        first.

        Waits its turn behind cells that are queued already.
        """
        from .async_driver import reset

        await reset(self)

    def reset_blocking(self) -> None:
        """The same as :meth:`reset` without an event loop.

        Raises:
            SessionBusy: a cell is running in another thread; it has been asked to stop.
        """
        self._check_usable()
        self._interrupt(CANCELLED)
        self._turn.take()
        self._drop_and_pass_on()

    def _drop(self) -> None:
        instance, self._instance = self._instance, None
        self._checkpoint = None
        self._journal.clear()
        if instance is not None:
            instance.close()

    def close(self) -> None:
        """Frees the guest. A cell that runs in another thread is stopped, and frees it when it ends. Closing twice
        is harmless."""
        self._closed = True
        self._interrupt(CLOSED)
        if self._turn.take_or_queue(self._drop_and_pass_on, limited=False):
            self._drop_and_pass_on()

    def _drop_and_pass_on(self) -> None:
        try:
            self._drop()
        finally:
            self._turn.give()

    async def aclose(self) -> None:
        """:meth:`close`, and waits until a running cell has ended."""
        from .async_driver import aclose

        await aclose(self)

    def __enter__(self) -> "Self":
        return self

    def __exit__(
        self, kind: "type[BaseException] | None", error: BaseException | None, traceback: "TracebackType | None"
    ) -> None:
        self.close()

    async def __aenter__(self) -> "Self":
        return self

    async def __aexit__(
        self, kind: "type[BaseException] | None", error: BaseException | None, traceback: "TracebackType | None"
    ) -> None:
        await self.aclose()


def guest_step(session: Session, instance: "Instance", cell: CellRun, effect: Effect) -> Effect:
    """Does an effect that enters the guest, on a thread with room for it."""
    try:
        if isinstance(effect, Start):
            session._save(instance)
            entry = cell.entry = Entry(effect.head, effect.source, instance.source.cell_seed, cell.memory_bytes)
            frame = instance.start(effect.head, effect.source)
        else:
            assert isinstance(effect, Resume)
            assert cell.entry is not None
            entry = cell.entry
            if effect.stopping is not None:
                instance.note_soft_stop(effect.stopping, perf_counter_ns())
            entry.events.append(effect.events)
            frame = instance.resume(effect.events)
        entry.status = frame.status
        following = cell.answered(frame)
    except Broken as broken:
        following = cell.broke(broken)
    if cell.lost:
        session._restore(instance, cell)
    return following


def cell_step(session: Session, instance: "Instance", cell: CellRun, effect: Effect) -> Effect:
    """Does any effect, waiting in the calling thread."""
    if isinstance(effect, Wait):
        return cell.waited(instance.wait_outside(effect.nanoseconds))
    return guest_step(session, instance, cell, effect)


__all__ = ["Finish", "Session", "cell_step", "guest_step"]
