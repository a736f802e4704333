"""``wasmhost run`` with settings: a file, the environment, and options that win over both."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.child import environment


def run(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).parent / "wasmhost"), "run", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=environment(**env))


@pytest.fixture
def config(tmp_path: Path) -> str:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.txt").write_text("from a file")
    path = tmp_path / "settings.toml"
    path.write_text('language = "python"\n[limits]\nscript_ms = 100\n[files]\nroot = "data"\nwrite = true\n')
    return str(path)


SPIN = "while True: pass"
READ = "print(Read('a.txt'))"


@pytest.mark.spec("B25.1")
def test_a_file_gives_language_limits_and_packs(config: str) -> None:
    done = run("--config", config, "-c", READ)
    assert (done.returncode, done.stdout, done.stderr) == (0, "from a file\n", "")
    assert "100" in run(f"--config={config}", "-c", SPIN).stderr
    denied = run("--config", config, "-c", "Write('b', 'x')")
    assert denied.returncode == 1
    assert "Write was denied" in denied.stderr


@pytest.mark.spec("B25.1")
def test_options_win_over_the_environment_which_wins_over_the_file(config: str) -> None:
    files = {"WASMHOST_CONFIG": config}
    assert run("-c", READ, **files).stdout == "from a file\n"
    assert "100" in run("-c", SPIN, **files).stderr
    assert "150" in run("-c", SPIN, **files, WASMHOST_LIMITS_SCRIPT_MS="150").stderr
    assert "200" in run("-c", SPIN, "--timeout", "200", **files, WASMHOST_LIMITS_SCRIPT_MS="150").stderr
    assert run("-l", "js", "-c", "typeof Read", **files).stdout == "'function'\n"
    assert run("-l", "js", "-c", "typeof Read", **files, WASMHOST_SURFACES_FILES="false").stdout == "'undefined'\n"


@pytest.mark.spec("B25.3")
@pytest.mark.parametrize(
    ("arguments", "env", "said"),
    [
        (("--config", "nowhere.toml", "-c", "1"), {}, "nowhere.toml: cannot be read: No such file"),
        (("-l", "py", "-c", "1"), {"WASMHOST_LIMITS_X": "1"}, "WASMHOST_LIMITS_X: there is no such setting"),
        (
            ("-l", "py", "-c", "1", "--timeout", "0"),
            {"WASMHOST_LANGUAGE": "python"},
            "limits.script_ms: must be above 0",
        ),
        (("-c", "1", "--config"), {}, "--config needs a value"),
        (("-l", "py", "-c", "1"), {"WASMHOST_FILES_ROOT": "/no/where"}, "files.root: No such file"),
    ],
)
def test_what_is_wrong_is_one_line(arguments: tuple[str, ...], env: dict[str, str], said: str) -> None:
    done = run(*arguments, **env)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.startswith("wasmhost: ")
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


@pytest.mark.spec("B25.3")
def test_no_file_of_the_working_folder_is_read(config: str) -> None:
    command = [str(Path(sys.executable).parent / "wasmhost"), "run", "-l", "python", "-c", "'Read' in dir()"]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=False, env=environment(), cwd=os.path.dirname(config)
    )
    assert (done.returncode, done.stdout) == (0, "False\n")
