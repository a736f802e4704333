"""asyncio on the loop of loop.c: one loop for the session, and a fresh one for each asyncio.run()."""

import asyncio
import asyncio.base_tasks
import asyncio.coroutines
import asyncio.events
import asyncio.runners
import asyncio.tasks
import errno
import types
import weakref
from asyncio import CancelledError, Future, Task, ensure_future, isfuture

errors = native.errors
_running_loop = asyncio.events._get_running_loop
_set_running_loop = asyncio.events._set_running_loop


def stderr(text, background=False):
    native.write(4 if background else 2, text)


def not_here(what):
    async def refuse(self, *args, **kwargs):
        raise OSError(errno.ENOTSUP, f"{what} are not available in this sandbox")

    return refuse


class EventLoop(native.BaseLoop, asyncio.AbstractEventLoop):
    """Callbacks and timers. Waiting is done by the host."""

    def __init__(self):
        self._generators = weakref.WeakSet()
        self._task_factory = None
        self._exception_handler = None
        self._driven = False
        self._set_hooks(self._generators.add, self._finalize_generator)

    def __repr__(self):
        return f"<EventLoop running={self.is_running()} closed={self.is_closed()}>"

    # ---- futures and tasks

    def create_future(self):
        return Future(loop=self)

    def create_task(self, coro, *, name=None, context=None, **kwargs):
        if self.is_closed():
            raise RuntimeError("Event loop is closed")
        if self._task_factory is None:
            return Task(coro, loop=self, name=name, context=context, **kwargs)
        task = self._task_factory(self, coro, **({} if context is None else {"context": context}), **kwargs)
        if name is not None:
            task.set_name(name)
        return task

    def set_task_factory(self, factory):
        if factory is not None and not callable(factory):
            raise TypeError("task factory must be a callable or None")
        self._task_factory = factory

    def get_task_factory(self):
        return self._task_factory

    # ---- running to an end, outside of a cell that awaits

    def _check_idle(self):
        if self.is_closed():
            raise RuntimeError("Event loop is closed")
        if self.is_running():
            raise RuntimeError("This event loop is already running: write `await ...` instead")
        if _running_loop() is not None:
            raise RuntimeError("Cannot run the event loop while another loop is running: write `await ...` instead")

    def _drive_to(self, future):
        self._driven = True
        try:
            return self._drive(future)
        finally:
            self._driven = False

    def run_forever(self):
        self._check_idle()
        if self._drive_to(None) is None:
            raise native.DeadlockError("the event loop has nothing left to run, and nobody can stop it")

    def run_until_complete(self, future):
        self._check_idle()
        is_new = not isfuture(future)
        future = ensure_future(future, loop=self)
        if is_new:
            future._log_destroy_pending = False
        outcome = self._drive_to(future)
        if outcome is None:
            self._end_deadlock(future)
        elif outcome is False:
            raise RuntimeError("Event loop stopped before Future completed.")
        return future.result()

    def _end_deadlock(self, future):
        message = stuck(future)
        for _ in range(3):
            future.cancel(message)
            if self._drive_to(future):
                break
        if not future.done() or future.cancelled():
            raise native.DeadlockError(message)

    async def shutdown_asyncgens(self):
        for generator in list(self._generators):
            try:
                await generator.aclose()
            except Exception as exc:
                self.call_exception_handler(
                    {
                        "message": f"an error occurred during closing of asynchronous generator {generator!r}",
                        "exception": exc,
                        "asyncgen": generator,
                    }
                )
        self._generators.clear()

    def _finalize_generator(self, generator):
        self._generators.discard(generator)
        if not self.is_closed():
            self.call_soon(self.create_task, generator.aclose())

    # ---- functions that block: run in place, since there are no threads

    def run_in_executor(self, executor, func, *args):
        future = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as exc:
            if isinstance(exc, StopIteration):
                exc = RuntimeError("StopIteration came out of a function run in an executor")
            future.set_exception(exc)
        return future

    def set_default_executor(self, executor):
        pass

    async def shutdown_default_executor(self, timeout=None):
        pass

    # ---- errors

    def get_exception_handler(self):
        return self._exception_handler

    def set_exception_handler(self, handler):
        if handler is not None and not callable(handler):
            raise TypeError(f"A callable object or None is expected, got {handler!r}")
        self._exception_handler = handler

    def default_exception_handler(self, context):
        if type(context.get("exception")) is native.Stopped:
            return  # told with the result
        lines = [context.get("message") or "Unhandled exception in event loop"]
        for key in sorted(context):
            if key not in ("message", "exception", "source_traceback", "handle_traceback"):
                lines.append(f"{key}: {errors.safe_string(context[key], key, repr)}")
        if context.get("exception") is not None:
            lines.append(errors.text_of(context["exception"]))
        stderr("\n".join(lines) + "\n")

    def call_exception_handler(self, context):
        if self._exception_handler is None:
            self.default_exception_handler(context)
            return
        try:
            self._exception_handler(self, context)
        except Exception as exc:
            self.default_exception_handler({"message": "Unhandled error in exception handler", "exception": exc})

    def _callback_failed(self, handle, exc):
        self.call_exception_handler({"message": f"Exception in callback {handle!r}", "exception": exc})

    # ---- what is not there

    getaddrinfo = getnameinfo = create_connection = create_server = not_here("sockets")
    create_unix_connection = create_unix_server = create_datagram_endpoint = start_tls = sendfile = not_here("sockets")
    sock_recv = sock_recv_into = sock_sendall = sock_connect = sock_accept = sock_sendfile = not_here("sockets")
    connect_read_pipe = connect_write_pipe = not_here("pipes")
    subprocess_exec = subprocess_shell = not_here("processes")


class SessionLoop(EventLoop):
    """The loop of the session, which no cell can end."""

    def close(self):
        if self.is_running():
            raise RuntimeError("Cannot close a running event loop")

    def stop(self):
        if self._driven:
            super().stop()


for cls in (EventLoop, SessionLoop):
    cls.__module__, cls.__qualname__, cls.__name__ = "asyncio", "EventLoop", "EventLoop"

session = SessionLoop()
native.set_session(session)


class Policy(asyncio.AbstractEventLoopPolicy):
    """Whoever asks for a loop while none runs gets that of the session, unless he has set one that still works."""

    def __init__(self):
        self._loop = None

    def get_event_loop(self):
        return session if self._loop is None or self._loop.is_closed() else self._loop

    def set_event_loop(self, loop):
        if loop is not None and not isinstance(loop, asyncio.AbstractEventLoop):
            raise TypeError(f"loop must be an instance of AbstractEventLoop or None, not '{type(loop).__name__}'")
        self._loop = loop

    def new_event_loop(self):
        return EventLoop()


asyncio.set_event_loop_policy(Policy())
asyncio.EventLoop = asyncio.SelectorEventLoop = EventLoop
asyncio.DefaultEventLoopPolicy = Policy


# ---- asyncio.run inside a cell that awaits --------------------------------------------------------------------------


def _beside_the_session(original):
    """In a cell that awaits the loop of the session runs, which does not make asyncio.run() a mistake of the cell."""

    def run(*args, **kwargs):
        if _running_loop() is not session:
            return original(*args, **kwargs)
        _set_running_loop(None)
        try:
            return original(*args, **kwargs)
        finally:
            _set_running_loop(session)

    run.__name__, run.__qualname__, run.__doc__ = original.__name__, original.__qualname__, original.__doc__
    run.__module__ = original.__module__
    return run


asyncio.run = asyncio.runners.run = _beside_the_session(asyncio.runners.run)
for name in ("run", "close"):
    setattr(asyncio.Runner, name, _beside_the_session(getattr(asyncio.Runner, name)))


def create_task(coro, *, name=None, context=None):
    """In a cell that does not await the task begins to run in the next one that does."""
    loop = _running_loop() or session
    return loop.create_task(coro, name=name, context=context)


create_task.__module__ = "asyncio.tasks"
asyncio.create_task = asyncio.tasks.create_task = create_task


# ---- what a task waits for --------------------------------------------------------------------------------------------


def _where(coro):
    """Name and place of the innermost coroutine that waits."""
    name = place = None
    for _ in range(100):
        frame = getattr(coro, "cr_frame", None) or getattr(coro, "ag_frame", None) or getattr(coro, "gi_frame", None)
        if frame is not None:
            code = frame.f_code
            if code.co_name != "<module>":
                name = code.co_qualname
            if native.sources.cell_number(code.co_filename) is not None:
                place = f"{code.co_filename[1:-1]}, line {frame.f_lineno}"
        following = getattr(coro, "cr_await", None) or getattr(coro, "ag_await", None) or getattr(coro, "gi_yieldfrom", None)
        if following is None:
            break
        coro = following
    return name, place


def _next_waiter(task):
    """The task that this one waits for, if it is a task."""
    future = getattr(task, "_fut_waiter", None)
    children = getattr(future, "_children", None) or ()  # of gather()
    for child in (future, *children):
        if isinstance(child, Task) and not child.done():
            return child
    return None


def stuck(task):
    waiter = task
    for _ in range(100):
        following = _next_waiter(waiter)
        if following is None:
            break
        waiter = following
    name, place = _where(waiter.get_coro()) if isinstance(waiter, Task) else (None, None)
    what = f"`{name[:200]}`" if name else "a future"
    if place:
        what += f" ({place})"
    if waiter is not task:
        what += f" in task {str(waiter.get_name())[:60]}"
    return f"waiting for {what}, and nothing is left that could end the wait: no timer, no call, no other task"


native.bind("stuck", stuck)


# ---- tasks at the end of a cell -------------------------------------------------------------------------------------------

_tasks = asyncio.tasks._scheduled_tasks.data  # weak references
_held = set()  # those of tasks that earlier cells have left


def _step_type():
    """The type of what a task gives to its loop."""
    taken = []

    class Taker(EventLoop):
        def call_soon(self, callback, *args, context=None):
            taken.append(callback)

    async def nothing():
        pass

    coro = nothing()
    task = Task(coro, loop=Taker(), name="none")
    task._log_destroy_pending = False
    coro.close()
    _tasks.discard(weakref.ref(task))
    return type(taken[0])


native.set_tasks(_tasks, _held, Task, _step_type())


def _short(name):
    return str.__str__(name)[:60]  # also of a str of the guest's own type


def _callback_name(callback):
    if type(callback) is types.MethodType:
        callback = callback.__func__
    if type(callback) is types.FunctionType:
        return _short(callback.__code__.co_qualname)
    if type(callback) is types.BuiltinFunctionType:
        return _short(callback.__name__)
    return _short(native.type_name(type(callback), False))


def _goes_on(count, what, names):
    one = count == 1
    return (
        f"{count} {what[0] if one else what[1]}: {', '.join(names[:5])}{', ...' if count > 5 else ''}; "
        f"{'it goes' if one else 'they go'} on when a later cell awaits"
    )


def aftermath():
    running, left, notes = [], [], []
    for reference in list(_tasks):
        task = reference()
        if task is None or type(task) is not Task or task.get_loop() is not session:
            continue
        if not task.done():
            running.append(_short(task.get_name()))
            left.append(reference)
        elif task._log_traceback:
            task._log_traceback = False
            if type(task._exception) is not native.Stopped:
                stderr(
                    f"Task {task.get_name()} failed, and nothing has awaited it so far:\n{errors.text_of(task._exception)}\n",
                    reference in _held,
                )
    _held.clear()
    _held.update(left)
    if running:
        notes.append(_goes_on(len(running), ("task is still running", "tasks are still running"), sorted(running)))
    count, some = native.callbacks_left()
    if count:
        names = [_callback_name(callback) for callback in some]
        notes.append(_goes_on(count, ("callback is still in the event loop", "callbacks are still in the event loop"), names))
    return notes


native.bind("aftermath", aftermath)
