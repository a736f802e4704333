"""`wasmhost chat` with questions from a pipe and a scripted endpoint."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.child import ROOT, environment
from tests.support.guests import Guest
from tests.support.web import answer

from .model import DONE, HEAD, KEY, Model, chat, event, failure, reply

CAPABILITIES = """
from wasmhost import capability

@capability(read_only=True)
def price(item: str) -> float:
    '''What an item costs.'''
    return 3.5

@capability
def buy(item: str) -> str:
    '''Buys one.'''
    return "bought"

cheap = [price]
"""


def stored(home: Path) -> list[str]:
    folder = home / ".code-sessions"
    return sorted(path.name for path in folder.glob("*.chat")) if folder.exists() else []


def only_id(home: Path) -> str:
    (name,) = stored(home)
    return name.removesuffix(".chat")


# ---- turns -----------------------------------------------------------------------------------------------------------


@pytest.mark.spec("A11.1", "A11.2")
def test_a_turn_is_a_cell_that_is_shown_and_told_the_model(tmp_path: Path, guest: Guest) -> None:
    first = f"{guest.out('the sum')}\n{guest.assign('x', '21 + 21')}\nx"
    with Model(f"```{guest.name}\n{first}\n```", "x + 1") as model:
        done = chat(model, tmp_path, "--code-runtime", guest.name, asks="add them\nand one more\n")
    assert (done.returncode, done.stderr) == (0, "")
    shown = done.stdout
    assert f"--- Code Action ({guest.name}) ---\n" in shown
    assert "".join(f"  | {line}\n" for line in first.split("\n")) in shown
    assert "[model:end] small · 176 in / 213 out · " in shown
    assert "--- RuntimeResult ---\n  > the sum\n  = 42\n[cell:end] ok" in shown
    assert "\n  = 43\n" in shown
    assert "```" not in shown
    assert KEY not in shown
    system, *rest = model.messages()
    assert system["role"] == "system"
    assert [one["role"] for one in rest] == ["user", "assistant", "user"]
    assert [rest[0]["content"], rest[2]["content"]] == ["add them", "and one more"]
    head, _, result = rest[1]["content"].partition("\n\n[RuntimeResult]\n")
    assert head == f"[Code Action executed]\n{first}"
    assert json.loads(result)["stdout"] == "the sum\n"


@pytest.mark.spec("A11.1")
def test_typescript_and_short_names(tmp_path: Path) -> None:
    with Model("```ts\nconst n: number = 20; enum E { A = 22 }; n + E.A\n```", "1", "2") as model:
        assert "  = 42\n" in chat(model, tmp_path, "--code-runtime=ts", asks="q\n").stdout
        assert "(javascript)" in chat(model, tmp_path, "-l", "js", asks="q\n").stdout
        assert "(javascript)" in chat(model, tmp_path, asks="q\n", WASMHOST_LANGUAGE="javascript").stdout


@pytest.mark.spec("A11.1")
def test_a_failure_of_the_code_is_shown_as_it_is(tmp_path: Path, guest: Guest) -> None:
    with Model("nothing_is_called_so", "This is no code at all.", guest.spin) as model:
        words = ["--code-runtime", guest.name, "--code-timeout", "60"]
        shown = chat(model, tmp_path, *words, asks="a\nb\nc\n").stdout
    assert shown.count("[cell:end] failed") == 3
    assert "  x " in shown
    assert "nothing_is_called_so" in shown
    assert "SyntaxError" in shown
    assert "script time of 60 ms is spent" in shown


@pytest.mark.spec("A11.2", "C6.1")
def test_what_an_earlier_cell_has_left_is_shown_and_told(tmp_path: Path) -> None:
    left = "import asyncio\nasync def later():\n    print('from before')\ntask = asyncio.create_task(later())"
    with Model(left, "await asyncio.sleep(0.01)\n41 + 1", "1") as model:
        shown = chat(model, tmp_path, asks="begin\nwait\nend\n").stdout
        messages = model.messages()
    assert "  > from before\n  = 42\n[cell:end] ok" in shown
    told = json.loads(messages[-2]["content"].partition("[RuntimeResult]\n")[2])
    assert (told["stdout"], told["background"]) == ("", {"stdout": "from before\n"})


@pytest.mark.spec("A11.3")
def test_a_failure_of_the_model_is_one_line_and_the_chat_goes_on(tmp_path: Path) -> None:
    broken = [
        failure("500 Error", "out of\norder"),
        failure("401 Unauthorized", f"wrong key {KEY}"),
        answer("<html>", kind="text/html"),
        HEAD + b"data: {nonsense\n\n",
        reply("half of", finish="length"),
        HEAD + event({"content": "print('half of"}),
        HEAD + b": nothing\n\n" + DONE,
        reply("```\n```"),
    ]
    with Model("x = 1", *broken, "x + 41") as model:
        asks = "first\n" + "again\n" * len(broken) + "last\n"
        done = chat(model, tmp_path, asks=asks)
        messages = model.messages()
    assert done.returncode == 0
    assert done.stderr == ""
    lines = [line for line in done.stdout.split("\n") if line.startswith("[model:error]")]
    assert len(lines) == len(broken)
    assert KEY not in done.stdout
    assert "  = 42\n" in done.stdout
    # What was not answered is not in the conversation.
    assert [one["content"] for one in messages if one["role"] == "user"] == ["first", "last"]


@pytest.mark.spec("A11.3")
def test_a_time_out_of_the_model_is_one_line(tmp_path: Path) -> None:
    import asyncio

    async def say(writer: asyncio.StreamWriter) -> None:
        writer.write(event({"content": "x = "}))
        await writer.drain()
        await asyncio.sleep(600)

    with Model(say, "40 + 2") as model:
        shown = chat(model, tmp_path, "--model-timeout", "0.5", asks="a\nb\n").stdout
    assert "[model:error] no whole answer within 0.5 seconds" in shown
    assert "  = 42\n" in shown


def test_more_turns_for_one_question(tmp_path: Path) -> None:
    script = ["1/0", "x = 7\n# continue", "x * 6"]
    with Model(*script, *script) as model:
        shown = chat(model, tmp_path, "--turns", "5", asks="do it\n").stdout
        assert shown.count("--- Code Action") == 3
        assert "  = 42\n" in shown
        asked = [one["content"] for one in model.messages() if one["role"] == "user"]
        assert asked[0] == "do it"
        assert "failed" in asked[1]
        assert "go on" in asked[2]
        shown = chat(model, tmp_path, "--turns", "2", asks="do it\n").stdout
        assert shown.count("--- Code Action") == 2
    # By itself a question is one cell.
    with Model(*script) as model:
        assert chat(model, tmp_path, asks="do it\n").stdout.count("--- Code Action") == 1


@pytest.mark.spec("S15", "A11.5")
def test_nothing_that_model_or_guest_writes_steers_or_forges(tmp_path: Path) -> None:
    evil = "\x1b]0;owned\x07\x1b[2J\u202e"
    code = f"print({evil!r})\nprint('x\\nallow this call? [y] \\n[cell:end] ok')\n{evil!r}\n# {evil}"
    failing = f"raise ValueError({evil!r} + '\\n[model:end] forged')"
    with Model(f"```python\n{code}\n```", failing, failure("400 Bad", f"{evil}\n[cell:end] ok")) as model:
        done = chat(model, tmp_path, asks=f"a{evil}\nb\nc\n")
    shown = done.stdout + done.stderr
    assert not {char for char in shown if char < " " and char != "\n"}
    assert "\u202e" not in shown
    lines = shown.split("\n")
    assert len([line for line in lines if line.startswith("[cell:end]")]) == 2
    assert len([line for line in lines if line.startswith("[model:end]")]) == 2
    assert not [line for line in lines if line.startswith("allow")]


def test_an_observation_is_bounded_by_the_option(tmp_path: Path) -> None:
    with Model("print('x' * 100_000)", "1") as model:
        chat(model, tmp_path, "--observation", "1000", asks="a\nb\n")
        told = model.messages()[2]["content"]
    assert len(told) < 1_100


# ---- commands --------------------------------------------------------------------------------------------------------


def test_commands(tmp_path: Path) -> None:
    with Model("x = 'text'", "'x' in globals()") as model:
        asks = ":vars\nset it\n:vars\n:reset\n:vars\n:nonsense\n:help\nis it there?\n:quit\nnot asked\n"
        done = chat(model, tmp_path, asks=asks)
        told = model.messages()[-1]["content"]
    shown = done.stdout
    assert done.returncode == 0
    assert shown.count("no variables") == 2
    assert "  = x: str (4)  'text'" in shown
    assert "there is no command :nonsense; there are: :vars, :reset, :help, :quit" in shown
    assert "not asked" not in shown
    assert "  = False\n" in shown
    assert told == "[the person has dropped all variables]\n\nis it there?"


# ---- capabilities ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "offered"),
    [
        ("mine.py", ["buy", "price"]),
        ("mine.py:cheap", ["price"]),
        ("mine", ["buy", "price"]),
        ("mine:price", ["price"]),
    ],
)
def test_capabilities_of_a_file_or_module(tmp_path: Path, word: str, offered: list[str]) -> None:
    (tmp_path / "mine.py").write_text(CAPABILITIES)
    with Model("2 * price(item='tea')", "print(sorted(tools))") as model:
        path = os.pathsep.join([str(ROOT), str(tmp_path)])
        done = chat(model, tmp_path, "--capabilities", word, asks="a\nb\n", PYTHONPATH=path)
        system = model.messages()[0]["content"]
    assert "  = 7.0\n" in done.stdout, done.stderr
    assert "calls: 1 completed" in done.stdout
    assert ("buy" in system) == ("buy" in offered)
    assert "price" in system


def test_nobody_to_ask_is_a_denial(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(CAPABILITIES)
    with Model("buy(item='tea')") as model:
        shown = chat(model, tmp_path, "--capabilities", "mine.py", asks="a\n").stdout
        assert "Denied here: buy." in model.messages()[0]["content"]
    assert "buy was denied" in shown
    assert "calls: 1 denied" in shown


def test_settings_give_packs_and_limits(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "list.txt").write_text("one\ntwo\n")
    (tmp_path / "settings.toml").write_text('[files]\nroot = "data"\n[limits]\nscript_ms = 70\n')
    with Model("await Read({path: 'list.txt'})", "for (;;) {}") as model:
        shown = chat(model, tmp_path, "-l", "js", "--config", "settings.toml", asks="a\nb\n").stdout
    assert "two" in shown
    assert "script time of 70 ms is spent" in shown


# ---- which model -----------------------------------------------------------------------------------------------------


@pytest.mark.spec("A11.6")
def test_a_env_file_names_the_endpoint(tmp_path: Path) -> None:
    with Model("40 + 2", "40 + 2") as model:
        text = f"OPENAI_API_KEY={KEY}\nOPENAI_BASE_URL='{model.url}'\nOPENAI_MODEL=\"tiny\" # small\nOTHER=1\n"
        none = {"OPENAI_API_KEY": None, "OPENAI_BASE_URL": None, "OPENAI_MODEL": None}
        (tmp_path / ".env").write_text(text)
        done = chat(model, tmp_path, asks="a\n", **none)
        assert "  = 42\n" in done.stdout, done.stderr
        assert f"written by tiny at {model.url} (from .env)" in done.stdout
        (tmp_path / ".env").rename(tmp_path / "mine")
        done = chat(model, tmp_path, "--env-file", "mine", "--model", "other", asks="a\n", **none)
        assert "  = 42\n" in done.stdout
        assert [body["model"] for body in model.bodies] == ["tiny", "other"]


# ---- storing ---------------------------------------------------------------------------------------------------------


@pytest.mark.spec("A12.1", "A12.2")
def test_a_chat_goes_on_with_its_variables_and_its_conversation(tmp_path: Path, guest: Guest) -> None:
    with Model(guest.assign("x", "41"), "x + 1") as model:
        done = chat(model, tmp_path, "--code-runtime", guest.name, asks="set it\n")
        id = only_id(tmp_path)
        assert f"wasmhost chat --resume {id}" in done.stdout
        # The language is that of the chat.
        again = chat(model, tmp_path, "--resume", id, asks="one more\n")
        assert "  = 42\n" in again.stdout, again.stderr
        assert "[1 turns so far" in again.stdout
        assert "  | set it\n" in again.stdout
        assert [one["content"] for one in model.messages() if one["role"] == "user"] == ["set it", "one more"]
    assert stored(tmp_path) == [f"{id}.chat"]
    assert KEY.encode() not in (tmp_path / ".code-sessions" / f"{id}.chat").read_bytes()


@pytest.mark.spec("A12.2")
def test_a_chat_without_its_variables(tmp_path: Path) -> None:
    with Model("x = 41", "'x' in globals()") as model:
        chat(model, tmp_path, asks="set it\n")
        words = ["--resume", only_id(tmp_path), "--no-variables"]
        done = chat(model, tmp_path, *words, asks="is it there?\n")
        assert "  = False\n" in done.stdout
        assert model.messages()[-1]["content"].startswith("[the variables of the chat so far are gone]")


def test_nothing_is_stored_where_it_is_not_wanted_or_nothing_was_said(tmp_path: Path) -> None:
    with Model("1") as model:
        chat(model, tmp_path, "--no-save", asks="a\n")
        chat(model, tmp_path, asks="")
        chat(model, tmp_path, asks=":reset\n")
    assert not (tmp_path / ".code-sessions").exists()


def test_without_a_place_for_it_the_chat_is_not_stored_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    with Model("40 + 2") as model:
        done = chat(model, tmp_path, asks="a\n", XDG_STATE_HOME=str(tmp_path / "state"))
    assert "[not stored: there is no place for the key of chats" in done.stdout
    assert "  = 42\n" in done.stdout


@pytest.mark.spec("A12.3")
@pytest.mark.parametrize("damage", ["cut", "changed", "forged", "empty"])
def test_a_damaged_chat_is_refused_in_one_line(tmp_path: Path, damage: str) -> None:
    with Model("x = 41") as model:
        chat(model, tmp_path, asks="set it\n")
        id = only_id(tmp_path)
        path = tmp_path / ".code-sessions" / f"{id}.chat"
        whole = path.read_bytes()
        forged = whole[:16] + b"0" * 64 + b'\n{"id":"%s"}\n' % id.encode()
        path.write_bytes({"cut": whole[:-9], "changed": whole[:-1] + b"x", "forged": forged, "empty": b""}[damage])
        done = chat(model, tmp_path, "--resume", id, asks="go on\n")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("wasmhost: ")
    assert done.stderr.count("\n") == 1
    assert f"{id}.chat" in done.stderr
    assert len(model.bodies) == 1


def test_what_another_image_has_made_says_how_to_go_on(tmp_path: Path) -> None:
    with Model("x = 41") as model:
        chat(model, tmp_path, "-l", "python", asks="set it\n")
        id = only_id(tmp_path)
        # The same with other variables, as only this user can write it.
        program = """
import sys
from wasmhost import JavaScriptRuntime
from wasmhost.chat.chats import Chats
chats = Chats()
one = chats.load(sys.argv[1])
with JavaScriptRuntime() as session:
    session.run("1")
    one.snapshot = session.snapshot(key=chats.key)
chats.save(one)
"""
        env = environment(**model.env(tmp_path))
        subprocess.run([sys.executable, "-c", program, id], cwd=tmp_path, env=env, check=True, timeout=60)
        done = chat(model, tmp_path, "--resume", id, asks="go on\n")
    assert done.returncode == 2
    assert "the variables of the chat cannot be restored" in done.stderr
    assert "--no-variables goes on without them" in done.stderr


# ---- usage -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--code-runtime", "ruby"], "language 'ruby' is not known"),
        (["--code-runtime"], "--code-runtime needs a value"),
        (["--code-timeout", "soon"], "--code-timeout needs a number, not 'soon'"),
        (["--code-timeout", "0"], "script_ms must be above 0"),
        (["--turns", "0"], "--turns must be from 1 to 32"),
        (["--turns", "1.5"], "--turns needs a whole number"),
        (["--observation", "1"], "--observation must be from 1000"),
        (["--model-timeout", "nan"], "--model-timeout must be from 0.1"),
        (["--max-tokens", "-1"], "--max-tokens must be from 1"),
        (["--nonsense"], "option '--nonsense' is not known"),
        (["file.py"], "this command takes no source"),
        (["--resume"], "--resume needs a value"),
        (["--resume", "../x"], "'../x' is no id of a chat"),
        (["--resume", "none"], "there is no chat none in .code-sessions; there are none"),
        (["--no-variables"], "--no-variables goes with --resume ID"),
        (["--env-file", "nowhere"], "there is no file nowhere"),
        (["--base-url", "x"], "OPENAI_BASE_URL is no http or https URL"),
        (["--config", "nowhere"], "nowhere"),
        (["--capabilities", "nowhere.py"], "--capabilities nowhere.py: FileNotFoundError"),
        (["--capabilities", "nowhere"], "--capabilities nowhere: ModuleNotFoundError"),
        (["--capabilities", "json"], "there are no capabilities in it"),
        (["--capabilities", "json:none"], "there are no capabilities in it"),
        (["--capabilities", "json:__name__"], "a capability is a function, not str"),
    ],
)
def test_wrong_usage_is_told(tmp_path: Path, words: list[str], says: str) -> None:
    with Model() as model:
        done = chat(model, tmp_path, *words)
    assert done.returncode == 2, done.stdout
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_another_language_than_that_of_the_chat(tmp_path: Path) -> None:
    with Model("1") as model:
        chat(model, tmp_path, asks="a\n")
        done = chat(model, tmp_path, "--resume", only_id(tmp_path), "--code-runtime", "js")
    assert done.returncode == 2
    assert "is one of python, not of javascript" in done.stderr


@pytest.mark.spec("A11.6")
@pytest.mark.parametrize(
    ("env", "says"),
    [
        ({"OPENAI_API_KEY": None}, "no API key: set OPENAI_API_KEY in the environment or in .env"),
        ({"OPENAI_MODEL": None}, "no model: give --model NAME, or set OPENAI_MODEL"),
    ],
)
def test_what_is_missing_is_told(tmp_path: Path, env: dict[str, str | None], says: str) -> None:
    with Model() as model:
        done = chat(model, tmp_path, asks="", **env)
    assert done.returncode == 2
    assert says in done.stderr


@pytest.mark.spec("B25.4")
def test_what_is_switched_off_is_not_listed(tmp_path: Path) -> None:
    def listed(**env: str) -> bool:
        words = [sys.executable, "-c", "from wasmhost.cli import main; main(['help'])"]
        done = subprocess.run(words, capture_output=True, text=True, env=environment(**env), timeout=60, check=True)
        return "wasmhost chat" in done.stdout

    assert listed()
    assert not listed(WASMHOST_SURFACES_CHAT="false")
    with Model() as model:
        done = chat(model, tmp_path, WASMHOST_SURFACES_CHAT="false")
    assert done.returncode == 2
    assert "chat is switched off: surfaces.chat of the environment" in done.stderr


def test_the_help() -> None:
    words = [sys.executable, "-c", "from wasmhost.cli import main; main(['chat', '--help'])"]
    done = subprocess.run(words, capture_output=True, text=True, env=environment(), timeout=60, check=True)
    assert done.stdout.startswith("usage: wasmhost chat")


# ---- the demo --------------------------------------------------------------------------------------------------------


@pytest.mark.spec("A12.4")
def test_the_demo_asks_nobody_without_live(tmp_path: Path, guest: Guest) -> None:
    def demo(model: Model, *words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, ROOT / "examples" / "live_demo.py", *words],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=environment(**model.env(tmp_path)),
            timeout=60,
            check=False,
        )

    with Model(f"```{guest.name}\n40 + 2\n```", failure("500 Error")) as model:
        done = demo(model, guest.name)
        assert done.returncode == 0
        assert "--live" in done.stdout
        assert model.bodies == []
        done = demo(model, "--live", guest.name)
        assert done.returncode == 0, done.stderr
        assert "  = 42\n" in done.stdout
        assert len(model.bodies) == 1
        done = demo(model, "--live")
        assert done.returncode == 1
        assert "[model:error] status 500" in done.stdout
    assert stored(tmp_path) == []
