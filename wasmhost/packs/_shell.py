"""``shell()``: Bash, for commands of the guest on the host itself."""

import math
import os
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Mapping
from threading import Event, Lock
from time import monotonic
from typing import Annotated

import anyio
import anyio.to_thread
from pydantic import AfterValidator
from typing_extensions import TypedDict  # pydantic takes that of typing only from Python 3.12 on

from ..capabilities.capability import Capability
from ..errors import CapabilityError, WasmhostError
from ..session.output import Stream
from .pack import Pack
from .tree import canonical, parts_of, shown

_BLOCK = 65_536
# Both streams together: a command that writes more is a flood, and is stopped.
MAX_OUTPUT = 64 << 20
# How long the end of everything is waited for, once it was asked for; and for output, once everything is ended.
_END_SECONDS, _DRAIN_SECONDS = 10.0, 1.0
# The capability's own timeout comes this much later than that of the command, so that its result can still be given.
_MARGIN = 5.0
_COMMAND_BYTES = 100_000
# What Python itself may need to start, and the command must not get.
_LOADER = tuple(name for name in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH") if name in os.environ)
_SUPERVISOR = os.path.join(os.path.dirname(__file__), "supervisor.py")


class Ran(TypedDict):
    stdout: str
    stderr: str
    exit_code: int
    timed_out: bool


def shell(
    cwd: str | os.PathLike[str] | None = None,
    *,
    env: Mapping[str, str] | None = None,
    timeout: float = 120,
    output_bytes: int = 262_144,
    processes: int = 256,
    file_bytes: int | None = 1 << 30,
    program: str | None = None,
) -> Pack:
    """The capability ``Bash``: runs a command on the host, **with all the rights of this process's user**. It is no
    sandbox (``docs/packs.md``); no session has it unless it is given.

    A command has no input, runs in a session of its own, and everything that it has started is killed when it ends, at
    its time-out, when the call is cancelled, and when the host process dies.

    Args:
        cwd: the working folder; by default a temporary one, removed when the pack is dropped or the program ends.
        env: environment variables, beside ``PATH``, ``HOME`` (the working folder), ``LANG`` and ``TERM``, which they
            may replace. Nothing of the host's environment is there.
        timeout: seconds that a command has, and the most that a call can ask for.
        output_bytes: how much is kept of each of stdout and stderr: its beginning and its end.
        processes: how many processes a command may have at a time; more, and all are killed. Looked at ten times a
            second, on Linux.
        file_bytes: the largest file that a process may write; None: no limit.
        program: the shell, an absolute path; by default ``/bin/bash`` or ``/bin/sh``.

    Raises:
        OSError: there is no such folder.
        ValueError: a limit that is not above 0, or a program that is not an absolute path.
        WasmhostError: no POSIX system, or a frozen program that has no Python to run the supervisor with.
    """
    if os.name != "posix" or not sys.executable or getattr(sys, "frozen", False):
        raise WasmhostError("shell needs a POSIX system, and the Python executable that runs this program")
    limits = {"output_bytes": output_bytes, "processes": processes, "timeout": timeout, "file_bytes": file_bytes}
    for name, limit in limits.items():
        if limit is not None and not 0 < limit < math.inf:
            raise ValueError(f"shell: {name} is a number above 0, not {limit!r}")
    if program is None:
        program = next((path for path in ("/bin/bash", "/usr/bin/bash") if os.path.exists(path)), "/bin/sh")
    if not os.path.isabs(program):
        raise ValueError(f"shell: program is an absolute path, not {program!r}")
    made = _Shell(cwd, env or {}, timeout, output_bytes, processes, file_bytes or 0, program)
    capability = Capability.of(made.Bash, timeout=timeout + _MARGIN, concurrency=8)
    guide = [
        "Bash runs on the host, in its working folder, without input. What a command leaves running is killed when it "
        f"ends. A command has {timeout:g} s.",
    ]
    return Pack("shell", [capability], guide)


class _Shell:
    def __init__(
        self,
        cwd: str | os.PathLike[str] | None,
        env: Mapping[str, str],
        timeout: float,
        output_bytes: int,
        processes: int,
        file_bytes: int,
        program: str,
    ) -> None:
        if cwd is None:
            self.cwd: str = tempfile.mkdtemp(prefix="wasmhost-shell-")
            weakref.finalize(self, _remove, self.cwd, os.getpid())
        else:
            self.cwd = os.path.abspath(cwd)
            if not os.path.isdir(self.cwd):
                raise NotADirectoryError(20, "shell: cwd is no folder", self.cwd)
        self.env: dict[str, str] = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": self.cwd,
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            **env,
        }
        self.timeout: float = timeout
        self.output_bytes: int = output_bytes
        self.limits: tuple[int, int] = (processes, file_bytes)
        flags = ("--noprofile", "--norc") if os.path.basename(program) == "bash" else ()
        self.program: tuple[str, ...] = (program, *flags, "-c")

    async def Bash(
        self,
        command: str,
        cwd: Annotated[str, AfterValidator(canonical)] | None = None,
        timeout: float | None = None,
    ) -> Ran:
        """Runs a command in a shell. `cwd` is a folder below the working folder, `timeout` seconds. The exit code is
        minus the signal if one ended the command. What it leaves running is killed."""
        if "\0" in command or len(command.encode()) > _COMMAND_BYTES:
            raise CapabilityError(
                f"command is a text of at most {_COMMAND_BYTES} bytes, without NUL", type="ValueError"
            )
        seconds = self.timeout if timeout is None else timeout
        if not 0 < seconds <= self.timeout:
            raise CapabilityError(
                f"timeout is a number of seconds above 0, at most {self.timeout:g}", type="ValueError"
            )
        folder = os.path.join(self.cwd, *parts_of(cwd or "."))
        job = _Job(self, command, folder, shown(cwd or "."), seconds)
        try:
            # A limiter of its own: a thread for each call, however many the program itself uses.
            return await anyio.to_thread.run_sync(job.run, abandon_on_cancel=True, limiter=anyio.CapacityLimiter(1))
        finally:
            # After a cancellation: when this returns, what the command has started is gone.
            job.stop()
            with anyio.CancelScope(shield=True):
                while not job.ended.is_set():
                    try:
                        await anyio.sleep(0.01)
                    except anyio.get_cancelled_exc_class():
                        pass  # asyncio: cancelled once more, from below the shield; the first time is still on its way


class _Job:
    """One command. :meth:`run` is called once, in a thread; :meth:`stop` from any other."""

    def __init__(self, shell: _Shell, command: str, cwd: str, shown_cwd: str, seconds: float) -> None:
        self.shell: _Shell = shell
        self.command: str = command
        self.cwd: str = cwd
        self.shown_cwd: str = shown_cwd
        self.seconds: float = seconds
        self.streams: dict[str, Stream] = {name: Stream(shell.output_bytes) for name in ("stdout", "stderr")}
        self.ended: Event = Event()
        self._lock = Lock()
        # The writing end of a pipe that wakes the selector up; None before and after the run.
        self._wake: int | None = None
        self._stopped = False
        self._report = b""
        self._notes: list[str] = []
        self._timed_out = False

    def stop(self) -> None:
        """Asks for an early end; :attr:`ended` is set when it has come."""
        with self._lock:
            self._stopped = True
            if self._wake is not None:
                os.write(self._wake, b".")
            else:
                self.ended.set()

    def run(self) -> Ran:
        """Runs the command to its end, and everything that it has started.

        Raises:
            CapabilityError: it could not be started, or was stopped before.
        """
        with self._lock:
            if self._stopped:
                raise CapabilityError("stopped before it started", type="CancelledError")
            woken, self._wake = os.pipe()
        try:
            report, process = self._started()
            try:
                self._attend(process, report, woken)
            finally:
                os.close(report)
                self._finish(process)
            return self._result()
        finally:
            with self._lock:
                os.close(woken)
                os.close(self._wake)
                self._wake = None
                self.ended.set()

    def _started(self) -> tuple[int, "subprocess.Popen[bytes]"]:
        report, report_write = os.pipe()
        processes, file_bytes = self.shell.limits
        loader = {name: os.environ[name] for name in _LOADER}
        dropped = [name for name in loader if name not in self.shell.env]
        arguments = [str(report_write), str(processes), str(file_bytes), ",".join(dropped), *self.shell.program]
        try:
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", _SUPERVISOR, *arguments, self.command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd=self.cwd,
                env={**loader, **self.shell.env},
                pass_fds=(report_write,),
                start_new_session=True,
            )
        except OSError as error:
            os.close(report)
            if isinstance(error, (FileNotFoundError, NotADirectoryError)) and not os.path.isdir(self.cwd):
                raise CapabilityError(f"{self.shown_cwd} is no folder", type="NotADirectoryError") from None
            raise CapabilityError(f"the command could not be started: {error.strerror}", type="OSError") from None
        finally:
            os.close(report_write)
        return report, process

    def _attend(self, process: "subprocess.Popen[bytes]", report: int, woken: int) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        deadline = monotonic() + self.seconds
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ, "stdout")
            selector.register(process.stderr, selectors.EVENT_READ, "stderr")
            selector.register(report, selectors.EVENT_READ, "report")
            selector.register(woken, selectors.EVENT_READ, "stop")
            open_ = 3
            asked = False
            while open_:
                ready = selector.select(max(0.0, deadline - monotonic()))
                late = monotonic() >= deadline
                for key, _ in ready:
                    if key.data == "stop":
                        selector.unregister(key.fileobj)
                        late = True
                    elif not self._take(key.data, os.read(key.fd, _BLOCK)):
                        selector.unregister(key.fileobj)
                        open_ -= 1
                        if key.data == "report":
                            # All are gone; what still holds the pipes has got away from us.
                            asked, deadline = True, monotonic() + _DRAIN_SECONDS
                flood = sum(stream.total for stream in self.streams.values()) > MAX_OUTPUT
                if not asked and (flood or late):
                    # The supervisor ends everything when it sees this; the command may have stopped it.
                    process.stdin.close()
                    process.send_signal(signal.SIGCONT)
                    asked = True
                    if flood:
                        self._notes.append(f"stopped: more than {MAX_OUTPUT} bytes of output")
                    elif monotonic() >= deadline:
                        self._timed_out = True
                        self._notes.append(f"stopped after {self.seconds:g} s")
                    deadline = monotonic() + _END_SECONDS
                elif asked and monotonic() >= deadline:
                    return

    def _finish(self, process: "subprocess.Popen[bytes]") -> None:
        """The supervisor is gone, and its pipes are closed."""
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
        try:
            process.wait(_DRAIN_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if self._report.count(b" ") == 1:
            # It was killed after it had told the command's process id, and could not clean up.
            try:
                os.killpg(int(self._report), signal.SIGKILL)
            except (OSError, ValueError):
                pass

    def _take(self, name: str, data: bytes) -> bool:
        if name == "report":
            self._report += data
        elif self.streams[name].total <= MAX_OUTPUT:
            self.streams[name].write(data)
        return bool(data)

    def _result(self) -> Ran:
        try:
            _, code, ended, left, why = self._report.decode("ascii").split()
            exit_code, was_ended, not_ended = int(code), int(ended), int(left)
        except ValueError:
            # Killed by the command, which runs as the same user.
            exit_code, was_ended, not_ended, why = -9, 0, 0, "-"
            self._notes.append(
                "the supervisor of the command was killed; what it had started in sessions of its own may still run"
            )
        if why == "processes":
            self._notes.append(f"stopped: more than {self.shell.limits[0]} processes")
        elif was_ended and not self._notes:
            self._notes.append(f"{was_ended} left running, and killed")
        if not_ended:
            self._notes.append(f"{not_ended} could not be killed")
        if exit_code < 0 and not self._notes:
            self._notes.append(f"ended by signal {-exit_code} ({_signal_name(-exit_code)})")
        errors = self.streams["stderr"].text()[0]
        for note in self._notes:
            errors += f"{'' if not errors or errors.endswith(chr(10)) else chr(10)}[{note}]\n"
        return {
            "stdout": self.streams["stdout"].text()[0],
            "stderr": errors,
            "exit_code": exit_code,
            "timed_out": self._timed_out,
        }


def _remove(folder: str, made_by: int) -> None:
    """Removes the temporary folder, whatever is in it; not in a forked child, whose folder it is not."""
    if os.getpid() != made_by:
        return
    try:
        shutil.rmtree(folder, ignore_errors=True)
    except RecursionError:
        pass
    if os.path.lexists(folder):
        # Folders nested deeper than Python can follow.
        nothing = subprocess.DEVNULL
        subprocess.run(["rm", "-rf", "--", folder], stdin=nothing, stdout=nothing, stderr=nothing, check=False)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"
