"""Hooks that are programs of the system: a call as JSON on their standard input, an answer as JSON on their output
(``docs/hooks.md``). Configured by the embedding program alone."""

import json
import os
import selectors
import signal
import subprocess
from base64 import b64decode
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from time import monotonic
from typing import Any

from ..errors import CapabilityDefinitionError
from ..protocol.json_text import clean, dumps, jsonable_or_text
from ..protocol.values import MAX_INTEGER_BITS, TAG, BigInt
from .approval import printable
from .hooks import FAILURE, POST, PRE, HookCall, HookResult
from .policy import Allow, Ask, Decision, Deny

VERSION = 1
MAX_REPLY = 1 << 20
_MAX_STDERR = 4_096
_MAX_NOTE = 2_000
_EVENTS = (PRE, POST, FAILURE)
# Where the end of a process cannot be waited for together with its output, it is looked for so often, in seconds.
_LOOK = 0.02


class CommandHook:
    """A hook that is a program. Immutable; may stand in ``pre``, ``post`` and ``failure`` of :class:`Hooks`, and be
    shared by sessions. It runs in a worker thread; a call that is cancelled meanwhile does not end it, its own time
    does.

    What does not answer as ``docs/hooks.md`` says fails closed: an exit code other than 0, no JSON, an unknown key,
    more than 1 MiB, or no answer in time deny the call, or withhold its result. When the program ends, or is ended,
    the processes of its group are killed.

    Args:
        argv: program and arguments; there is no shell. The program is an absolute path.
        timeout: seconds; not more than that of :class:`Hooks`.
        env: its whole environment; empty by default.
        cwd: its working folder.
        events: what it is asked about, of ``pre``, ``post`` and ``failure``; for others it has no opinion.
        names: shell patterns of capabilities that it is asked about.

    Raises:
        CapabilityDefinitionError: not an absolute path of a program, or a setting that makes no sense.
    """

    def __init__(
        self,
        argv: Sequence[str | os.PathLike[str]],
        *,
        timeout: float = 5.0,
        env: Mapping[str, str] | None = None,
        cwd: str | os.PathLike[str] = "/",
        events: Sequence[str] = _EVENTS,
        names: Sequence[str] = ("*",),
    ) -> None:
        if os.name != "posix":
            raise CapabilityDefinitionError("a command as a hook needs a POSIX system")
        if isinstance(argv, (str, bytes)) or not argv:
            raise CapabilityDefinitionError("argv is a list: the program and its arguments; there is no shell")
        self.argv: tuple[str, ...] = tuple(os.fspath(one) for one in argv)
        program = self.argv[0]
        if not os.path.isabs(program):
            raise CapabilityDefinitionError(f"the program of a hook is an absolute path, not {program!r}")
        if not os.path.isfile(program) or not os.access(program, os.X_OK):
            raise CapabilityDefinitionError(f"the program of a hook is not there, or cannot be executed: {program!r}")
        if not 0 < timeout <= 600:
            raise CapabilityDefinitionError(f"timeout is a number of seconds in (0, 600], not {timeout!r}")
        if isinstance(events, str) or not set(events) <= set(_EVENTS):
            raise CapabilityDefinitionError(f"events is a list of {', '.join(_EVENTS)}, not {events!r}")
        if isinstance(names, str):
            raise CapabilityDefinitionError(f"names is a list of patterns: [{names!r}]")
        self.timeout: float = timeout
        self.env: dict[str, str] = dict(env or {})
        self.cwd: str = os.fspath(cwd)
        self.events: tuple[str, ...] = tuple(events)
        self.names: tuple[str, ...] = tuple(names)

    def __call__(self, call: HookCall) -> HookResult | None:
        if call.event not in self.events or not any(fnmatchcase(call.name, name) for name in self.names):
            return None
        try:
            ran = _run(self.argv, _question(call), self.timeout, self.env, self.cwd)
            ran.check(self.timeout)
            return _answer(ran.reply(), call.event, ran.note())
        except _Failed as failed:
            return _closed(call.event, f"a hook command {failed}", failed.note)
        except OSError as error:
            return _closed(call.event, f"a hook command could not be started: {error.strerror}", "")

    def __repr__(self) -> str:
        return f"CommandHook({list(self.argv)!r})"


class _Failed(Exception):
    """It did not answer as it should; the text goes on from "a hook command"."""

    def __init__(self, what: str, note: str = "") -> None:
        super().__init__(what)
        self.note: str = note


def _closed(event: str, reason: str, note: str) -> HookResult:
    if event == FAILURE:  # the call has failed already
        return HookResult(note="; ".join(filter(None, (reason, note))))
    return HookResult(decision=Deny(reason), note=note)


def _question(call: HookCall) -> bytes:
    asked: dict[str, Any] = {"version": VERSION, "event": call.event, "id": call.id, "name": call.name}
    asked["input"] = jsonable_or_text(call.input)
    if call.event == POST:
        asked["result"] = jsonable_or_text(call.result)
    if call.event == FAILURE:
        asked["error"] = {"type": clean(call.error_type), "message": clean(call.error_message)}
    return dumps(asked).encode() + b"\n"


# ---- the answer ----------------------------------------------------------------------------------------------------

_KEYS = {
    PRE: {"decision", "reason", "input", "note"},
    POST: {"decision", "reason", "result", "note"},
    FAILURE: {"note"},
}
_DECISIONS: dict[str, tuple[str, ...]] = {PRE: ("allow", "ask", "deny"), POST: ("deny",)}


def _answer(reply: Any, event: str, note: str) -> HookResult:
    if type(reply) is not dict:
        raise _Failed("did not answer with a JSON object", note)
    unknown = sorted(reply.keys() - _KEYS[event])
    if unknown:
        raise _Failed(f"answered with a key that a {event}-hook does not have: {printable(unknown[0][:60])!r}", note)
    for key in ("reason", "note"):
        if type(reply.get(key, "")) is not str:
            raise _Failed(f"answered with {key!r} that is no text", note)
    told = printable(reply.get("note", "")[:_MAX_NOTE])
    note = "; ".join(filter(None, (told, note)))
    decision: Decision | None = None
    if "decision" in reply:
        word, reason = reply["decision"], printable(reply.get("reason", "")[:_MAX_NOTE])
        if type(word) is not str or word not in _DECISIONS[event]:
            raise _Failed(f"answered with a decision other than {' and '.join(_DECISIONS[event])}", note)
        decision = Deny(reason or "a hook command denied it") if word == "deny" else Ask() if word == "ask" else Allow()
    elif "reason" in reply:
        raise _Failed("answered with a reason and no decision", note)
    changed: dict[str, Any] = {}
    for key in ("input", "result"):
        if key in reply:
            try:
                changed[key] = _value(reply[key])
            except (ValueError, KeyError, TypeError) as error:
                raise _Failed(
                    f"answered with {key!r} that cannot be read: {printable(str(error)[:100])}", note
                ) from None
    if type(changed.get("input", {})) is not dict:
        raise _Failed("answered with 'input' that is no object", note)
    return HookResult(decision=decision, note=note, **changed)


def _value(value: Any) -> Any:
    """A value from JSON as ``docs/values.md`` writes it; of the tagged ones those that arguments have."""
    if type(value) is list:
        return [_value(item) for item in value]
    if type(value) is not dict:
        return value
    if TAG not in value:
        return {key: _value(item) for key, item in value.items()}
    kind, inner = value[TAG], value["v"]
    if kind == "object" and type(inner) is dict:
        return {key: _value(item) for key, item in inner.items()}
    if kind in ("bytes", "bytearray"):
        return b64decode(inner, validate=True)
    if kind in ("int", "bigint"):
        if len(inner) > MAX_INTEGER_BITS // 400:  # reading decimal digits takes quadratic time
            raise ValueError("a number is too long")
        return int(inner) if kind == "int" else BigInt(inner)
    if kind == "float" and inner in ("NaN", "Infinity", "-Infinity", "-0"):
        return float(inner)
    if kind == "str":
        units = b"".join(unit.to_bytes(2, "little") for unit in inner)
        return units.decode("utf-16-le", "surrogatepass")
    raise ValueError(f"a value of kind {str(kind)[:40]}")


def _no_constant(word: str) -> Any:
    raise ValueError(word)


# ---- the process ---------------------------------------------------------------------------------------------------


class _Ran:
    """How a process came out."""

    def __init__(self) -> None:
        self.code: int | None = None  # None: it was ended
        self.out: bytearray = bytearray()
        self.err: bytearray = bytearray()
        self.too_much: bool = False

    def note(self) -> str:
        if not self.err:
            return ""
        text = self.err[:_MAX_STDERR].decode("utf-8", "replace").rstrip()
        cut = " [cut here]" if len(self.err) > _MAX_STDERR else ""
        return f"stderr: {printable(text)}{cut}"

    def check(self, timeout: float) -> None:
        if self.too_much:
            raise _Failed(f"wrote more than {MAX_REPLY} bytes", self.note())
        if self.code is None:
            raise _Failed(f"did not answer within {timeout:g} s", self.note())
        if self.code < 0:
            raise _Failed(f"was ended by signal {-self.code}", self.note())
        if self.code != 0:
            raise _Failed(f"ended with exit code {self.code}", self.note())

    def reply(self) -> Any:
        try:
            return json.loads(self.out.decode("utf-8"), parse_constant=_no_constant)
        except (ValueError, RecursionError):
            raise _Failed("did not answer in JSON", self.note()) from None


def _run(argv: Sequence[str], question: bytes, timeout: float, env: dict[str, str], cwd: str) -> _Ran:
    deadline = monotonic() + timeout
    ran = _Ran()
    process = subprocess.Popen(
        argv,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env=env,
        start_new_session=True,  # a process group of its own, and no terminal
    )
    ended = False
    try:
        with _Pipes(process, question, ran) as pipes:
            while not ended and not ran.too_much:
                left = deadline - monotonic()
                if left <= 0:
                    break
                ended = pipes.step(left)
            if ended:
                pipes.drain()
    finally:
        # Before it is reaped: its id is that of the group, and could be another's afterwards.
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except OSError:
            pass
        code = process.wait()
    if ended:
        ran.code = code
    return ran


class _Pipes:
    """Input and output of a process, and its end."""

    def __init__(self, process: "subprocess.Popen[bytes]", question: bytes, ran: _Ran) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._process = process
        self._ran = ran
        self._left = memoryview(question)
        self._files = (process.stdin, process.stdout, process.stderr)
        self._selector = selectors.DefaultSelector()
        for file in self._files:
            os.set_blocking(file.fileno(), False)
        self._selector.register(process.stdin, selectors.EVENT_WRITE, self._write)
        self._selector.register(process.stdout, selectors.EVENT_READ, self._read_out)
        self._selector.register(process.stderr, selectors.EVENT_READ, self._read_err)
        self._pidfd = -1
        try:
            self._pidfd = os.pidfd_open(process.pid)
        except (AttributeError, OSError):
            return  # not Linux, or too old a one
        self._selector.register(self._pidfd, selectors.EVENT_READ)

    def __enter__(self) -> "_Pipes":
        return self

    def __exit__(self, *failure: object) -> None:
        self._selector.close()
        for file in self._files:
            try:
                file.close()
            except OSError:
                pass
        if self._pidfd >= 0:
            os.close(self._pidfd)

    def step(self, seconds: float) -> bool:
        """Waits for something to happen and does it. True: the process has ended, and was not reaped."""
        ended = False
        for key, _ in self._selector.select(seconds if self._pidfd >= 0 else min(seconds, _LOOK)):
            if key.data is None:
                ended = True
            else:
                key.data()
        return ended or (self._pidfd < 0 and self._has_ended())

    def _has_ended(self) -> bool:
        if hasattr(os, "waitid"):
            return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        return self._process.poll() is not None

    def drain(self) -> None:
        """Reads what is there. Processes that it has left behind may hold the pipes open: nobody waits for them."""
        while self._read_out() and not self._ran.too_much:
            pass
        while self._read_err() and len(self._ran.err) <= _MAX_STDERR:
            pass

    def _write(self) -> None:
        file = self._files[0]
        try:
            self._left = self._left[os.write(file.fileno(), self._left) :]
        except BlockingIOError:
            return
        except OSError:  # it does not want to read on
            self._left = self._left[:0]
        if not self._left:
            self._selector.unregister(file)
            file.close()

    def _read_out(self) -> bool:
        more = self._read(1, self._ran.out)
        if len(self._ran.out) > MAX_REPLY:
            self._ran.too_much = True
        return more

    def _read_err(self) -> bool:
        err = self._ran.err
        more = self._read(2, err)
        del err[_MAX_STDERR + 1 :]  # read on, so that it is not held up
        return more

    def _read(self, which: int, into: bytearray) -> bool:
        """Whether there may be more at once."""
        file = self._files[which]
        if file.closed:
            return False
        try:
            data = os.read(file.fileno(), 65_536)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if not data:
            self._selector.unregister(file)
            file.close()
            return False
        into += data
        return True
