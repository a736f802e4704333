"""The prompt, through a real terminal."""

import stat
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.child import ROOT, environment
from tests.support.terminal import COMMAND, Terminal

Starts = Callable[..., Terminal]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Starts]:
    made: list[Terminal] = []

    def start(*words: str) -> Terminal:
        terminal = Terminal(["repl", *words], cwd=ROOT, HOME=str(tmp_path), XDG_STATE_HOME=None)
        made.append(terminal)
        terminal.read_until(">>>")
        return terminal

    yield start
    for terminal in made:
        terminal.close()


def test_cells_share_variables(start: Starts) -> None:
    terminal = start("-l", "python")
    terminal.type("x = 20\r")
    terminal.read_until(">>>")
    terminal.type("x + 22\r")
    terminal.read_until("\n42\n", ">>>")
    terminal.type("1/0\r")
    terminal.read_until("ZeroDivisionError: division by zero", ">>>")
    terminal.type("print('no newline', end='')\r")
    terminal.read_until("no newline\n>>>")
    terminal.type("\x04")
    assert terminal.wait() == 0


def test_a_block_ends_with_an_empty_line(start: Starts) -> None:
    terminal = start()
    terminal.type("def f(n):\r")
    terminal.read_until("...")
    terminal.type("return n * 2\r")
    terminal.read_until("...")
    # The indentation came by itself, and is taken away again.
    terminal.type("\x15\r")
    terminal.read_until(">>>")
    terminal.type("f(21)\r")
    terminal.read_until("\n42\n")
    terminal.type("[1,\r")
    terminal.read_until("...")
    terminal.type("2]\r")
    terminal.read_until("\n[1, 2]\n")


def test_javascript_and_typescript(start: Starts) -> None:
    terminal = start("--language=js")
    terminal.type("const f = n => {\r")
    terminal.read_until("...")
    terminal.type("return n + 1 }\r")
    terminal.read_until(">>>")
    terminal.type("({ a: f(1) })\r")
    terminal.read_until("{ a: 2 }", ">>>")
    terminal.type("`a ${1 +\r")
    terminal.read_until("...")
    terminal.type("1}`\r")
    terminal.read_until("'a 2'")
    typed = start("-l", "ts")
    typed.type("const n: number = 5; n\r")
    typed.read_until("\n5\n")


def test_interrupting_a_cell_keeps_the_variables(start: Starts) -> None:
    terminal = start()
    terminal.type("x = 7\r")
    terminal.read_until(">>>")
    terminal.type("import itertools; print('it', 'runs'); all(itertools.count(1))\r")
    terminal.read_until("it runs\n")
    terminal.type("\x03")
    terminal.read_until("KeyboardInterrupt", ">>>")
    terminal.type("x\r")
    terminal.read_until("\n7\n")
    terminal.type("half a line\x03")
    terminal.read_until(">>>")
    terminal.type("x + 1\r")
    terminal.read_until("\n8\n")


def test_interrupting_between_the_end_of_a_cell_and_the_next_prompt_ends_nothing(start: Starts) -> None:
    terminal = start()
    for number in range(10):
        terminal.type(f"print('shown', {number})\r")
        terminal.read_until(f"shown {number}\n")
        # Whatever it meets: the cell that ends, the result that is shown, the prompt that begins.
        terminal.type("\x03")
        terminal.read_until(">>>")
    terminal.type("40 + 2\r")
    terminal.read_until("\n42\n")


def test_names_are_completed(start: Starts) -> None:
    terminal = start()
    terminal.type("long_name_of_mine = 'abc'\r")
    terminal.read_until(">>>")
    terminal.type("long_n\t")
    terminal.read_until("long_name_of_mine")
    terminal.type(".upp\t")
    terminal.read_until(".upper")
    terminal.type("()\r")
    terminal.read_until("'ABC'")


def test_commands(start: Starts) -> None:
    terminal = start()
    terminal.type("x = 'text'\r")
    terminal.read_until(">>>")
    terminal.type(":vars\r")
    terminal.read_until("x: str (4)  'text'", ">>>")
    terminal.type(":reset\r")
    terminal.read_until("all variables are gone", ">>>")
    terminal.type(":vars\r")
    terminal.read_until("no variables", ">>>")
    terminal.type(":nonsense\r")
    terminal.read_until("there is no command ':nonsense'; there are: :vars, :reset, :help, :quit", ">>>")
    terminal.type(":quit\r")
    assert terminal.wait() == 0


@pytest.mark.spec("S15")
def test_what_a_guest_shows_does_not_steer_the_terminal(start: Starts) -> None:
    terminal = start()
    terminal.type(r"print('\x1b]0;owned\x07\x1b[2J')" + "\r")
    terminal.read_until(r"\x1b]0;owned\x07\x1b[2J")
    terminal.type(r"'\x1b[2J'" + "\r")
    terminal.read_until(r"'\x1b[2J'", ">>>")
    terminal.type(r"class C:" + "\r")
    terminal.read_until("...")
    terminal.type(r"__repr__ = lambda s: '\x1b[31mred'" + "\r")
    terminal.read_until("...")
    terminal.type("\x15\r")
    terminal.read_until(">>>")
    terminal.type("c = C(); c\r")
    terminal.read_until("\\x1b[31mred\n")
    terminal.type(":vars\r")
    terminal.read_until("c: C  \\x1b[31mred")


def test_the_history_is_for_its_owner_alone(start: Starts, tmp_path: Path) -> None:
    terminal = start()
    terminal.type("remembered = 1; remembered + 41\r")
    terminal.read_until("\n42\n>>>")
    terminal.type("\x04")
    terminal.wait()
    path = tmp_path / ".local" / "state" / "wasmhost" / "history-python"
    assert "remembered = 1" in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    again = start()
    again.type("\x1b[A")
    again.read_until("remembered = 1")
    other = start("--no-history")
    other.type("secret = 1; secret + 41\r")
    other.read_until("\n42\n>>>")
    other.type("\x04")
    other.wait()
    assert "secret" not in path.read_text()


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, "repl", *words],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment(),
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ([], "repl needs a terminal; for a file or a pipe there is: wasmhost run"),
        (["-l", "ruby"], "language 'ruby' is not known"),
        (["file.py"], "this command takes no source"),
        (["-c", "1"], "this command takes no source"),
        (["--nonsense"], "option '--nonsense' is not known"),
        (["--config", "/nowhere"], "/nowhere"),
    ],
)
def test_wrong_usage_is_told(words: list[str], text: str) -> None:
    done = run(*words)
    assert done.returncode == 2
    assert text in done.stderr
    assert done.stdout == ""


def test_the_help() -> None:
    done = run("--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: wasmhost repl")
