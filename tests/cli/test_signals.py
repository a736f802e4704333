"""``wasmhost run`` as a process of its own: Ctrl-C, SIGTERM, a reader that goes away, output as it comes."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.guests import Guest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

COMMAND = str(Path(sys.executable).parent / "wasmhost")
MINUTES = ["--timeout", "600000"]
# Output, then the guest computes, sleeps, or goes on printing.
BUSY = {
    "computes": ("while True: pass", "for (;;) {}"),
    "cannot be asked": (
        "while True:\n  try:\n    while True: pass\n  except BaseException: pass",
        "for (;;) 'a'.repeat(1e6).indexOf('a'.repeat(5e5) + 'b')",
    ),
    "sleeps": ("import time; time.sleep(600)", "await new Promise((done) => setTimeout(done, 600_000))"),
    "awaits": ("import asyncio; await asyncio.sleep(600)", "await new Promise(() => setTimeout(() => {}, 600_000))"),
    "floods": ("while True: print('y' * 1000)", "for (;;) console.log('y'.repeat(1000))"),
}


def start(guest: Guest, code: str) -> "subprocess.Popen[bytes]":
    arguments = [COMMAND, "run", "-l", guest.name, *MINUTES, "-c", code]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def begun(process: "subprocess.Popen[bytes]") -> None:
    """Waits for the first line of the cell."""
    assert process.stdout is not None
    assert process.stdout.readline() == b"begun\n"


def code_of(guest: Guest, busy: str) -> str:
    python, javascript = BUSY[busy]
    return f"{guest.out('begun')}\n{guest.pick(python=python, javascript=javascript)}"


@pytest.mark.spec("S2", "C4.5")
@pytest.mark.parametrize("busy", BUSY)
def test_ctrl_c_ends_the_command_with_130_and_says_nothing_more(guest: Guest, busy: str) -> None:
    process = start(guest, code_of(guest, busy))
    begun(process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert set(out) <= set(b"y\n")
    assert b"Traceback" not in err


@pytest.mark.parametrize("busy", BUSY)
def test_sigterm_ends_the_command(guest: Guest, busy: str) -> None:
    process = start(guest, code_of(guest, busy))
    begun(process)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=30)
    assert process.returncode == -signal.SIGTERM
    assert err == b""


def test_a_second_ctrl_c_changes_nothing(guest: Guest) -> None:
    process = start(guest, code_of(guest, "cannot be asked"))
    begun(process)
    for _ in range(3):
        process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert b"Traceback" not in err


@pytest.mark.parametrize("busy", ["computes", "floods"])
def test_ctrl_c_at_a_terminal_leaves_it_as_it_was(guest: Guest, busy: str) -> None:
    pty = pytest.importorskip("pty")
    termios = pytest.importorskip("termios")
    fcntl = pytest.importorskip("fcntl")
    ours, theirs = pty.openpty()
    try:
        before = termios.tcgetattr(theirs)
        # A session of its own, with this terminal to send the signal.
        process = subprocess.Popen(
            [COMMAND, "run", "-l", guest.name, *MINUTES, "-c", code_of(guest, busy)],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        shown = b""
        while b"begun" not in shown:
            shown += os.read(ours, 1 << 16)
        os.write(ours, b"\x03")
        while process.poll() is None:
            # Whatever it still writes; without a reader it would wait for room.
            if select.select([ours], [], [], 0.05)[0]:
                shown += os.read(ours, 1 << 16)
        assert process.returncode == 130
        assert termios.tcgetattr(theirs) == before
        assert b"\x1b" not in shown
        assert b"Traceback" not in shown
    finally:
        os.close(ours)
        os.close(theirs)


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_reader_that_goes_away_ends_a_flood(guest: Guest, stream: str) -> None:
    loop = guest.pick(
        python=f"import sys\nwhile True: print('y' * 1000, file=sys.{stream})",
        javascript=f"for (;;) console.{'log' if stream == 'stdout' else 'error'}('y'.repeat(1000))",
    )
    process = start(guest, loop)
    pipe = getattr(process, stream)
    assert pipe.readline() == b"y" * 1000 + b"\n"
    pipe.close()
    setattr(process, stream, None)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 1
    assert err is None or b"Traceback" not in err


@pytest.mark.spec("D10.3")
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_output_is_there_while_the_cell_runs(guest: Guest, stream: str) -> None:
    say = guest.out("begun") if stream == "stdout" else guest.err("begun")
    process = start(guest, f"{say}\n{guest.spin}")
    # It spins for minutes yet.
    assert getattr(process, stream).readline() == b"begun\n"
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130
