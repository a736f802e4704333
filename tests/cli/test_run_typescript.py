"""``wasmhost run`` of TypeScript, by option and by the extension of a file."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

CODE = "enum Level { Low = 1, High }\nconst x: Level = Level.High\nconsole.log(Level[x] as string)\nx"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).parent / "wasmhost"), "run", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("name", ["ts", "typescript", "TypeScript"])
def test_the_language_has_two_names(name: str) -> None:
    done = run("-l", name, "-c", CODE)
    assert (done.returncode, done.stdout, done.stderr) == (0, "High\n2\n", "")


@pytest.mark.parametrize("extension", ["ts", "mts", "cts"])
def test_the_extension_tells_the_language(tmp_path: Path, extension: str) -> None:
    file = tmp_path / f"cell.{extension}"
    file.write_text(CODE)
    done = run("--json", str(file))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["value"] == 2


@pytest.mark.spec("A5.4")
def test_a_syntax_error_is_shown_with_line_and_column() -> None:
    done = run("-l", "ts", "-c", "let ok: string\ninterface A { x: }")
    assert done.returncode == 1
    assert done.stderr.splitlines()[:3] == ["<cell 1>:2", "interface A { x: }", " " * 17 + "^"]
