"""Whoever reads what ``wasmhost run`` prints, over real pipes and terminals: slowly, not at all, or no longer."""

import os
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.guests import Guest

fcntl = pytest.importorskip("fcntl")
termios = pytest.importorskip("termios")

COMMAND = str(Path(sys.executable).parent / "wasmhost")
HOURS = ["--timeout", "600000", "--wall", "600000"]
SECONDS = 30
LINE = b"y" * 1000 + b"\n"
# Less than what a pipe holds, so that there is no doubt that it fills up.
FULL = 60_000
GROWTH = 8 << 20


def start(
    guest: Guest, code: str, *words: str, stdout: int = subprocess.PIPE, stderr: int = subprocess.PIPE
) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([COMMAND, "run", "-l", guest.name, *words, "-c", code], stdout=stdout, stderr=stderr)


def flood(guest: Guest, stream: str = "stdout") -> str:
    return str(
        guest.pick(
            python=f"import sys\nwhile True: print('y' * 1000, file=sys.{stream})",
            javascript=f"for (;;) console.{'log' if stream == 'stdout' else 'error'}('y'.repeat(1000))",
        )
    )


def stubborn(guest: Guest) -> str:
    """A flood that does not end when it is asked to."""
    return str(
        guest.pick(
            python="while True:\n  try:\n    while True: print('y' * 1000)\n  except BaseException: pass",
            javascript="for (;;) { try { for (;;) console.log('y'.repeat(1000)) } catch {} finally { continue } }",
        )
    )


def wait_until_full(pipe: int) -> None:
    """Returns when the program has filled the pipe, and waits for its reader."""
    until = time.monotonic() + SECONDS
    while struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0] < FULL:
        assert time.monotonic() < until, "the pipe does not fill up"
        time.sleep(0.01)
    time.sleep(0.2)


def blocked(
    guest: Guest, code: str, *words: str, stream: str = "stdout", stderr: int = subprocess.PIPE
) -> "subprocess.Popen[bytes]":
    """A process that nobody reads, and that therefore waits."""
    process = start(guest, code, *words, stderr=stderr)
    wait_until_full(getattr(process, stream).fileno())
    assert process.poll() is None
    return process


def peak(process: "subprocess.Popen[bytes]") -> int:
    status = Path(f"/proc/{process.pid}/status").read_text()
    return next(int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmHWM:"))


@pytest.mark.spec("D10.1", "B2.2", "C5")
@pytest.mark.parametrize("program", [flood, stubborn])
def test_the_wall_clock_ends_a_cell_that_nobody_reads(guest: Guest, program: Callable[[Guest], str]) -> None:
    process = start(guest, program(guest), "--timeout", "600000", "--wall", "1500")
    # Without having read a byte of it.
    assert process.wait(SECONDS) == 1
    out, err = process.communicate(timeout=SECONDS)
    assert out.startswith(LINE)
    assert set(out) == set(LINE)
    assert err.startswith(b"TimeoutError: wall time of 1500 ms is spent")
    assert b" bytes of output are left out here: nobody read them in time" in err
    assert b"wasmhost/" not in err


@pytest.mark.spec("D10.1", "C4.5")
@pytest.mark.parametrize("program", [flood, stubborn])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_cell_that_nobody_reads(
    guest: Guest, number: signal.Signals, program: Callable[[Guest], str]
) -> None:
    process = blocked(guest, program(guest), *HOURS)
    process.send_signal(number)
    assert process.wait(SECONDS) == (130 if number == signal.SIGINT else -number)
    out, err = process.communicate(timeout=SECONDS)
    assert set(out) == set(LINE)
    assert err == b""


def test_ctrl_c_ends_a_cell_whose_output_and_errors_nobody_reads(guest: Guest) -> None:
    process = blocked(guest, flood(guest), *HOURS, stderr=subprocess.STDOUT)
    process.send_signal(signal.SIGINT)
    assert process.wait(SECONDS) == 130
    process.communicate(timeout=SECONDS)


@pytest.mark.spec("C5")
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_reader_that_stops_and_then_goes_away_ends_it_quietly(guest: Guest, stream: str) -> None:
    process = blocked(guest, flood(guest, stream), *HOURS, stream=stream)
    getattr(process, stream).close()
    setattr(process, stream, None)
    out, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 1
    assert not out
    assert not err


@pytest.mark.spec("D10.1", "C5.1")
@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from /proc")
def test_a_slow_reader_gets_all_of_it_and_the_host_keeps_none(guest: Guest) -> None:
    # Some 8 MB: a hundred times what the pipe holds.
    count = 80_000
    code = guest.pick(
        python=f"for i in range({count}): print(f'{{i:099}}')",
        javascript=f"for (let i = 0; i < {count}; i++) console.log(String(i).padStart(99, '0'))",
    )
    process = start(guest, code, "--timeout", "60000")
    assert process.stdout is not None
    assert process.stderr is not None
    pipe = process.stdout.fileno()
    wait_until_full(pipe)
    before = grown = peak(process)
    got = bytearray()
    while piece := os.read(pipe, 20_000):
        got += piece
        if len(got) < count * 50:
            time.sleep(0.001)
            grown = peak(process)
    assert process.wait(SECONDS) == 0
    assert got == b"".join(b"%099d\n" % number for number in range(count))
    assert process.stderr.read() == b""
    assert grown - before < GROWTH
    process.communicate()


@pytest.mark.spec("C5")
@pytest.mark.parametrize("how", ["ctrl-c", "sigterm", "closed", "read"])
def test_nobody_reads_the_one_line_of_json(guest: Guest, how: str) -> None:
    text = guest.pick(python="'y' * 300_000", javascript="'y'.repeat(300_000)")
    process = blocked(guest, f"{guest.out('printed')}\n{text}", "--json")
    assert process.stdout is not None
    if how == "closed":
        process.stdout.close()
        process.stdout = None
    elif how != "read":
        process.send_signal(signal.SIGINT if how == "ctrl-c" else signal.SIGTERM)
    out, err = process.communicate(timeout=SECONDS)
    assert process.returncode == {"ctrl-c": 130, "sigterm": -signal.SIGTERM, "closed": 1, "read": 0}[how]
    assert err == b""
    if how == "read":
        assert out.count(b"\n") == 1
        assert out.endswith(b"}\n")


def test_a_terminal_that_shows_nothing_more_does_not_hold_a_cell_beyond_its_wall_clock(guest: Guest) -> None:
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    try:
        process = start(guest, flood(guest), "--timeout", "600000", "--wall", "1500", stdout=theirs)
        assert process.wait(SECONDS) == 1
        assert process.stderr is not None
        assert b"wall time of 1500 ms is spent" in process.stderr.read()
        process.communicate()
    finally:
        os.close(ours)
        os.close(theirs)


CLOSED = {
    "stdout": ("1>&-", 1),
    "stdout and stderr": ("1>&- 2>&-", 1),
    "stdin": ("0<&-", 0),
    "a full disk": (">/dev/full", 1),
    "a full disk for both": (">/dev/full 2>&1", 1),
}


@pytest.mark.parametrize("words", [["-c", "{print}"], ["--json", "-c", "5"], ["-c", "5"]])
@pytest.mark.parametrize("closed", CLOSED)
def test_output_that_cannot_be_written_ends_it_with_a_line(guest: Guest, closed: str, words: list[str]) -> None:
    if closed.startswith("a full") and not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full")
    redirected, status = CLOSED[closed]
    print_it = f"{guest.out('printed')}\nundefined" if guest.name == "javascript" else guest.out("printed")
    words = [word.replace("{print}", print_it) for word in words]
    done = subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {redirected}', "sh", COMMAND, "run", "-l", guest.name, *words],
        capture_output=True,
        timeout=SECONDS,
    )
    assert done.returncode == status, done.stderr
    assert b"Traceback" not in done.stderr
    told = done.stderr.splitlines()
    assert len(told) == (1 if status and closed in ("stdout", "a full disk") else 0)
    assert all(line.startswith(b"wasmhost: ") for line in told)


@pytest.mark.parametrize(
    ("words", "redirected", "status"),
    [
        ("run --help", "1>&-", 0),
        ("run --help", ">/dev/full", 1),
        ("run --nope", "2>&-", 2),
        ("run -l py -", "0<&-", 2),
        ("run -l py -c 1/0", "2>&-", 1),
        ("--help", "1>&-", 0),
    ],
)
def test_usage_without_anybody_to_tell(words: str, redirected: str, status: int) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f'exec "$0" {words} {redirected}', COMMAND], capture_output=True, timeout=SECONDS
    )
    assert done.returncode == status
    assert b"Traceback" not in done.stderr
