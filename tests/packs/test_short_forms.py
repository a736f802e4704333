"""The short forms of what packs offer, and the prepared object: in the guest, and through the same pipeline."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.drivers import Driver
from tests.support.guests import Guest
from wasmhost import Policy, Rule, Settings
from wasmhost.helpers import short_forms
from wasmhost.packs import files, sampling, shell
from wasmhost.session.session import Session


async def echo(prompt: str, schema: dict[str, Any] | None) -> Any:
    return {"n": len(prompt)} if schema else f"you said {prompt}"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "src" / "deep").mkdir(parents=True)
    (tmp_path / "top.txt").write_text("one\ntwo\nthree\n")
    (tmp_path / "src" / "a.py").write_text("old(1)\nnew(2)\n")
    (tmp_path / "src" / "deep" / "b.py").write_text("OLD(3)\n")
    return tmp_path


@pytest.fixture
def session(root: Path, guest: Guest) -> Iterator[Session]:
    packs = [files(root, write=True), shell(cwd=root), sampling(echo)]
    with guest.runtime(capabilities=packs, policy="allow", helpers=True, hint="a small tree") as made:
        yield made


def names(result: Any) -> list[tuple[str, str]]:
    return [(call.name, call.state) for call in result.calls]


@pytest.mark.spec("B9.8")
@pytest.mark.parametrize(
    ("python", "javascript", "value", "tool"),
    [
        ("cat('top.txt')", "await cat('top.txt')", "one\ntwo\nthree\n", "Read"),
        ("cat('top.txt', 2, 1)", "await cat('top.txt', 2, 1)", "two\n", "Read"),
        ("cat('top.txt', limit=1)", "await cat('top.txt', { limit: 1 })", "one\n", "Read"),
        ("rgf('old')", "await rgf('old')", ["src/a.py"], "Grep"),
        (
            "rgf('old', ignore_case=True)",
            "await rgf('old', { ignore_case: true })",
            ["src/a.py", "src/deep/b.py"],
            "Grep",
        ),
        ("rgf('OLD', 'src/deep')", "await rgf('OLD', 'src/deep')", ["src/deep/b.py"], "Grep"),
        ("rg('new')", "await rg('new')", [{"path": "src/a.py", "line": 2, "text": "new(2)"}], "Grep"),
        ("rg('e', glob='*.py', limit=1)", "await rg('e', { glob: '*.py', limit: 1 })", "*", "Grep"),
        ("gl('**/*.py')", "await gl('**/*.py')", ["src/a.py", "src/deep/b.py"], "Glob"),
        ("gl('*.py', 'src')", "await gl('*.py', 'src')", ["src/a.py"], "Glob"),
        (
            "put('n/x.txt', 'hi')",
            "await put('n/x.txt', 'hi')",
            {"path": "n/x.txt", "bytes": 2, "created": True},
            "Write",
        ),
        ("await sh('cat top.txt | wc -l')", "await sh('cat top.txt | wc -l')", "3\n", "Bash"),
        ("await sh('pwd', cwd='src')", "(await sh('pwd', { cwd: 'src' })).slice(-5)", "*", "Bash"),
        ("await haiku('hello')", "await haiku('hello')", "you said hello", "Sample"),
        ("await opus('x', {'type': 'object'})", "await opus('x', { type: 'object' })", {"n": 1}, "Sample"),
        ("await sonnet(prompt='x')", "await sonnet('x')", "you said x", "Sample"),
        ("await fable('x')", "await fable('x')", "you said x", "Sample"),
    ],
)
def test_each_is_a_call_of_its_capability(
    session: Session, guest: Guest, driver: Driver, python: str, javascript: str, value: Any, tool: str
) -> None:
    result = driver.run(session, guest.pick(python=python, javascript=javascript))
    assert result.ok, result.error
    if value != "*":
        assert result.value == value
    assert names(result) == [(tool, "completed")]


@pytest.mark.spec("B9.9")
def test_the_working_folder_is_that_of_a_cell(session: Session, guest: Guest, driver: Driver) -> None:
    await_ = guest.pick(python="", javascript="await ")
    cell = (
        f"a = chdir('src'); b = {await_}cat('a.py'); c = {await_}gl('*'); d = chdir('deep'); e = {await_}cat('b.py')\n"
        f"f = await sh('pwd'); g = {await_}put('new.txt', ''); h = chdir('/'); i = {await_}cat('top.txt'); j "
        f"= chdir();\n"
        "[a, b, c, d, e, f, g['path'], h, j]"
    )
    value = driver.value(session, cell)
    assert value[:5] == ["src", "old(1)\nnew(2)\n", ["src/a.py"], "src/deep", "OLD(3)\n"]
    assert value[5].endswith("/src/deep\n")
    assert value[6:] == ["src/deep/new.txt", ".", "."]
    driver.value(session, "chdir('src')")
    assert not driver.run(session, f"{await_}cat('a.py')").ok
    assert driver.value(session, f"{await_}cat('src/a.py')") == "old(1)\nnew(2)\n"


@pytest.mark.spec("B9.9")
def test_no_way_of_changing_the_folder_leads_out(session: Session, guest: Guest, driver: Driver) -> None:
    await_ = guest.pick(python="", javascript="await ")
    for folder in ("..", "../..", "src/../..", "/..", "/etc", "//etc"):
        result = driver.run(session, f"chdir({folder!r}); {await_}cat('passwd')")
        assert not result.ok
        assert "root:" not in (result.error or "")
        result = driver.run(session, f"chdir({folder!r}); await sh('pwd')")
        assert not result.ok, result.value


@pytest.mark.spec("B9.8", "B11")
def test_rules_see_the_capability(root: Path, guest: Guest, driver: Driver) -> None:
    policy = Policy([Rule("Write", "deny", {"path": "src/*"}), Rule("Bash", "deny")], allow=["Read", "Write"])
    packs = [files(root, write=True), shell(cwd=root)]
    with guest.runtime(capabilities=packs, policy=policy, helpers=True) as session:
        await_ = guest.pick(python="", javascript="await ")
        result = driver.run(session, f"chdir('src'); {await_}put('a.py', 'x')")
        assert result.error_type == "PermissionError"
        assert names(result) == [("Write", "denied")]
        assert (root / "src" / "a.py").read_text() == "old(1)\nnew(2)\n"
        assert driver.run(session, "await sh('ls')").error_type == "PermissionError"
        assert driver.value(session, f"{await_}put('b.txt', 'x')")["created"] is True


@pytest.mark.spec("B9.8")
def test_a_command_that_fails_raises_with_what_it_said(session: Session, guest: Guest, driver: Driver) -> None:
    result = driver.run(session, "await sh('echo out; echo oops >&2; exit 3')")
    assert "the command ended with exit code 3: oops" in (result.error or "")
    caught = guest.pick(
        python="try:\n    await sh('echo out; echo oops >&2; exit 3')\nexcept RuntimeError as e:\n"
        "    got = [e.exit_code, e.stdout, e.stderr]\ngot",
        javascript="let got; try { await sh('echo out; echo oops >&2; exit 3') } "
        "catch (e) { got = [e.exitCode, e.stdout, e.stderr] } got",
    )
    assert driver.value(session, caught) == [3, "out\n", "oops\n"]
    result = driver.run(
        session, guest.pick(python="await sh('sleep 9', timeout=0.1)", javascript="await sh('sleep 9', 0.1)")
    )
    assert "the command was stopped for its time" in (result.error or "")


@pytest.mark.spec("B8")
@pytest.mark.parametrize("form", ["sh('ls')", "haiku('x')"])
def test_one_that_was_not_awaited_is_named(session: Session, guest: Guest, driver: Driver, form: str) -> None:
    result = driver.run(
        session, guest.pick(python=f"f'{{{form.replace(chr(39), chr(34))}}}'", javascript=f"`${{{form}}}`")
    )
    assert result.error_type == "TypeError"
    name = form.partition("(")[0]
    assert f"await {name}(...)" in (result.error or "")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("cat(5)", "cat: path is a str"),
        ("gl(None)", "gl: pattern is a str"),
        ("rg([])", "rg: pattern is a str"),
        ("chdir(5)", "chdir: path is a str"),
        ("await sh(5)", "sh: command is a str"),
        ("await haiku(5)", "haiku: prompt is a str"),
    ],
)
def test_wrong_arguments_are_named(session: Session, guest: Guest, driver: Driver, code: str, message: str) -> None:
    if guest.name == "javascript":
        code = "await " + code.removeprefix("await ").replace("None", "null")
    result = driver.run(session, code)
    assert result.error_type == "TypeError"
    assert message in (result.error or "")


@pytest.mark.spec("B9.8")
def test_each_is_there_only_with_its_capability(root: Path, guest: Guest) -> None:
    every = ["cat", "rg", "rgf", "gl", "put", "sh", "haiku", "opus", "sonnet", "fable", "chdir"]
    there = guest.pick(
        python=f"import builtins\n[n for n in {every} if hasattr(builtins, n)]",
        javascript=f"{every}.filter(n => n in globalThis)",
    )
    for packs, expected in (
        ([], []),
        ([files(root)], ["cat", "rg", "rgf", "gl", "chdir"]),
        ([shell(cwd=root)], ["sh", "chdir"]),
        ([sampling(echo)], ["haiku", "opus", "sonnet", "fable"]),
    ):
        with guest.runtime(capabilities=packs, helpers=True) as session:
            assert session.run(there).value == expected
            told = {one.name for one in short_forms(guest.name, [one.name for pack in packs for one in pack])}
            assert told & set(every) == set(expected) - {"opus", "sonnet", "fable"}
            for name in every:
                assert (f"`{name}(" in session.instructions() or f"await {name}(" in session.instructions()) == (
                    name in expected and name not in ("opus", "sonnet", "fable")
                )
        with guest.runtime(capabilities=packs) as session:
            assert session.run(there).value == []


def test_a_name_of_the_users_comes_first(session: Session, guest: Guest, driver: Driver) -> None:
    driver.run(session, guest.assign("cat", "5"))
    assert driver.value(session, "cat") == 5
    with guest.runtime(capabilities=[haiku, *files("/tmp")], policy="allow", helpers=True) as other:
        assert driver.value(other, guest.pick(python="haiku('x')", javascript="await haiku('x')")) == "my own x"


def haiku(prompt: str) -> str:
    return f"my own {prompt}"


# ---- the others ----------------------------------------------------------------------------------------------------


@pytest.mark.spec("B6.1")
def test_a_text_as_a_word_of_a_shell(session: Session, guest: Guest, driver: Driver) -> None:
    quote = guest.pick(python="sh_quote", javascript="shQuote")
    for text in ("", "plain", "it's", "a b;$(rm)", "'", '"', "\n", "*"):
        assert driver.value(session, f"await sh('printf %s ' + {quote}({text!r}))") == text


@pytest.mark.spec("B6.1")
def test_the_hint(session: Session, guest: Guest, driver: Driver) -> None:
    name = guest.pick(python="repo_hint", javascript="repoHint")
    assert driver.value(session, name) == "a small tree"
    assert f"also in `{name}`: a small tree" in session.instructions()
    driver.reset(session)
    assert driver.value(session, name) == "a small tree"


@pytest.mark.spec("B6.1")
def test_str_of_javascript(session: Session, guest: Guest, driver: Driver) -> None:
    if guest.name == "javascript":
        cell = "[str('a'), str({ a: [1] }), str(null), str(new Map([[1, 2]]))]"
        assert driver.value(session, cell) == ["a", "{ a: [ 1 ] }", "null", "Map(1) { 1 => 2 }"]
    else:
        assert driver.value(session, "str is type('')") is True


@pytest.mark.spec("B7.1")
def test_what_is_in_o_is_the_value_of_a_cell_without_one(session: Session, guest: Guest, driver: Driver) -> None:
    nothing = guest.pick(python="\nNone", javascript="; undefined")
    assert driver.value(session, f"o.x = 1; o['y'] = [2]{nothing}") == {"x": 1, "y": [2]}
    assert driver.value(session, f"o.x = 1{nothing.replace('None', '7').replace('undefined', '7')}") == 7
    result = driver.run(session, f"1{nothing}")
    assert (result.ok, result.value, result.value_text) == (True, None, "")
    assert driver.value(session, guest.pick(python="o", javascript="o")) == {}
    awaited = guest.pick(python="o.x = await haiku('a')\nNone", javascript="o.x = haiku('a'); undefined")
    assert driver.value(session, awaited) == {"x": "you said a"}
    failed = driver.run(session, "o.x = 1; undefined_name")
    assert not failed.ok
    assert driver.run(session, f"1{nothing}").value is None


@pytest.mark.spec("B7.1")
def test_a_variable_of_that_name_is_the_users(session: Session, guest: Guest, driver: Driver) -> None:
    nothing = guest.pick(python="\nNone", javascript="; undefined")
    driver.run(session, guest.pick(python="for o in [1, 2]: pass", javascript="let o = 2; undefined"))
    assert driver.run(session, f"1{nothing}").value is None
    assert driver.value(session, "o") == 2


def test_without_helpers_there_is_no_o(guest: Guest) -> None:
    with guest.runtime() as session:
        assert session.run("o").error_type in ("NameError", "ReferenceError")
        assert session.run(guest.pick(python="repo_hint", javascript="repoHint")).ok is False


@pytest.mark.spec("B6.2")
def test_what_a_cell_does_to_o_is_gone_with_it(session: Session, guest: Guest, driver: Driver) -> None:
    if guest.name == "javascript":
        driver.run(session, "Object.defineProperty(globalThis, 'o', { value: 1, configurable: false }); undefined")
        driver.run(session, "Object.freeze(globalThis); undefined")
    else:
        driver.run(session, "import builtins\nbuiltins.o = 5\nbuiltins.__dict__.pop('o')")
    assert driver.value(session, guest.pick(python="o.a = 1\nNone", javascript="o.a = 1; undefined")) == {"a": 1}


def test_settings_switch_them_on(root: Path, guest: Guest) -> None:
    explicit = {"files.root": str(root), "surfaces.helpers": True}
    with Settings.load(environ={}, explicit=explicit).runtime(guest.name) as session:
        assert (
            session.run(guest.pick(python="cat('top.txt', 1, 1)", javascript="await cat('top.txt', 1, 1)")).value
            == "one\n"
        )
    with Settings.load(environ={}, explicit={"files.root": str(root)}).runtime(guest.name) as session:
        assert not session.run("cat").ok


def test_snapshots_and_branches_have_them(root: Path, guest: Guest) -> None:
    options: dict[str, Any] = {"capabilities": [files(root)], "policy": "allow", "helpers": True}
    read = guest.pick(python="cat('top.txt', 1, 1)", javascript="await cat('top.txt', 1, 1)")
    with guest.runtime(**options) as session:
        session.run("o.x = 1")
        with session.fork()[0] as branch:
            assert branch.run(read).value == "one\n"
        data = session.snapshot()
    with guest.runtime.restore(data, **options) as session:
        assert session.run(read).value == "one\n"
    with guest.runtime.restore(data) as session:
        assert not session.run(read).ok
