"""Runs other programs: output into a log, nothing left behind when the build is stopped."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from report import BuildError

TAIL_LINES = 25

_children: set[subprocess.Popen[bytes]] = set()
_children_lock = threading.Lock()


class CommandFailed(BuildError):
    pass


def _die_with_parent() -> Callable[[], None] | None:
    """On Linux a child also ends when this process is killed outright."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        prctl = libc.prctl
    except (OSError, AttributeError):
        return None
    pr_set_pdeathsig = 1

    def set_it() -> None:
        prctl(pr_set_pdeathsig, int(signal.SIGKILL), 0, 0, 0)

    return set_it


def run(
    argv: Sequence[str | Path],
    *,
    log: Path,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float | None = None,
) -> None:
    """Runs argv to its end with its output appended to log. Raises CommandFailed with the last lines of the log."""
    words = [str(word) for word in argv]
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as out:
        out.write(("$ " + " ".join(words) + "\n").encode())
        out.flush()
        try:
            child = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                cwd=cwd,
                env=None if env is None else dict(env),
                start_new_session=True,
                preexec_fn=_die_with_parent(),
            )
        except OSError as error:
            raise CommandFailed(f"cannot run {words[0]}: {error.strerror}") from error
        with _children_lock:
            _children.add(child)
        try:
            status = child.wait(timeout)
        except BaseException as error:
            _end_group(child)
            if isinstance(error, subprocess.TimeoutExpired):
                raise CommandFailed(f"{words[0]} gave no answer within {timeout:.0f} s") from None
            raise
        finally:
            with _children_lock:
                _children.discard(child)
    if status != 0:
        how = f"status {status}" if status > 0 else f"signal {-status}"
        raise CommandFailed(f"{Path(words[0]).name} ended with {how}\n{tail(log)}")


def end_all() -> None:
    """Ends what runs now, in whatever thread it was started."""
    with _children_lock:
        children = list(_children)
    for child in children:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGTERM)


def _end_group(child: subprocess.Popen[bytes]) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, number)
        try:
            child.wait(2.0)
            return
        except subprocess.TimeoutExpired:
            continue


def tail(log: Path, lines: int = TAIL_LINES) -> str:
    """The end of a log, indented, with the path of the whole of it."""
    try:
        text = log.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    rows = text.splitlines()[-lines:]
    return "\n".join(f"    | {row[:400]}" for row in rows) + f"\n  the whole log: {log}"
