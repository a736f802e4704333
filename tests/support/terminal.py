"""A command behind a terminal of its own."""

import os
import pty
import re
import select
import signal
import sys
import termios
import time
from pathlib import Path

from .child import environment

COMMAND = str(Path(sys.executable).parent / "wasmhost")
CODES = re.compile(r"\x1b\[[0-9;?>]*[A-Za-z~]|\x1b[=>()][A-Z0-9]?|\x1b\][^\x07]*\x07|\r")


class Terminal:
    """``wasmhost`` behind a terminal, and what it has shown.

    Args:
        env: variables that are changed; None takes one away.
    """

    def __init__(self, words: list[str], *, cwd: Path, columns: int = 120, **env: str | None) -> None:
        self.screen = ""
        found = environment(TERM="xterm-256color", PROMPT_TOOLKIT_NO_CPR="1", **env)
        pid, self.master = pty.fork()
        if pid == 0:
            os.chdir(cwd)
            os.execve(COMMAND, [COMMAND, *words], found)
        self.pid = pid
        termios.tcsetwinsize(self.master, (40, columns))

    def read_until(self, *wanted: str, timeout: float = 30) -> str:
        """What was shown since the last call, up to the texts, without control sequences."""
        end = time.monotonic() + timeout
        raw = b""
        while True:
            text = CODES.sub("", raw.decode("utf-8", "replace"))
            if all(one in text for one in wanted):
                self.screen += text
                return text
            ready, _, _ = select.select([self.master], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                raise AssertionError(f"{wanted} was not shown; there was: {text!r}")
            try:
                piece = os.read(self.master, 65536)
            except OSError:
                piece = b""
            if not piece:
                raise AssertionError(f"{wanted} was not shown before the end; there was: {text!r}")
            raw += piece

    def type(self, text: str) -> None:
        """As from the keyboard."""
        os.write(self.master, text.encode())

    def press_until(self, key: str, *wanted: str) -> str:
        """Presses a key until the texts are shown: readline misses an interrupt that comes just before it waits, and
        notices it with the next key."""
        for _ in range(30):
            self.type(key)
            try:
                return self.read_until(*wanted, timeout=1)
            except AssertionError:
                continue
        raise AssertionError(f"{wanted} was not shown")

    def wait(self) -> int:
        """The exit status."""
        while True:
            try:
                if not os.read(self.master, 65536):
                    break
            except OSError:
                break
        _, status = os.waitpid(self.pid, 0)
        self.pid = 0
        return os.waitstatus_to_exitcode(status)

    def close(self) -> None:
        """Ends the command if it is still there."""
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.pid = 0
        os.close(self.master)
