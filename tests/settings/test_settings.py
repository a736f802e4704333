"""Settings: whose word counts, what is refused and how, and what sessions become of them."""

import os
from pathlib import Path

import pytest

import wasmhost
from tests.support.child import run_python
from tests.support.guests import Guest
from wasmhost import JavaScriptRuntime, Limits, PythonRuntime, Settings, SettingsError, TypeScriptRuntime
from wasmhost.cli import run as command
from wasmhost.settings import MAX_BYTES, SURFACES, VARIABLES

FULL = """
language = "javascript"

[limits]
script_ms = 2500
calls = 5

[policy]
allow = ["Read", "Gl*"]
default = "deny"
rules = [{ name = "Write", decision = "allow", arguments = { path = "out/*" } }]

[files]
root = "data"
write = true

[surfaces]
mcp = false
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "data" / "out").mkdir(parents=True)
    (tmp_path / "data" / "a.txt").write_text("hello\n")
    made = tmp_path / "settings.toml"
    made.write_text(FULL, encoding="utf-8")
    return made


def write(folder: Path, text: str) -> Path:
    path = folder / "s.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.spec("B25.1")
def test_what_is_given_wins_over_the_environment_which_wins_over_the_file_which_wins_over_the_default(
    file: Path,
) -> None:
    environ = {"WASMHOST_LIMITS_SCRIPT_MS": "700", "WASMHOST_LIMITS_WALL_MS": "9000", "WASMHOST_SURFACES_MCP": "true"}
    explicit = {"limits.script_ms": 300}
    made = [
        Settings.load(environ={}),
        Settings.load(file, environ={}),
        Settings.load(file, environ=environ),
        Settings.load(file, environ=environ, explicit=explicit),
    ]
    assert [one.limits.script_ms for one in made] == [1_000, 2_500, 700, 300]
    assert [one.limits.wall_ms for one in made] == [600_000, 600_000, 9_000, 9_000]
    assert [one.limits.calls for one in made] == [1_000, 5, 5, 5]
    assert [one.surface("mcp") for one in made] == [True, False, True, True]
    assert [one.source("limits.script_ms") for one in made] == [None, str(file), "the environment", "explicit"]
    assert made[3].get("limits.calls") == 5
    assert made[3].get("limits.fuel", "none") == "none"
    with made[3].runtime(limits=Limits(script_ms=50)) as session:
        assert session.limits.script_ms == 50


@pytest.mark.spec("B25.1")
def test_the_environment_names_a_file_unless_one_is_given(file: Path, tmp_path: Path) -> None:
    other = write(tmp_path, 'language = "python"')
    assert Settings.load(environ={"WASMHOST_CONFIG": str(file)}).language == "javascript"
    assert Settings.load(other, environ={"WASMHOST_CONFIG": str(file)}).language == "python"
    assert Settings.load(environ={"WASMHOST_CONFIG": ""}).language is None


@pytest.mark.spec("B25.3")
def test_nothing_is_read_that_is_not_named(file: Path, tmp_path: Path) -> None:
    for name in ("wasmhost.toml", ".wasmhost.toml", "settings.toml", "pyproject.toml"):
        (tmp_path / name).write_text("[limits]\nscript_ms = 7\n[tool.wasmhost.limits]\nscript_ms = 7\n")
    code = "from wasmhost import Settings; import sys; print(Settings.load().limits.script_ms)"
    done = run_python(f"import os; os.chdir({str(tmp_path)!r}); {code}", HOME=str(tmp_path))
    assert done.stdout == "1000\n"


@pytest.mark.spec("B25.1", "B25.2")
def test_a_session_has_what_the_settings_say(file: Path, guest: Guest) -> None:
    settings = Settings.load(file, environ={})
    assert settings.language == "javascript"
    with settings.runtime() as made:
        assert type(made) is JavaScriptRuntime
    with guest.runtime(**settings.session_options()) as session:
        wait = guest.pick(python="", javascript="await ")
        assert session.run(f"{wait}Read('a.txt')").value == "hello\n"
        assert session.run(f"{wait}Write('out/x', 'new')").ok
        assert "denied" in (session.run(f"{wait}Write('b', 'new')").error or "")
        assert "denied" in (session.run(f"{wait}Grep('x')").error or "")
        assert session.limits.script_ms == 2_500
    with settings.runtime("typescript", capabilities=[probe], policy="allow") as session:
        assert type(session) is TypeScriptRuntime
        assert session.run("[await probe(), await Read('a.txt')]").value == [7, "hello\n"]
    with pytest.raises(ValueError, match="language is one of python, javascript, typescript, not 'ruby'"):
        settings.runtime("ruby")


@pytest.mark.spec("B25.1", "C6.3")
def test_whether_timers_are_held_is_a_setting() -> None:
    assert "background" not in Settings.load(environ={}).session_options()
    held = Settings.load(environ={"WASMHOST_BACKGROUND": "hold"})
    with held.runtime("javascript") as session:
        assert session.run("setTimeout(() => {}, 1); 0").notes
    with held.runtime("javascript", background="clear") as session:
        assert not session.run("setTimeout(() => {}, 1); 0").notes
    with pytest.raises(SettingsError, match="background: must be one of clear, hold, not 'keep'"):
        Settings.load(environ={"WASMHOST_BACKGROUND": "keep"})


def probe() -> int:
    return 7


@pytest.mark.spec("B25.2")
def test_what_is_switched_off_is_not_listed(file: Path, guest: Guest) -> None:
    listing = guest.pick(python="[*tools]", javascript="Object.getOwnPropertyNames(tools)")
    settings = Settings.load(file, environ={"WASMHOST_SHELL_TIMEOUT": "5"})
    assert [pack.name for pack in settings.packs] == ["files", "shell"]
    with guest.runtime(**settings.session_options()) as session:
        assert {"Read", "Bash"} <= set(session.run(listing).value)
    off = Settings.load(file, environ={"WASMHOST_SURFACES_FILES": "false", "WASMHOST_SHELL_TIMEOUT": "5"})
    assert [pack.name for pack in off.packs] == ["shell"]
    with guest.runtime(**off.session_options()) as session:
        assert "Read" not in session.run(listing).value
        assert "Read" not in session.instructions()
        assert "Read" not in session.declarations()
    assert {name: off.surface(name, True) for name in SURFACES} == {
        **dict.fromkeys(SURFACES, True),
        "files": False,
        "mcp": False,
    }
    assert off.surface("helpers") is False
    with pytest.raises(ValueError, match="no surface 'web'"):
        off.surface("web")


@pytest.mark.spec("B25.1")
def test_http_has_its_secrets_from_the_environment_alone(tmp_path: Path) -> None:
    text = """
[http]
allow = ["GET,POST https://api.example.com/v1/*"]
secrets = [{ env = "API_TOKEN", host = "api.example.com", header = "Authorization", prefix = "Bearer " }]
"""
    path = write(tmp_path, text)
    settings = Settings.load(path, environ={"API_TOKEN": "very-secret-value"})
    assert "Fetch: the host signs in by itself at api.example.com" in settings.runtime().instructions()
    assert "very-secret-value" not in repr(settings) + settings.runtime().instructions(form="full")
    with pytest.raises(
        SettingsError, match=r"s.toml: http.secrets: number 1: the environment has no variable 'API_TOKEN'"
    ):
        Settings.load(path, environ={}).session_options()


@pytest.mark.spec("B25.3")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("limits = 5", r"limits: must be a table: \[limits\]"),
        ("[limits]\nscript = 5", r"limits.script: there is no such setting; did you mean limits.script_ms\?"),
        ("[limits]\nzzz = 5", r"limits.zzz: there is no such setting; \[limits\] has: script_ms, "),
        ("[tools]\na = 1", r"tools: there is no such setting; there are: language, \[limits\]"),
        ("langage = 'python'", r"langage: there is no such setting; did you mean language\?"),
        ("language = 'ruby'", "language: must be one of python, javascript, typescript, not 'ruby'"),
        ("[limits]\nscript_ms = 0", "limits.script_ms: must be above 0, not 0"),
        ("[limits]\nscript_ms = '5'", "limits.script_ms: must be a number of milliseconds, not '5'"),
        ("[limits]\nscript_ms = nan", "limits.script_ms: must be finite, not nan"),
        ("[limits]\ncalls = 1.5", "limits.calls: must be a whole number, not 1.5"),
        ("[limits]\nvalue_depth = 1000", "limits.value_depth: must be at most 200, not 1000"),
        ("[policy]\ndefault = 'maybe'", "policy.default: must be one of allow, deny, ask, not 'maybe'"),
        (
            "[policy]\nallow = 'Read'",
            r"policy.allow: must be a list of texts, such as \[\"one\", \"two\"\], not 'Read'",
        ),
        ("[policy]\nrules = [{name = 'x'}]", "policy.rules: number 1 lacks 'decision'"),
        (
            "[policy]\nrules = [{name = 'x', decision = 'ask', when = 1}]",
            "number 1: 'when' is not known; there are: name",
        ),
        ("[policy]\nrules = [{name = 'x', decision = 'ask', arguments = 'a'}]", "'arguments' must be a table, not 'a'"),
        ("[policy]\nrules = [{name = 'x', decision = 'yes'}]", "policy.rules: number 1: a rule's decision is one of"),
        ("[files]\nwrite = true", "files.root: is missing"),
        ("[files]\nroot = 5", "files.root: must be a text, not 5"),
        ("[files]\nroot = 'nowhere'", "files.root: No such file or directory: .*nowhere"),
        ("[files]\nroot = '.'\nresults = 0", "files.results: must be from 1 to"),
        ("[files]\nroot = '.'\nwrite = 'yes'", "files.write: must be true or false, not 'yes'"),
        ("[shell]\nenv = { A = 1 }", "shell.env: must be a table of texts"),
        ("[shell]\nprogram = 'bash'", "the pack cannot be made: .*absolute path"),
        ("[http]\ntimeout = 5", "http.allow: is missing"),
        ("[http]\nallow = ['GET ftp://x/']", "http.allow: the pack cannot be made: "),
        ("[surfaces]\nweb = true", r"surfaces.web: there is no such setting; \[surfaces\] has: helpers, files"),
        ("[surfaces]\nmcp = 'off'", "surfaces.mcp: must be true or false, not 'off'"),
        ("a = ", "not TOML: "),
        ("a = " + "[" * 100_000, "not TOML"),
        ("[limits]\n'a\\u001b[31m' = 1\n", "not TOML|there is no such setting"),
        ('[limits]\n"a\\u001b[31m\\u202e" = 1\n', r"limits.a\\x1b\[31m\\u202e: there is no such setting"),
        ("x" * (MAX_BYTES + 1), f"larger than {MAX_BYTES} bytes"),
    ],
)
def test_what_does_not_fit_is_refused_with_file_key_and_what_to_do(text: str, said: str, tmp_path: Path) -> None:
    path = write(tmp_path, text)
    with pytest.raises(SettingsError, match=said) as caught:
        Settings.load(path, environ={}).session_options()
    assert str(caught.value).startswith(f"{path}: ")
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 600 + len(str(path))


@pytest.mark.spec("B25.3")
@pytest.mark.parametrize(
    ("variable", "text", "said"),
    [
        (
            "WASMHOST_LIMITS_SCRIPT",
            "5",
            "WASMHOST_LIMITS_SCRIPT: there is no such setting; did you mean limits.script_ms",
        ),
        ("WASMHOST_LIMITS_SCRIPT_MS", "soon", "limits.script_ms: must be a number of milliseconds, not 'soon'"),
        ("WASMHOST_LIMITS_SCRIPT_MS", "1e999", "limits.script_ms: must be finite"),
        ("WASMHOST_LIMITS_CALLS", "9" * 5_000, "limits.calls: must be a whole number"),
        ("WASMHOST_POLICY_ALLOW", "Read", "policy.allow: must be a list of texts"),
        ("WASMHOST_POLICY_ALLOW", "[" * 60_000, "policy.allow: must be a list of texts"),
        ("WASMHOST_POLICY_ALLOW", " " * 70_000, "WASMHOST_POLICY_ALLOW: longer than 65536 characters"),
        ("WASMHOST_SURFACES_MCP", "off", "surfaces.mcp: must be true or false, not 'off'"),
        ("WASMHOST_LANGUAGE", "perl", "language: must be one of"),
    ],
)
def test_a_variable_that_does_not_fit_is_refused(variable: str, text: str, said: str) -> None:
    with pytest.raises(SettingsError, match=f"^the environment: {said}"):
        Settings.load(environ={variable: text})


@pytest.mark.spec("B25.1")
def test_values_of_variables() -> None:
    environ = {
        "WASMHOST_POLICY_ALLOW": '["Read", "a,b"]',
        "WASMHOST_POLICY_RULES": '[{"name": "x", "decision": "ask"}]',
        "WASMHOST_LANGUAGE": "python",
        "WASMHOST_SHELL_CWD": "123",
        "WASMHOST_SURFACES_SHELL": "true",
        "WASMHOST_LIMITS_FUEL": "1000000",
        # Not of settings.
        "WASMHOST_CACHE": "/x",
        "WASMHOST_SOURCES": "/y",
        "PATH": "/bin",
    }
    settings = Settings.load(environ=environ)
    assert settings.get("policy.allow") == ["Read", "a,b"]
    assert settings.get("shell.cwd") == "123"
    assert settings.limits == Limits(fuel=1_000_000)
    policy = settings.policy
    assert policy is not None
    assert policy.decide("x", True, {}).decision == "ask"
    assert policy.decide("a,b", False, {}).decision == "allow"


@pytest.mark.spec("B25.3")
def test_only_regular_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, said in (
        ("pipe", "not a regular file"),
        ("", "not a regular file"),
        ("no", "No such file"),
    ):
        with pytest.raises(SettingsError, match=said):
            Settings.load(tmp_path / name, environ={})
    with pytest.raises(SettingsError, match="not the name of a file"):
        Settings.load("a\0b", environ={})
    (tmp_path / "latin").write_bytes(b"a = '\xe9'")
    with pytest.raises(SettingsError, match=r"not UTF-8: .* at byte 5"):
        Settings.load(tmp_path / "latin", environ={})


def test_explicit_settings_are_checked_too() -> None:
    with pytest.raises(SettingsError, match=r"explicit: limits\.scriptms: there is no such setting; did you mean"):
        Settings.load(environ={}, explicit={"limits.scriptms": 1})


def test_the_bare_runtime_reads_no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WASMHOST_LIMITS_SCRIPT_MS", "5")
    with PythonRuntime() as session:
        assert session.limits.script_ms == 1_000


def test_the_command_knows_the_variables() -> None:
    assert sorted(command._VARIABLES) == sorted(VARIABLES)
    assert wasmhost.Settings is Settings


def test_toml_is_loaded_only_when_a_file_is(tmp_path: Path) -> None:
    code = "import sys; from wasmhost import Settings; Settings.load()"
    assert run_python(f"{code}; print({{'tomllib', 'pydantic'}} & {{*sys.modules}})").stdout == "set()\n"
