"""A session: one guest with its state, running one cell at a time. The blocking driver is here, the async one in
``async_driver``."""

from _thread import allocate_lock
from time import perf_counter_ns

from ..errors import LimitsError, SessionBusy, SessionClosed, SessionLost
from ..limits import DEFAULT_LIMITS, Limits
from ..protocol.frames import FLAG_FULL, most_bytes
from .cell import CANCELLED, CLOSED, FINISH, INTERRUPTED, CellRun, Effect, Finish, Rejoin, Resume, Start, Wait
from .output import CellOutput
from .turnstile import Turnstile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from os import PathLike
    from types import TracebackType
    from typing import Any, Self

    from ..capabilities.approval import ApprovalRequest, Approver
    from ..capabilities.capability import Capability
    from ..capabilities.cell import CellCalls
    from ..capabilities.hooks import Hooks
    from ..capabilities.isolation import Isolation
    from ..capabilities.policy import Allow, Deny, Policy
    from ..capabilities.session import OnEvent, SessionCapabilities
    from ..deterministic import Deterministic
    from ..packs.pack import Pack
    from ..results import RuntimeFailure, RuntimeSuccess
    from ..sandbox import engine as _engine
    from ..sandbox.image import Image
    from ..sandbox.image import image as get_image
    from ..sandbox.instance import Broken, Frame, Instance
    from ..sandbox.meter import MEMORY, UNLIMITED_FUEL, Meter
    from ..sandbox.pages import Checkpoint
    from ..sandbox.sigint import InterruptGuard
    from ..sandbox.stack import fits, submit
    from ..sandbox.system import FUEL_PER_NS, Source, SystemSource
    from ..state.replay import Hydration, ReplayLog
    from ..trace import SessionTrace, Sink, Trace
    from .journal import Entry, Journal
    from .look import Completion, Variable
    from .queue import CellQueue, Withhold
    from .stream import OutputStream
    from .suspension import Suspended

    Result = RuntimeSuccess | RuntimeFailure
    OnOutput = Callable[[str, bytes], None]
    # From the number of a cell and its instance to what answers its calls.
    MakeCalls = Callable[[int, Instance], CellCalls]
    # The first effect of a cell that starts or goes on.
    Begin = Callable[[], tuple[CellRun, Effect, Instance]]

_MAX_HINT = 10_000
# A guest that says that it is full has not got this much from the engine.
_FULL_BYTES = 4 << 20

_loaded = False


def _load() -> None:
    """Imports what runs guests, at the first session and not with the package: most of it is ctypes."""
    global _loaded
    from ..sandbox import engine
    from ..sandbox.image import image
    from ..sandbox.instance import Broken, Instance
    from ..sandbox.meter import MEMORY, UNLIMITED_FUEL, Meter
    from ..sandbox.sigint import InterruptGuard
    from ..sandbox.stack import fits, submit
    from ..sandbox.system import FUEL_PER_NS, SystemSource
    from .journal import Entry, Journal

    globals().update(
        _engine=engine,
        get_image=image,
        Broken=Broken,
        Instance=Instance,
        MEMORY=MEMORY,
        UNLIMITED_FUEL=UNLIMITED_FUEL,
        Meter=Meter,
        InterruptGuard=InterruptGuard,
        fits=fits,
        submit=submit,
        FUEL_PER_NS=FUEL_PER_NS,
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

    def __init__(
        self,
        *,
        limits: Limits | None = None,
        capabilities: "Iterable[Capability | Pack | Callable[..., Any]]" = (),
        policy: "Policy | str | None" = None,
        hooks: "Hooks | None" = None,
        approve: "Approver | None" = None,
        approve_timeout: float | None = None,
        isolation: "Isolation | None" = None,
        on_event: "OnEvent | None" = None,
        label: str = "",
        log: "ReplayLog | str | PathLike[str] | None" = None,
        deterministic: "Deterministic | None" = None,
        trace: "Trace | Sink | None" = None,
        helpers: bool = False,
        hint: str = "",
        background: str = "clear",
    ) -> None:
        """Loads the image at the first use in a process (about 1 ms with a compiled one); the sandbox itself starts
        with the first cell.

        Args:
            limits: of the session; a cell may have narrower ones.
            capabilities: host functions that the guest may call (``docs/capabilities.md``), and packs of them.
            policy: which calls are allowed, denied or asked about; one word (``"allow"``) for all. By default what is
                ``read_only`` is allowed, the rest asked about.
            hooks: functions that see each call before and after.
            approve: decides what is asked about: a function or coroutine function from
                :class:`~wasmhost.capabilities.approval.ApprovalRequest` to ``Allow``, ``Deny`` or a bool. Without one,
                what would be asked about is denied.
            approve_timeout: seconds for an answer; by default only the wall clock ends the waiting.
            isolation: which classes of capabilities exclude each other.
            on_event: told of each step of each call, in whatever thread that is in.
            label: names the session in approval requests and traces.
            log: where each cell is written down so that it can be replayed (``docs/replay.md``): a log or the path of
                its file.
            deterministic: random numbers and time that do not come from this machine, so that equal cells give equal
                results and equal fuel (``docs/deterministic.md``).
            trace: told of everything that happens, as structured events (``docs/trace.md``): a function, a
                :class:`~wasmhost.trace.JsonLines`, or a :class:`~wasmhost.trace.Trace` with settings.

            helpers: whether code has the short forms of what is offered (``cat``, ``sh``, ...) and the prepared object
                ``o`` (``docs/packs.md``).
            hint: with ``helpers``, a text about what is worked on, as ``repo_hint`` or ``repoHint`` in the guest and in
                :meth:`instructions`.
            background: what becomes of timers that a JavaScript cell leaves: ``"clear"`` ends them with it, ``"hold"``
                keeps them. They, and Python's tasks in either case, go on while a later cell waits, and never between
                cells.

        Raises:
            ValueError: ``background`` is neither.
            CapabilityDefinitionError: a capability, policy or hook that cannot be used; the text says why.
            ImageError: the image is not built.
            LimitsError: the memory limit is below what the image needs.
        """
        if limits is not None and not isinstance(limits, Limits):
            raise TypeError(f"limits must be a Limits, not {type(limits).__name__}")
        if not _loaded:
            _load()
        if background not in ("clear", "hold"):
            raise ValueError(f'background is "clear" or "hold", not {background!r}')
        self._holds: bool = background == "hold"
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
        self._capabilities: SessionCapabilities | None = None
        # Whether the guest, as it is now, has been told of its tools, and has had random numbers of its own; and
        # whether it had at the checkpoint.
        self._told_tools = self._seeded = False
        self._base_told = self._base_seeded = False
        # Whether the state before the cell that goes on is that of another session too, random numbers and all.
        self._copied: bool = False
        # Held while guest code runs, and while somebody looks at the guest as it stands.
        self._gate = allocate_lock()
        self._suspended: Suspended | None = None
        # Where the session's own clock stands before the first cell; None: at its start.
        self._clock_ns: int | None = None
        self._deterministic: Deterministic | None = deterministic
        if deterministic is not None and not callable(getattr(deterministic, "source", None)):
            raise TypeError(f"deterministic must be a Deterministic, not {type(deterministic).__name__}")
        # Of a host: stores the state, and gives what to say where it could not.
        self._after_cell: Callable[[], str] | None = None
        self._log: ReplayLog | None = None
        self._log_pauses = False
        # How a session came to its state that was made from a log.
        self.hydration: Hydration | None = None
        self._trace: SessionTrace | None = None
        if trace is not None:
            from .. import trace as tracing

            self._trace = tracing.SessionTrace(trace, label, self.language)
            self._trace.begin(self.limits)
            on_event = self._trace.listener(on_event)
        # Nothing of this is imported for a session without capabilities.
        if not isinstance(hint, str) or len(hint) > _MAX_HINT:
            raise TypeError(f"hint must be a str of at most {_MAX_HINT} characters")
        if capabilities or policy is not None or hooks is not None or approve is not None or helpers:
            from ..capabilities import session as held

            self._capabilities = held.SessionCapabilities(
                capabilities,
                policy=policy,
                hooks=hooks,
                approve=approve,
                approve_timeout=approve_timeout,
                isolation=isolation,
                on_event=on_event,
                label=label,
                parallel_calls=self.limits.parallel_calls,
                helpers=bool(helpers),
                hint=hint,
            )
        if log is not None:
            from ..state import replay

            self._log = replay.as_log(log)
            if self._capabilities is not None:
                self._capabilities.asked = replay.asked

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
                that runs the guest; for what earlier cells have left, with ``"background_stdout"`` or
                ``"background_stderr"``. What it raises stops the cell.

        Raises:
            SessionBusy: a cell of this session is running or queued.
            SessionClosed, SessionLost, LimitsError, TypeError: misuse.
            EngineError, OSError: the process has no threads, memory or descriptors left; the session is as before.
            RuntimeError: the session has asynchronous capabilities, and an event loop runs in this thread, which
                would stand still.
        """
        cell_limits = self._cell_limits(code, limits)
        make_calls = self._calls_of_blocking(cell_limits)
        return self._run_blocking(cell_limits, lambda: self._begin(code, cell_limits, on_output, make_calls))

    def _run_blocking(self, cell_limits: Limits, begin: "Begin") -> "Result":
        # Around all of it: KeyboardInterrupt between two lines would leave the turn taken or the state half written.
        with InterruptGuard(self._interrupt) as guard:
            self._turn.take()
            try:
                if fits(cell_limits.stack_bytes) and not guard.program_has_handlers():
                    return self._run_here(begin, guard)
                return self._run_elsewhere(begin, guard)
            finally:
                self._turn.give()

    def _calls_of_blocking(self, limits: Limits) -> "MakeCalls | None":
        capabilities = self._capabilities
        if capabilities is None:
            return None
        from contextvars import copy_context

        from ..capabilities.cell import CellCalls
        from ..capabilities.loops import our_loop, runs_here

        if capabilities.needs_loop and runs_here():
            raise RuntimeError(
                "run() would hold up the event loop that runs in this thread; with asynchronous capabilities use "
                "`await session.execute(...)` there"
            )
        context = copy_context()
        return lambda number, instance: CellCalls(
            capabilities, number, limits, instance, context, lambda: our_loop(context)
        )

    def _run_here(self, begin: "Begin", guard: "InterruptGuard") -> "Result":
        cell, effect, instance = begin()
        if guard.hit:
            instance.interrupt(INTERRUPTED)
        try:
            while effect is not FINISH:
                effect = cell_step(self, instance, cell, effect)
            calls = cell.calls
            if calls is not None and calls.in_flight:
                until = calls.begin_end()
                instance.wait_whatever_comes(lambda: not calls.in_flight, until)
                calls.end()
        except BaseException:
            self._abandon(instance, cell)
            raise
        return self._end(cell, instance)

    def _run_elsewhere(self, begin: "Begin", guard: "InterruptGuard") -> "Result":
        outcome: list[Result | BaseException] = []
        finished = allocate_lock()
        finished.acquire()

        context = None
        if self._trace is not None:
            # A trace may look for the caller's span.
            from contextvars import copy_context

            context = copy_context()

        def job() -> None:
            try:
                if context is None:
                    outcome.append(self._run_here(begin, guard))
                else:
                    outcome.append(context.run(self._run_here, begin, guard))
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

    def stream(self, code: str, *, limits: Limits | None = None) -> "OutputStream":
        """The same as :meth:`execute`, with the output to be read while the cell runs::

            async with session.stream(code) as stream:
                async for name, text in stream:
                    ...
            result = stream.result

        A reader that is slow holds the guest up. Leaving the block early cancels the cell and keeps the session.

        Raises:
            SessionClosed, SessionLost, LimitsError, TypeError: misuse.
        """
        from .stream import OutputStream

        return OutputStream(self, code, self._cell_limits(code, limits))

    def queue(self, withhold: "Withhold | None" = None) -> "CellQueue":
        """Cells that are handed in without waiting for them, up to eight, and told when they have settled.

        Args:
            withhold: asked about each settled cell; True: its result is not given out.
        """
        from .queue import CellQueue

        return CellQueue(self, withhold)

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

    def _new_instance(self, source: "Source", checkpoint: "Checkpoint | None" = None) -> "Instance":
        return Instance(self._image, source, self.limits.memory_bytes, checkpoint or self._checkpoint)

    def _new_source(self) -> "Source":
        if self._deterministic is not None:
            return self._deterministic.source(self._clock_ns)
        return SystemSource() if self._clock_ns is None else SystemSource(self._clock_ns)

    def _new_meter(self, limits: Limits, started: int) -> "Meter":
        script_ns, wall_ns, fuel = int(limits.script_ms * 1e6), int(limits.wall_ms * 1e6), limits.fuel
        if self._deterministic is not None:
            fuel = script_ns * FUEL_PER_NS if fuel is None else fuel
            script_ns = wall_ns
        return Meter(started, script_ns, wall_ns, UNLIMITED_FUEL if fuel is None else fuel)

    def _check_usable(self) -> None:
        if self._generation != _engine.generation:
            raise SessionLost(
                "this session was made before os.fork() and lives in the parent process; make a new one here"
            )
        if self._closed:
            raise SessionClosed("this session is closed")

    def _begin(
        self,
        code: str,
        limits: Limits,
        on_output: "OnOutput | None",
        make_calls: "MakeCalls | None" = None,
        handler: bool = False,
        look: bool = False,
    ) -> "tuple[CellRun, Effect, Instance]":
        """The first effect of a new cell; the turn is held."""
        self._check_usable()
        if self._suspended is not None:
            raise SessionBusy(
                "a cell of this session is suspended: resume() goes on with it, reset() gives it up with all variables"
            )
        self._cells += 1
        output = CellOutput(limits.stdout_bytes, limits.stderr_bytes, limits.console_bytes)
        now = perf_counter_ns()
        meter = self._new_meter(limits, now)
        instance = self._instance
        if instance is None:
            instance = self._instance = self._new_instance(self._new_source())
            self._told_tools, self._seeded = self._base_told, self._base_seeded
        calls = make_calls(self._cells, instance) if make_calls is not None else None
        cell = self._running = CellRun(self._cells, limits, meter, output, calls)
        seed = None
        instance.source.begin_cell(self._cells)
        cell.told, cell.seeded = self._told_tools, self._seeded
        if not self._seeded:
            # Its random generators are still those of the image, or of the session that it is a copy of.
            seed = instance.source.instance_seed()
        instance.begin_cell(meter, output)
        if self._deterministic is not None:
            instance.source.burns(instance.burnt)
        instance.calls = calls
        instance.limit_memory(limits.memory_bytes)
        instance.frame_bytes = most_bytes(limits.value_bytes)
        tools = b""
        capabilities = self._capabilities
        if capabilities is not None:
            capabilities.begin_cell(limits.wall_ms)
            if not self._told_tools:
                tools = capabilities.manifest(self.language)
        if on_output is not None:
            output.follow(on_output, instance.interrupt, meter)
        if self._trace is not None:
            self._trace.cell_begin(cell, code, handler)
        problem = None
        if not code or code.isspace():
            problem = "the cell is empty: there is nothing to run"
        else:
            try:
                typescript = self.language == "typescript"
                start = cell.start(
                    code.encode(), seed, on_output is not None, tools, handler, typescript, look, self._holds
                )
                self._told_tools = self._told_tools or bool(tools)
                self._seeded = True
                return cell, start, instance
            except UnicodeEncodeError:
                problem = "the code holds lone surrogates, which no source text can"
        return cell, cell.refuse("SyntaxError", problem), instance

    def _end(self, cell: CellRun, instance: "Instance") -> "Result":
        """The result of a cell that is over."""
        self._running = None
        if self._deterministic is not None:
            instance.source.burns_no_more(cell.meter.fuel_used)
        if cell.suspended:
            self._keep(cell, instance)
        elif cell.state == "kept" and cell.entry is not None:
            stopped = instance.stop_limit is not None
            if self._copied or not cell.seeded:
                # One that was stopped may not have come to its seed.
                self._seeded = not (cell.seeded or stopped or cell.new_seed is not None)
                self._copied = self._copied and not self._seeded
            cell.entry.clock = instance.source.readings
            # Stopped at an instruction that no replay would find again; or with a longer course than is kept.
            if stopped or not cell.entry.whole or not (cell.calls is None or cell.calls.replayable):
                self._journal.exact = False
            else:
                cell.entry.fuel = cell.meter.fuel_used
                self._journal.add(cell.entry)
        result = cell.result(perf_counter_ns(), instance.stop_limit, instance.layer)
        if self._log is not None and not self._log_pauses and not cell.suspended:
            result = self._write_log(cell, instance, result)
        if self._after_cell is not None:
            remark = self._after_cell()
            if remark:
                cell.remark = f"{cell.remark}; {remark}" if cell.remark else remark
                result = cell.result(perf_counter_ns(), instance.stop_limit, instance.layer)
        if self._trace is not None:
            self._trace.cell_end(cell, result)
        if cell.output.listener_error is not None:
            raise cell.output.listener_error
        return result

    def _write_log(self, cell: CellRun, instance: "Instance", result: "Result") -> "Result":
        assert self._log is not None
        ended = "done" if result.ok else "failed"
        if cell.went_on:
            ended = "resumed"
        elif cell.state != "kept":
            ended = cell.state
        elif result.stop is not None:
            ended = "stopped"
        error = None if result.ok else (result.error_type or "", result.error_message or "")
        try:
            self._log.cell(self, cell, ended, error)
            return result
        except (OSError, ValueError) as fault:
            # The cell has run; what it gave must not be lost over this.
            cell.remark = f"this cell could not be written to the replay log: {fault}"
            return cell.result(perf_counter_ns(), instance.stop_limit, instance.layer)

    def _keep(self, cell: CellRun, instance: "Instance") -> None:
        """Keeps a suspended cell for :meth:`resume`."""
        from .saving import suspended

        self._suspended = suspended(self, cell, instance)

    def _abandon(self, instance: "Instance", cell: CellRun) -> None:
        """After a fault of the host itself: nothing is known about the guest any more, unless it was not entered."""
        self._running = None
        if cell.calls is not None:
            cell.calls.drop()
        if self._trace is not None:
            self._trace.cell_gone(cell, "cell.abandon")
        if cell.entry is None:
            self._told_tools, self._seeded = cell.told, cell.seeded
            return
        with self._gate:
            instance.close()
            self._drop()

    def _undo(self, cell: CellRun, instance: "Instance") -> None:
        """Goes back to the state before a cell that will not be seen to its end."""
        self._running = None
        if cell.calls is not None:
            cell.calls.drop()
        with self._gate:
            if self._instance is instance:
                self._restore(instance, cell)
        if self._trace is not None:
            self._trace.cell_gone(cell, "cell.undo")

    def _save(self, instance: "Instance", cell: CellRun) -> None:
        """Makes sure that the state before the cell that starts now can be had again."""
        if self._journal.due:
            begun = perf_counter_ns()
            self._checkpoint = instance.checkpoint()
            if self._trace is not None:
                self._trace.checkpoint(cell, self._checkpoint, perf_counter_ns() - begun)
            self._journal.clear()
            self._base_told, self._base_seeded = cell.told, cell.seeded

    def _restore(self, broken: "Instance", cell: CellRun) -> None:
        """Puts an instance with the state before the cell into the place of one that cannot be used any more."""
        broken.collect_output()
        broken.close()
        # With the same clock, which would go back otherwise.
        instance = self._new_instance(broken.source)
        capabilities = self._capabilities
        if capabilities is not None and cell.calls is not None:
            capabilities.registered.tools = cell.calls.before
        # The first cell after the checkpoint tells and seeds, if that was not done before.
        some = not self._journal.untouched
        self._told_tools = some or self._base_told
        self._seeded = (some or self._base_seeded) and not self._copied
        if self._journal.replay(instance):
            self._instance = instance
            cell.state = "restored"
        else:
            instance.close()
            self._drop()
            cell.state = "lost"
        if self._trace is not None:
            self._trace.emit("state", cell=cell.number, state=cell.state)

    def _interrupt(self, reason: str) -> None:
        instance = self._instance
        if instance is not None and self._running is not None:
            instance.interrupt(reason)

    def _must_end(self) -> bool:
        """Whether the cell has been asked to stop, or will be as soon as its guest goes on. From any thread."""
        instance = self._instance
        return instance is None or bool(instance.requested or instance.meter.spent(perf_counter_ns()))

    # ---- what it is, for a model ----

    def declarations(self, language: str | None = None, *, form: str = "short", max_chars: int | None = None) -> str:
        """Typed declarations of what code here can call, for a prompt or a type checker: a ``.pyi`` for Python, a
        ``.d.ts`` for JavaScript and TypeScript (``docs/prompt.md``).

        Args:
            language: by default that of the session.
            form: ``"short"``: a line for each tool; ``"full"``: with whole descriptions and every way to call it.
            max_chars: never longer (200,000 by default, at least 200); what is left out is said.

        Raises:
            ValueError: no such language or form, or ``max_chars`` too small.
        """
        from ..declarations import MAX_CHARS, declarations

        held = self._capabilities
        language = language or self.language
        most = MAX_CHARS if max_chars is None else max_chars
        short = ""
        if held is not None and held.helpers:
            from ..helpers import declared, short_forms

            short = declared(language, short_forms(language, held.offered), bool(held.hint))
            # What is cut for its length says so; half a declaration would not be one.
            short = short if len(short) < most // 2 else ""
        text = declarations(
            () if held is None else held.offered.values(), language, form=form, max_chars=most - len(short)
        )
        return text + short

    def instructions(self, *, form: str = "short", max_chars: int | None = None) -> str:
        """Text for a model that will write the cells, in Markdown: rules, limits, who may call what, tools with their
        declarations (``docs/prompt.md``). Made from what this session has; the same for the same session.

        Args:
            form: ``"short"`` or ``"full"``.
            max_chars: never longer (4,000 for short and 24,000 for full by default, at least 2,500). What is left out
                is said.

        Raises:
            ValueError: no such form, or ``max_chars`` too small.
        """
        from ..helpers import short_forms
        from ..instructions import instructions

        held = self._capabilities
        helpers = short_forms(self.language, held.offered) if held is not None and held.helpers else ()
        return instructions(
            self.language, self.limits, held, form=form, max_chars=max_chars, helpers=helpers, holds=self._holds
        )

    # ---- what it holds ----

    def describe(self, *, most: int = 200) -> "list[Variable]":
        """The variables of the session: name, type, size and a short preview of each, in the order in which they were
        made. What the host offers and what the language has by itself is left out, and so are modules.

        The guest answers in a branch that is thrown away, within a second: nothing changes here. On an event loop, use
        a thread (``anyio.to_thread.run_sync``).

        Args:
            most: so many at most, up to 1,000.

        Raises:
            SessionBusy: a cell runs or is suspended.
            SessionClosed, SessionLost, ValueError: misuse.
        """
        from .look import describe

        return describe(self, most)

    def complete(self, code: str, cursor: int | None = None) -> "Completion":
        """Names that may stand at a place in code: variables, builtins and keywords, or attributes behind a dot, for
        front ends with a prompt. No attribute that is computed is asked for. In the same way as :meth:`describe`.

        Args:
            code: the text so far.
            cursor: where; by default its end.

        Raises:
            SessionBusy: a cell runs or is suspended.
            SessionClosed, SessionLost, TypeError, ValueError: misuse.
        """
        from .look import complete

        return complete(self, code, cursor)

    # ---- snapshots, branches, suspended cells ----

    def snapshot(self, *, key: bytes | None = None) -> bytes:
        """The session as bytes: variables, registered tools, and a cell that waits for calls with all that belongs to
        it. :meth:`restore` goes on from it in any process. Nothing changes here. Does not wait.

        Args:
            key: of the HMAC-SHA256 with which it is signed; of 16 bytes or more.

        Raises:
            SessionBusy: guest code runs just now, or waits in the middle of a blocking call.
            SessionClosed, SessionLost: misuse.
        """
        from .saving import snapshot

        made = snapshot(self, key)
        if self._trace is not None:
            self._trace.emit("session.snapshot", bytes=len(made), signed=key is not None)
        return made

    @classmethod
    def restore(cls, data: bytes, *, key: bytes | None = None, reseed: bool = True, **options: "Any") -> "Self":
        """A session from a snapshot. Capabilities, policy, limits and whatever else a session is given come from here
        and not from the snapshot (``docs/state.md``).

        Args:
            data: what :meth:`snapshot` gave.
            key: it must be signed with this key. Without a key, signed or not, nothing that it says about the past is
                trusted: every class that the isolation rules name counts as used.
            reseed: the guest gets new random numbers, since other sessions may come from the same snapshot.
            options: as for the class itself.

        Raises:
            SnapshotError: of another image or language, damaged, not signed as asked for, or larger than the limits
                allow.
        """
        from .saving import restore

        return restore(cls, data, key, reseed, options)

    def fork(self, count: int = 1, *, reseed: bool = True) -> "list[Self]":
        """Sessions that go on from where this one is, each by itself; copy-on-write where nothing was written since the
        image. A call in flight is made once, and each branch gets its answer: a branch of a session whose cell waits
        goes on with :meth:`resume`.

        Args:
            count: how many, at most 10,000.
            reseed: the branches get new random numbers.

        Raises:
            SessionBusy: guest code runs just now, or waits in the middle of a blocking call.
            SessionClosed, SessionLost, ValueError: misuse.
        """
        from .saving import fork

        return fork(self, count, reseed)

    @classmethod
    def from_log(
        cls,
        log: "ReplayLog | str | PathLike[str] | Session",
        /,
        *,
        mode: str = "resume",
        reseed: bool = True,
        **options: "Any",
    ) -> "Self":
        """A session brought to where a replay log ends, by running its cells again (``docs/replay.md``). No
        capability is run: each call gets the answer that it had. What became of each cell is in ``hydration``.

        Args:
            log: a log, or the path of its file. Its cells since the last reset count.
            mode: ``"resume"`` or ``"fork"``: as said; ``"fresh"``: nothing of the log is run. A live session can be
                forked by :meth:`fork` or a snapshot only: given as ``log``, the new one starts fresh, and a note says
                so.
            reseed: once the cells have run, the guest gets new random numbers, since other sessions may come from the
                same log.
            options: as for the class itself. With a ``log`` of its own, what was replayed is written there first.

        Raises:
            ReplayError: the log cannot be read or is of another language.
            OSError: the file cannot be read.
        """
        from ..state.replay import from_log

        return from_log(cls, log, mode, reseed, options)

    @classmethod
    def from_transcript(
        cls,
        messages: "str | bytes | Sequence[Mapping[str, Any]]",
        /,
        *,
        tool: str = "execute",
        reseed: bool = True,
        **options: "Any",
    ) -> "Self":
        """A session brought to where a conversation ends, by running the cells in it again (``docs/transcripts.md``).
        No capability is run: each call gets the answer that it has in the conversation. What became of each cell is in
        ``hydration``.

        Args:
            messages: in the shape of the Anthropic or the OpenAI API, as a list or as JSON text.
            tool: name of the tool that runs a cell.
            reseed: once the cells have run, the guest gets new random numbers.
            options: as for the class itself. With a ``log``, the cells are written there first.

        Raises:
            TranscriptError: no such messages, damaged, or too large.
        """
        from ..transcript import from_transcript

        return from_transcript(cls, messages, tool, reseed, options)

    @property
    def pending_approvals(self) -> "list[ApprovalRequest]":
        """What a suspended cell waits for to be decided; known in the process that suspended it."""
        return (
            []
            if self._suspended is None
            else [one.approval for one in self._suspended.pending if one.approval is not None]
        )

    async def resume(
        self,
        *,
        approvals: "Mapping[str, Allow | Deny] | None" = None,
        limits: Limits | None = None,
        on_output: "OnOutput | None" = None,
    ) -> "Result":
        """Goes on with a cell that is suspended, or that waited when this session was forked or restored; queues like
        :meth:`execute`. The result is that of the whole cell.

        Args:
            approvals: decisions, by the id of the call. What was decided for another input than the call has now
                counts for nothing. Calls without one are asked about again.
            limits: narrower ones than the cell has.
            on_output: told of what is printed from here on.

        Raises:
            LookupError: there is no such cell.
            SessionBusy, SessionClosed, SessionLost, LimitsError: as for :meth:`execute`.
        """
        from .async_driver import resume

        return await resume(self, approvals, limits, on_output)

    def resume_blocking(
        self,
        *,
        approvals: "Mapping[str, Allow | Deny] | None" = None,
        limits: Limits | None = None,
        on_output: "OnOutput | None" = None,
    ) -> "Result":
        """The same as :meth:`resume` without an event loop; raises as :meth:`run` does."""
        from .saving import begin_again, limits_of_suspended

        cell_limits = limits_of_suspended(self, limits)
        make_calls = self._calls_of_blocking(cell_limits)
        return self._run_blocking(cell_limits, lambda: begin_again(self, approvals, cell_limits, on_output, make_calls))

    def _rejoin(self, instance: "Instance", cell: CellRun) -> "Frame":
        from .suspension import run_again

        assert cell.entry is not None
        assert cell.calls is not None
        if not cell.entry.whole:
            raise Broken("the cell's course was too long to be kept, so it cannot be brought back to where it was left")
        if cell.rebuilds:
            if not self._journal.replay(instance):
                raise Broken("the cells before this one went another way than before")
            instance.begin_cell(cell.meter, cell.output)
            instance.limit_memory(cell.memory_bytes)
        return run_again(instance, cell, cell.entry, cell.calls)

    # ---- tools ----

    @property
    def registered_tools(self) -> "list[dict[str, Any]]":
        """Definitions of the tools that guest code has registered: ``name``, ``publicName``, ``description``,
        ``schema``, ``displayName``."""
        capabilities = self._capabilities
        return [] if capabilities is None else [tool.definition for tool in capabilities.registered.tools.values()]

    async def call_tool(
        self, name: str, arguments: "dict[str, Any] | None" = None, *, limits: Limits | None = None
    ) -> "Result":
        """Runs the handler of a tool that guest code has registered, as a cell of its own; queues like
        :meth:`execute`. The program itself calls, so nobody is asked.

        Args:
            name: as it was registered, or its public name.
            arguments: the input, checked against the tool's schema.

        Raises:
            LookupError: there is no such tool.
            ValueError: the arguments do not fit its schema.
            SessionBusy, SessionClosed, SessionLost, LimitsError: as for :meth:`execute`.
        """
        from .async_driver import execute

        source, cell_limits = self._handler_source(name, arguments), self._cell_limits("", limits)
        return await execute(self, source, cell_limits, None, True)

    def call_tool_blocking(
        self, name: str, arguments: "dict[str, Any] | None" = None, *, limits: Limits | None = None
    ) -> "Result":
        """The same as :meth:`call_tool` without an event loop; raises as :meth:`run` does."""
        source, cell_limits = self._handler_source(name, arguments), self._cell_limits("", limits)
        make_calls = self._calls_of_blocking(cell_limits)
        return self._run_blocking(cell_limits, lambda: self._begin(source, cell_limits, None, make_calls, True))

    def _handler_source(self, name: str, arguments: "dict[str, Any] | None") -> str:
        self._check_usable()
        capabilities = self._capabilities
        if capabilities is None:
            raise LookupError(f"there is no registered tool {name!r}")
        return capabilities.handler_source(name, arguments or {})

    def new_boundary(self) -> None:
        """The host's word that something new begins: the isolation latch and what was allowed for good are forgotten.
        ``reset`` does not do that."""
        if self._capabilities is not None:
            self._capabilities.new_boundary()
        if self._trace is not None:
            self._trace.emit("session.boundary")

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
        self._log_reset()

    def _log_reset(self) -> None:
        if self._log is not None:
            self._log.begins_anew("reset")

    def _drop(self) -> None:
        instance, self._instance = self._instance, None
        self._checkpoint = None
        self._journal.clear()
        self._base_told = self._base_seeded = self._copied = False
        self._suspended = None
        if self._capabilities is not None:
            self._capabilities.registered.tools = {}
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
            with self._gate:
                self._drop()
            if self._trace is not None:
                self._trace.ended(self._closed)
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
    with session._gate:
        cell.waits = False
        following = _guest_step(session, instance, cell, effect)
        cell.waits = isinstance(following, Wait)
    return following


def _guest_step(session: Session, instance: "Instance", cell: CellRun, effect: Effect) -> Effect:
    try:
        if isinstance(effect, Start):
            session._save(instance, cell)
            entry = cell.entry = Entry(effect.head, effect.source, instance.source.cell_seed, cell.memory_bytes)
            if cell.calls is not None:
                entry.calls = cell.calls.log
            frame = instance.start(effect.head, effect.source)
        elif isinstance(effect, Rejoin):
            assert cell.entry is not None
            entry = cell.entry
            frame = session._rejoin(instance, cell)
        elif isinstance(effect, Finish):
            return effect
        else:
            assert isinstance(effect, Resume)
            assert cell.entry is not None
            entry = cell.entry
            if effect.stopping is not None:
                instance.note_soft_stop(effect.stopping, perf_counter_ns())
            events = effect.events
            if events is None:
                if cell.calls is not None and cell.calls.held_timer is not None:
                    _let_time_pass(instance, cell.calls)
                events = b"{}" if cell.calls is None else cell.calls.take_events()
            entry.woken(events)
            frame = instance.resume(events)
        entry.status = frame.status
        following = cell.answered(frame)
        if session._deterministic is not None and isinstance(following, Wait):
            following = _wait_in_virtual_time(instance, cell, following)
        if frame.flags & FLAG_FULL and cell.over and _is_full(session, instance):
            instance.stop_limit = instance.layer = None
            raise Broken("what the cell leaves has no room for another one", MEMORY)
    except Broken as broken:
        if cell.entry is not None:
            cell.entry.clock = instance.source.readings
        following = cell.broke(broken)
    if cell.lost:
        session._restore(instance, cell)
    return following


def _wait_in_virtual_time(instance: "Instance", cell: CellRun, wait: Wait) -> Effect:
    """Time stands still while a call is in flight, and else passes at once."""
    calls = cell.calls
    if calls is not None and (calls.has_news() or calls.busy):
        calls.held_timer = wait.nanoseconds
        return Wait(None)
    return wait if wait.nanoseconds is None else cell.waited(instance.pass_time(wait.nanoseconds))


def _let_time_pass(instance: "Instance", calls: "CellCalls") -> None:
    """What a timer was held for has ended: with an answer, which comes first, or without."""
    nanoseconds, calls.held_timer = calls.held_timer, None
    if not calls.has_news():
        assert nanoseconds is not None
        instance.pass_time(nanoseconds)


def _is_full(session: Session, instance: "Instance") -> bool:
    """Whether the guest may be believed that memory has run out: it has grown to the limit of the session."""
    return instance.memory_bytes > session.limits.memory_bytes - _FULL_BYTES


def cell_step(session: Session, instance: "Instance", cell: CellRun, effect: Effect) -> Effect:
    """Does any effect, waiting in the calling thread."""
    if isinstance(effect, Wait):
        return cell.waited(instance.wait_outside(effect.nanoseconds))
    return guest_step(session, instance, cell, effect)


__all__ = ["Finish", "Session", "cell_step", "guest_step"]
