"""A terminal on which three kinds of text meet: ours, a model's, and a guest's. Everything that is not ours stands
behind a bar at the start of each line, so nothing in it can pass for a line of ours."""

import codecs
import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from unicodedata import combining, east_asian_width

from ..protocol.harmless import harmless
from ..protocol.json_text import clean

CODE, OUT, ERR, VALUE, ERROR, ASKED = "  | ", "  > ", "  ! ", "  = ", "  x ", "  ? "
_HELD_CHARS = 64 << 10
_LEAST_WIDTH = 20


class Screen:
    """Writes to a stream; any thread may. Flushed at once."""

    def __init__(self, stream: int = 1) -> None:
        self.stream: int = stream
        self.lock: RLock = RLock()
        self._open: Bar | None = None
        self._asking = False
        self._held: list[tuple[Bar, str]] = []
        self._held_chars = 0
        self._left_out = 0

    @property
    def width(self) -> int | None:
        """Columns; None: it is no terminal, and lines are not wrapped."""
        try:
            return max(_LEAST_WIDTH, os.get_terminal_size(self.stream).columns)
        except OSError:
            return None

    def line(self, text: str) -> None:
        """A line of ours, and one whatever is in it."""
        with self.lock:
            self._close_line()
            self.write(harmless(clean(text)).replace("\n", "\\x0a") + "\n")

    def block(self, bar: str, text: str) -> None:
        """Lines of somebody else, as a whole."""
        made = Bar(self, bar)
        made.text(text)
        made.end()

    def question(self, bar: str, text: str) -> None:
        """What a person is asked about, while :meth:`asking` keeps the others from writing."""
        with self.lock:
            made = Bar(self, bar)
            self.write(made.barred(harmless(clean(text))))
            made.close_line()

    def write(self, text: str) -> None:
        """As it is."""
        data = text.encode("utf-8", "replace")
        while data:
            data = data[os.write(self.stream, data) :]

    def passes(self, bar: "Bar", text: str) -> bool:
        """Makes a bar the one that writes; False: it has to wait while a person is asked something."""
        if self._asking:
            self._held_chars += len(text)
            if self._held_chars > _HELD_CHARS:
                self._left_out += len(text)
            else:
                self._held.append((bar, text))
            return False
        if self._open is not bar:
            self._close_line()
            self._open = bar
        return True

    def _close_line(self) -> None:
        if self._open is not None:
            self._open.close_line()
            self._open = None

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Nobody else writes meanwhile: what a guest prints between a question and its answer could change what the
        question seems to be."""
        with self.lock:
            self._close_line()
            self._asking = True
        try:
            yield
        finally:
            with self.lock:
                self._asking = False
                held, self._held, self._held_chars = self._held, [], 0
                left_out, self._left_out = self._left_out, 0
                for bar, text in held:
                    bar.text(text)
                if left_out:
                    self.line(f"[{left_out} characters of output came during the question and are left out here]")


class Bar:
    """Text of somebody else, as it comes."""

    def __init__(self, screen: Screen, bar: str) -> None:
        self._screen = screen
        self._bar = bar
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._column = 0

    def data(self, data: bytes) -> None:
        """The next bytes, UTF-8."""
        self.text(self._decoder.decode(data))

    def text(self, text: str) -> None:
        """The next piece."""
        with self._screen.lock:
            if text and self._screen.passes(self, text):
                self._screen.write(self.barred(harmless(clean(text))))

    def end(self) -> None:
        """There is no more."""
        with self._screen.lock:
            self.close_line()

    def close_line(self) -> None:
        """Ends a line that has begun."""
        if self._column:
            self._column = 0
            self._screen.write("\n")

    def barred(self, text: str) -> str:
        """Text with the bar before each line, also where a terminal would wrap it."""
        width = self._screen.width
        made = []
        for line in text.expandtabs(4).splitlines(keepends=True):
            for char in line:
                if char == "\n":
                    made.append("\n" if self._column else self._bar.rstrip() + "\n")
                    self._column = 0
                    continue
                cells = 0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1
                if self._column and width is not None and self._column + cells >= width:
                    made.append("\n")
                    self._column = 0
                if not self._column:
                    made.append(self._bar)
                    self._column = len(self._bar)
                made.append(char)
                self._column += cells
        return "".join(made)


__all__ = ["ASKED", "CODE", "ERR", "ERROR", "OUT", "VALUE", "Bar", "Screen"]
