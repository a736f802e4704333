"""What programs reach for and cannot have in a sandbox does something sensible: an error that says what to do, or a
note."""

import pytest

from tests.support.drivers import Driver
from wasmhost.session.session import Session

pytestmark = pytest.mark.spec("C11")


@pytest.mark.parametrize(
    ("code", "kind", "text"),
    [
        ("input('name? ')", "EOFError", "put the values into the code"),
        ("import sys\nsys.stdin.readline()", None, ""),
        ("exit()", "SystemExit", "SystemExit"),
        ("quit(3)", "SystemExit", "3"),
        ("import sys\nsys.exit('done early')", "SystemExit", "done early"),
        ("import os\nos._exit(1)", "SystemExit", "1"),
        ("import os\nos.abort()", "SystemExit", "abort"),
        ("import threading\nthreading.Thread(target=print).start()", "RuntimeError", "there are no threads"),
        ("import subprocess\nsubprocess.run(['ls'])", "OSError", "there are no processes in this sandbox"),
        ("import subprocess\nsubprocess.check_output('ls', shell=True)", "OSError", "no processes in this sandbox"),
        ("import urllib.request\nurllib.request.urlopen('http://host.example')", "URLError", "no network"),
    ],
)
def test_python_says_what_is_not_there(python: Session, driver: Driver, code: str, kind: str | None, text: str) -> None:
    result = driver.run(python, f"kept = 1\n{code}")
    assert result.error_type == kind
    assert text in (result.error or "")
    assert driver.value(python, "kept") == 1


def test_a_breakpoint_is_told_and_passed(python: Session, driver: Driver) -> None:
    result = driver.run(python, "x = 1\nbreakpoint()\nx + 1")
    assert result.value == 2
    assert "there is no debugger" in result.stderr
    result = driver.run(python, "import pdb\npdb.set_trace()\n'after'")
    assert (result.ok, result.value) == (True, "after"), result.error
    assert "there is no debugger" in result.stderr


@pytest.mark.parametrize("name", ["exit", "quit", "help", "copyright", "credits", "license"])
def test_the_names_of_the_python_repl_say_what_they_do(python: Session, driver: Driver, name: str) -> None:
    result = driver.run(python, name)
    assert result.ok, result.error
    assert result.value_text


def test_help_prints_and_does_not_wait_for_a_key(python: Session, driver: Driver) -> None:
    result = driver.run(
        python, "def area(r):\n    '''The area of a circle.'''\nhelp(area)\nhelp(str.join)\nhelp('for')"
    )
    assert result.ok, result.error
    assert "The area of a circle." in result.stdout
    assert "Concatenate any number of strings" in result.stdout


def test_tasks_left_running_are_in_the_notes_until_they_are_over(python: Session, driver: Driver) -> None:
    code = "import asyncio\nasync def work(n): await asyncio.sleep(n); print('late', n)\n"
    result = driver.run(python, code + "a = asyncio.create_task(work(0.001), name='saver')")
    assert "1 task is still running: saver" in result.notes[0]
    result = driver.run(python, "b = asyncio.create_task(work(0.002), name='loader')")
    assert "2 tasks are still running: loader, saver" in result.notes[0]
    result = driver.run(python, "await asyncio.gather(a, b)\n'end'")
    assert (result.value, result.stdout, result.notes) == ("end", "", ())
    assert result.background["stdout"] == "late 0.001\nlate 0.002\n"


def test_an_exception_in_a_task_names_the_cell_of_the_task(python: Session, driver: Driver) -> None:
    assert driver.run(python, "import asyncio\nasync def fails():\n    await asyncio.sleep(0)\n    1 / 0").ok
    assert driver.run(python, "t = asyncio.create_task(fails(), name='worker')").ok
    result = driver.run(python, "await asyncio.sleep(0.001)\n'goes on'")
    assert (result.value, result.stderr) == ("goes on", "")
    assert "Task worker failed" in result.background["stderr"]
    assert 'File "<cell 1>", line 4, in fails\n    1 / 0' in result.background["stderr"]
    assert driver.run(python, "await asyncio.sleep(0)").stderr == ""


def test_a_rejection_names_the_cell_where_it_was_made(javascript: Session, driver: Driver) -> None:
    assert driver.run(javascript, "async function fails() {\n  throw new Error('dropped')\n}").ok
    result = driver.run(javascript, "fails()\n'goes on'\nvoid 0")
    assert result.ok
    assert "Error: dropped" in result.stderr
    assert "<cell 1>:2" in result.stderr


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("require('fs')", "use the built-in globals"),
        ("process.exit(1)", "this is a sealed JavaScript environment"),
        ("fetch('http://host.example')", "there is no network here"),
        ("document.title", "there is no web page here"),
        ("alert('x')", "there is no web page here"),
        ("new Worker('x')", "there are no threads here"),
    ],
)
def test_javascript_says_what_is_not_there(javascript: Session, driver: Driver, code: str, text: str) -> None:
    result = driver.run(javascript, code)
    assert result.error_type == "ReferenceError"
    assert text in (result.error or "")


@pytest.mark.spec("C7.1")
def test_each_container_of_python_tells_what_it_left_out(python: Session, driver: Driver) -> None:
    text = driver.run(
        python, "{'first': list(range(10**5)), 'second': ['x' * 10**5, {1: 'z' * 10**5}], 'last': 'end'}"
    ).value_text
    assert len(text) < 150_000
    assert " more]" in text
    assert text.endswith("'last': 'end'}")
    assert "'second': ['x" in text
