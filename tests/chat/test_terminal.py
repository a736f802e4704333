"""`wasmhost chat` through a real terminal: what comes as it comes, Ctrl-C, and approvals."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.guests import Guest
from tests.support.terminal import Terminal

from .model import DONE, Model, Say, event

ASK = "allow this call? [y: yes, a: yes and this same call again, else no] "
END = "[cell:end]"
CAPABILITIES = """
import time
from wasmhost import capability

@capability
def buy(item: str) -> str:
    '''Buys one.'''
    return f"bought {item}"

capabilities = [buy]
"""

Starts = Callable[..., Terminal]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Starts]:
    made: list[Terminal] = []
    (tmp_path / "mine.py").write_text(CAPABILITIES)

    def start(model: Model, *words: str, columns: int = 120) -> Terminal:
        terminal = Terminal(["chat", *words], cwd=tmp_path, columns=columns, **model.env(tmp_path))
        made.append(terminal)
        terminal.read_until("you> ")
        return terminal

    yield start
    for terminal in made:
        terminal.close()


def held(first: str, rest: str, go: threading.Event) -> Say:
    """A reply of which the second part waits for the test."""

    async def say(writer: asyncio.StreamWriter) -> None:
        writer.write(event({"content": first}))
        await writer.drain()
        while not go.is_set():
            await asyncio.sleep(0.01)
        writer.write(event({"content": rest}, "stop") + DONE)

    return say


@pytest.mark.spec("A11.1")
def test_code_is_shown_as_it_comes(start: Starts, guest: Guest) -> None:
    go = threading.Event()
    with Model(held("```\n20 +", " 22\n```", go)) as model:
        terminal = start(model, "--code-runtime", guest.name)
        terminal.type("add\r")
        terminal.read_until("  | 20 +")
        go.set()
        terminal.read_until(" 22\n", "  = 42\n", END, "you> ")
        terminal.type("\x04")
        assert terminal.wait() == 0


@pytest.mark.spec("A11.4")
def test_ctrl_c_stops_an_answer_and_not_the_chat(start: Starts) -> None:
    with Model(held("x = ", "1", threading.Event()), "40 + 2") as model:
        terminal = start(model)
        terminal.type("add\r")
        terminal.read_until("  | x = ")
        terminal.type("\x03")
        terminal.read_until("[model:stopped]", "you> ")
        terminal.type("half a question")
        terminal.read_until("half a question")
        terminal.press_until("\x03", "you> ")
        terminal.type("again\r")
        terminal.read_until("  = 42\n", END, "you> ")
        assert [one["content"] for one in model.messages()[1:]] == ["again"]
        terminal.type(":quit\r")
        assert terminal.wait() == 0


@pytest.mark.spec("A11.4")
def test_ctrl_c_stops_a_cell_and_not_the_chat(start: Starts, guest: Guest) -> None:
    first = f"{guest.assign('x', '42')}\n{guest.out('it runs')}\n{guest.spin}"
    with Model(first, "x") as model:
        terminal = start(model, "--code-runtime", guest.name, "--code-timeout", "600000")
        terminal.type("spin\r")
        terminal.read_until("  > it runs")
        terminal.type("\x03")
        terminal.read_until("[cell:stopped]", "you> ")
        terminal.type("x?\r")
        terminal.read_until("  = 42\n", END, "you> ")
        assert "KeyboardInterrupt: the person stopped the cell" in model.messages()[2]["content"]


@pytest.mark.spec("A11.4")
def test_ctrl_c_at_any_moment_ends_no_chat(start: Starts) -> None:
    with Model(*["print('shown')"] * 8, "40 + 2") as model:
        terminal = start(model)
        for _ in range(8):
            terminal.type("go\r")
            terminal.read_until("--- Code Action")
            # Whatever it meets: the answer, the cell, the storing, the prompt.
            terminal.type("\x03")
            terminal.read_until("you> ")
            # One that comes between readline's prompt and its waiting is noticed with the next line.
            terminal.type("\r")
            terminal.read_until("you> ")
        model.script = ["40 + 2"]
        terminal.type("last\r")
        terminal.read_until("  = 42\n", END, "you> ")


# ---- approvals -------------------------------------------------------------------------------------------------------


@pytest.mark.spec("A11.7")
def test_a_person_is_asked_and_only_a_clear_yes_is_one(start: Starts) -> None:
    cell = "try:\n    print(buy(item='tea'))\nexcept PermissionError as e:\n    print('no:', e)"
    with Model(*[cell] * 6) as model:
        terminal = start(model, "--capabilities", "mine.py")
        for answer in ("n", "", "yes please", "\x04"):
            terminal.type("go\r")
            text = terminal.read_until(ASK)
            assert "--- The code wants to call a function ---\n  ? call c" in text
            assert "  ?   item = 'tea'\n" in text
            terminal.type(answer if answer == "\x04" else f"{answer}\r")
            terminal.read_until("  > no: buy was denied: a person said no\n", END, "you> ")
        terminal.type("go\r")
        terminal.read_until(ASK)
        terminal.type("a\r")
        terminal.read_until("  > bought tea\n", "1 completed", "you> ")
        # The same call is remembered.
        terminal.type("go\r")
        assert ASK not in terminal.read_until("  > bought tea\n", END, "you> ")


@pytest.mark.spec("A11.7")
def test_what_was_typed_before_the_question_is_no_answer(start: Starts) -> None:
    go = threading.Event()
    with Model(held("print(buy", "(item='tea'))", go)) as model:
        terminal = start(model, "--capabilities", "mine.py")
        terminal.type("go\r")
        terminal.read_until("  | print(buy")
        terminal.type("y\r")
        terminal.read_until("y\n")
        go.set()
        terminal.read_until(ASK)
        terminal.type("n\r")
        terminal.read_until("denied", END, "you> ")


@pytest.mark.spec("A11.4", "A11.7")
def test_ctrl_c_at_a_question_stops_the_cell_and_takes_no_later_line(start: Starts) -> None:
    with Model("buy(item='tea')", "40 + 2") as model:
        terminal = start(model, "--capabilities", "mine.py")
        terminal.type("go\r")
        terminal.read_until(ASK)
        terminal.type("\x03")
        terminal.read_until("[cell:stopped]", "you> ")
        terminal.type("again\r")
        terminal.read_until("  = 42\n", END, "you> ")
        assert '"callsNotCompleted"' in model.messages()[2]["content"]


@pytest.mark.spec("A11.7")
def test_questions_come_one_after_the_other(start: Starts) -> None:
    cell = "await Promise.all(['tea', 'milk'].map(async item => { console.log(await buy({item})); console.log(ASK) }))"
    with Model(cell.replace("ASK", repr(ASK))) as model:
        terminal = start(model, "-l", "js", "--capabilities", "mine.py")
        terminal.type("go\r")
        assert "'tea'" in terminal.read_until(ASK)
        terminal.type("y\r")
        text = terminal.read_until("'milk'", f"\n{ASK}")
        # What the guest has printed does not stand where a question stands.
        assert f"> {ASK}" not in text.partition("'milk'")[2]
        terminal.type("y\r")
        terminal.read_until("> bought milk\n", "2 completed", "you> ")


@pytest.mark.spec("S15")
def test_a_guest_cannot_draw_a_question(start: Starts) -> None:
    # In forty columns the terminal would begin a new line where the forged text begins.
    with Model(f"print('x' * 36 + {ASK[:30]!r})\nprint('\\r' + {ASK!r})\nprint('\\x1b[1G' + {ASK!r})") as model:
        terminal = start(model, columns=40)
        terminal.type("go\r")
        text = terminal.read_until(END, "you> ")
    shown = text.partition("--- RuntimeResult ---\n")[2].partition(END)[0]
    lines = shown.rstrip("\n").split("\n")
    assert all(line.startswith("  > ") and len(line) <= 40 for line in lines)
