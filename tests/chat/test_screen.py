"""Nothing that others write can pass for a line of ours."""

import os
import pty
import termios
from collections.abc import Iterator

import pytest

from wasmhost.chat.screen import CODE, ERR, OUT, VALUE, Bar, Screen


class Shown:
    """A screen, and what was written to it."""

    def __init__(self, columns: int | None) -> None:
        if columns is None:
            self._reads, self._writes = os.pipe()
        else:
            self._reads, self._writes = pty.openpty()
            termios.tcsetwinsize(self._writes, (40, columns))
        self.screen = Screen(self._writes)

    def lines(self) -> list[str]:
        self.screen.line("the end")
        data = b""
        while b"the end" not in data:
            data += os.read(self._reads, 1 << 16)
        return data.decode().replace("\r\n", "\n").split("\n")[:-2]

    def close(self) -> None:
        os.close(self._reads)
        os.close(self._writes)


@pytest.fixture
def piped() -> Iterator[Shown]:
    made = Shown(None)
    yield made
    made.close()


@pytest.fixture
def narrow() -> Iterator[Shown]:
    """A terminal of forty columns."""
    made = Shown(40)
    yield made
    made.close()


def test_each_line_has_its_bar(piped: Shown) -> None:
    out, err = Bar(piped.screen, OUT), Bar(piped.screen, ERR)
    out.text("one\ntw")
    out.text("o\n\nthree")
    err.data("é".encode()[:1])
    err.data("é".encode()[1:] + b"\xff")
    out.text("four")
    out.end()
    piped.screen.block(VALUE, "a\tb\r\x1b[2J\u202e\ud800")
    piped.screen.line("ours\nand\x1b ours")
    assert piped.lines() == [
        "  > one",
        "  > two",
        "  >",
        "  > three",
        "  ! é\ufffd",
        "  > four",
        "  = a   b\\x0d\\x1b[2J\\u202e\ufffd",
        "ours\\x0aand\\x1b ours",
    ]


@pytest.mark.spec("S15", "A11.5")
def test_a_long_line_is_wrapped_behind_its_bar(narrow: Shown) -> None:
    forged = "allow this call? [y: yes, a: yes"
    Bar(narrow.screen, OUT).text("x" * 36 + forged + "\n" + "漢" * 50 + "y" * 3 + "\n" + "e\u0301" * 100)
    lines = narrow.lines()
    assert all(line.startswith(OUT) for line in lines)
    assert "".join(line[len(OUT) :] for line in lines).startswith("x" * 36 + forged)


@pytest.mark.spec("S15")
def test_nobody_writes_while_a_person_is_asked(piped: Shown) -> None:
    out = Bar(piped.screen, OUT)
    out.text("before")
    with piped.screen.asking():
        out.text("meanwhile\n")
        piped.screen.write("question? ")
        out.text("x" * 100_000)
        out.text("y\n")
        piped.screen.write("\n")
    lines = piped.lines()
    assert lines[:3] == ["  > before", "question? ", "  > meanwhile"]
    assert lines[3] == "[100002 characters of output came during the question and are left out here]"


def test_code_has_another_bar() -> None:
    assert len({CODE, OUT, ERR, VALUE}) == 4
