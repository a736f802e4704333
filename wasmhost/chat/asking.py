"""A person at the terminal decides about a call."""

import asyncio
import os
import sys

from ..capabilities.approval import ApprovalRequest
from ..capabilities.policy import Allow, Deny
from .screen import ASKED, Screen

_MAX_ANSWER = 1_000


class TerminalApprover:
    """Asks at the terminal, one question at a time. Its own coroutine and no ``input()``: the question goes away with
    the cell, and does not take what is typed afterwards."""

    def __init__(self, screen: Screen, keyboard: int = 0) -> None:
        self._screen = screen
        self._keyboard = keyboard
        self._one_at_a_time: asyncio.Lock | None = None

    @staticmethod
    def possible() -> bool:
        """Whether there is somebody to ask."""
        return sys.platform != "win32" and sys.stdin.isatty() and sys.stdout.isatty()

    async def ask(self, request: ApprovalRequest) -> Allow | Deny:
        """What the person says. Only a clear yes is one."""
        import termios

        if self._one_at_a_time is None:
            self._one_at_a_time = asyncio.Lock()
        async with self._one_at_a_time:
            self._screen.line("--- The code wants to call a function ---")
            with self._screen.asking():
                self._screen.question(ASKED, request.text())
                # What was typed before the question was there is no answer to it.
                termios.tcflush(self._keyboard, termios.TCIFLUSH)
                self._screen.write("allow this call? [y: yes, a: yes and this same call again, else no] ")
                try:
                    answer = (await self._line()).strip().lower()
                except asyncio.CancelledError:
                    self._screen.write("\n")
                    raise
        if answer in ("y", "yes", "a"):
            return Allow(remember=answer == "a")
        return Deny("a person said no")

    async def _line(self) -> str:
        loop = asyncio.get_running_loop()
        line: asyncio.Future[str] = loop.create_future()

        def read() -> None:
            try:
                data = os.read(self._keyboard, _MAX_ANSWER)
            except BlockingIOError:
                return
            except OSError:
                data = b""
            if not line.done():
                line.set_result(data.decode("utf-8", "replace"))

        loop.add_reader(self._keyboard, read)
        try:
            return await line
        finally:
            loop.remove_reader(self._keyboard)
