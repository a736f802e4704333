"""Runs one command and, whatever becomes of it, ends everything that it started. A program of its own, which
``shell`` starts: as the reaper of all orphans below it (Linux) it is the parent of whatever the command leaves behind,
also of what has made itself a session of its own.

Arguments: descriptor to report to, most processes, most bytes of a file (0: any), variables that the command does not
get (with commas), program, its arguments. Standard input is a pipe whose other end the host holds: when that is closed,
also by the host's death, everything is ended. Reports the command's process id, and at the end ``<exit code or minus
the signal> <processes ended at the end> <those that could not be ended> <why: - or processes>``. Imports nothing of the
package: it must start fast, and run without it.
"""

import os
import resource
import select
import signal
import sys
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_PR_SET_CHILD_SUBREAPER = 36
_LINUX = sys.platform == "linux"
# How often to look for too many processes, in seconds; at all of them seldom, or when there are many more than before.
_LOOK_EVERY, _LOOK_AT_ALL_EVERY = 0.02, 0.5
_END_SECONDS = 8.0
# How far above what the user has now the system's own limit is set: others of the same user go on making processes.
_SPARE_PROCESSES = 1_000


def main(arguments: "Sequence[str]") -> None:
    report, most, file_bytes = int(arguments[0]), int(arguments[1]), int(arguments[2])
    os.set_inheritable(report, False)
    if _LINUX:
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    os.set_blocking(wake_read, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    before = _count_all()
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    try:
        # Among thousands of processes that only fork, this one must get its turn. Only root may.
        os.setpriority(os.PRIO_PROCESS, 0, -20)
    except OSError:
        pass
    child = os.fork()
    if child == 0:
        os.setpriority(os.PRIO_PROCESS, 0, nice)
        if before:
            _limit(resource.RLIMIT_NPROC, before + most + _SPARE_PROCESSES)
        _become(arguments[4:], file_bytes, arguments[3].split(","))
    os.write(report, f"{child} ".encode())
    # The command's pipes are not ours: they end with it.
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    status, why = _watch(child, most, before, wake_read)
    ended, left, late = _end_all(child)
    if status is None:
        status = late
    os.write(report, f"{-signal.SIGKILL if status is None else status} {ended} {left} {why}\n".encode())


def _become(program: "Sequence[str]", file_bytes: int, dropped: "Sequence[str]") -> None:
    """The child turns into the command."""
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        _limit(resource.RLIMIT_CORE, 0)
        if file_bytes:
            _limit(resource.RLIMIT_FSIZE, file_bytes)
        # What Python ignores, what the host was started to ignore (nohup), and what its thread had blocked.
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            if signal.getsignal(number) is signal.SIG_IGN or number == signal.SIGINT:
                signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        env = {name: value for name, value in os.environb.items() if os.fsdecode(name) not in dropped}
        os.execve(program[0], list(program), env)
    except BaseException:
        os.write(2, b"the shell could not be started\n")
    finally:
        os._exit(127)


def _limit(which: int, most: int) -> None:
    _, hard = resource.getrlimit(which)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(which, (most, most))


def _watch(child: int, most: int, before: int, wake: int) -> "tuple[int | None, str]":
    """Until the command ends (its status), the host lets go, or there are too many processes."""
    look_at_all = 0.0
    while True:
        for pid, status in _reaped():
            if pid == child:
                return status, "-"
        if monotonic() >= look_at_all or _count_all() > before + most:
            if len(_below()) > most:
                # At once, before anything else is looked at: what forks fastest is mostly one group.
                _kill_group(child)
                return None, "processes"
            before = max(before, _count_all() - most // 2)
            look_at_all = monotonic() + _LOOK_AT_ALL_EVERY
        ready, _, _ = select.select([0, wake], [], [], _LOOK_EVERY if before else None)
        if 0 in ready:
            return None, "-"
        if wake in ready:
            os.read(wake, 4096)


def _count_all() -> int:
    """Processes and threads of the machine, which costs nothing to ask; 0 where it cannot be asked."""
    try:
        with open("/proc/loadavg", "rb", buffering=0) as file:
            return int(file.read().split()[3].partition(b"/")[2])
    except (OSError, ValueError, IndexError):
        return 0


def _reaped() -> "list[tuple[int, int]]":
    """Children that have ended, with their exit codes, or minus the signal."""
    found: list[tuple[int, int]] = []
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return found
        if pid == 0:
            return found
        found.append((pid, os.waitstatus_to_exitcode(status)))


def _end_all(child: int) -> "tuple[int, int, int | None]":
    """Ends every process below this one: how many there were, how many are still there, and the exit code of the child
    if it is one of them. By groups, as those that fork as fast as they can are ended only together."""
    seen: set[int] = set()
    code: int | None = None
    until = monotonic() + _END_SECONDS
    while True:
        for pid, status in _reaped():
            if pid == child:
                code = status
        below = _below()
        if not seen:  # where nobody can look, its own group at least
            _kill_group(child)
        seen |= below.keys()
        if not below or monotonic() > until:
            break
        for group in set(below.values()):
            _kill_group(group)
        for pid in below:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        select.select([], [], [], 0.005)
    for pid, status in _reaped():
        if pid == child:
            code = status
    seen.discard(child)
    return len(seen), len(below), code


def _kill_group(group: int) -> None:
    if group > 1 and group != os.getpgrp():
        try:
            os.killpg(group, signal.SIGKILL)
        except OSError:
            pass


def _below() -> "dict[int, int]":
    """Every living process that comes from this one, with its group. Nothing where there is no /proc."""
    children: dict[int, list[tuple[int, int]]] = {}
    if not _LINUX:
        return {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb", buffering=0) as file:
                # After the name, which may hold anything.
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue
        if len(fields) > 2 and fields[0] not in (b"Z", b"X"):
            children.setdefault(int(fields[1]), []).append((int(name), int(fields[2])))
    found: dict[int, int] = {}
    todo = [os.getpid()]
    while todo:
        for pid, group in children.get(todo.pop(), ()):
            found[pid] = group
            todo.append(pid)
    return found


if __name__ == "__main__":
    main(sys.argv[1:])
