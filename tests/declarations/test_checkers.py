"""Declarations pass the type checkers, with a program that uses them rightly and one that does not."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.pins import fetched
from wasmhost import JavaScriptRuntime, PythonRuntime
from wasmhost.declarations import FORMS, Given, python_stub, typescript_declarations
from wasmhost.packs import files, sampling, shell

from .collisions import COLLISIONS
from .rich import ALL

HERE = Path(__file__).parent
TIMEOUT = 100


def marked(path: Path) -> set[tuple[str, int]]:
    """The lines on which a checker must find something."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return {(path.name, number) for number, line in enumerate(lines, 1) if line.endswith((" # wrong", "// wrong"))}


def programs(form: str) -> list[str]:
    return ["right", "wrong", *(["forms"] if form == "full" else [])]


@pytest.fixture(scope="session")
def mypy_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mypy")


def mypy(folder: Path, cache: Path, *files: str) -> str:
    """What mypy says, warnings as errors; the guest's version of Python."""
    words = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--python-version",
        "3.13",
        "--config-file=",
        "--no-color-output",
    ]
    words += ["--cache-dir", str(cache), "--no-error-summary", *files]
    done = subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT, cwd=folder, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


@pytest.mark.spec("D7.1")
@pytest.mark.parametrize("form", FORMS)
def test_a_stub_passes_mypy_and_so_do_right_programs_only(form: str, tmp_path: Path, mypy_cache: Path) -> None:
    (tmp_path / "environment.pyi").write_text(python_stub(ALL, form=form), encoding="utf-8")
    wanted = set()
    for name in programs(form):
        shutil.copy(HERE / f"{name}.py.txt", tmp_path / f"{name}.py")
        wanted |= marked(tmp_path / f"{name}.py")
    said = mypy(tmp_path, mypy_cache, "environment.pyi", *(f"{name}.py" for name in programs(form)))
    found = re.findall(r"^([\w.]+):(\d+): error", said, re.MULTILINE)
    assert {(file, int(line)) for file, line in found} == wanted, said


@pytest.mark.spec("D7.1")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", COLLISIONS)
def test_names_that_collide_with_those_of_types_do_no_harm(
    name: str, form: str, tmp_path: Path, mypy_cache: Path
) -> None:
    (tmp_path / "environment.pyi").write_text(python_stub(COLLISIONS[name], form=form), encoding="utf-8")
    assert mypy(tmp_path, mypy_cache, "environment.pyi") == ""


@pytest.fixture(scope="session")
def tsc(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The TypeScript compiler by its pin (`scripts/typescript-expected`)."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node, in which the TypeScript compiler runs")
    folder = tmp_path_factory.mktemp("typescript")
    fetched(folder, "typescript")
    (script,) = folder.rglob("bin/tsc")
    return [node, str(script), "--noEmit", "--strict", "--pretty", "false", "--target", "es2022", "--lib", "es2022"]


def compiled(tsc: list[str], folder: Path, capabilities: Given, form: str, *files: str) -> str:
    (folder / "environment.d.ts").write_text(typescript_declarations(capabilities, form=form), encoding="utf-8")
    words = [*tsc, "environment.d.ts", *files]
    return subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT, cwd=folder, check=False).stdout


@pytest.mark.spec("D7.2")
@pytest.mark.parametrize("form", FORMS)
def test_declarations_pass_tsc_and_so_do_right_programs_only(form: str, tmp_path: Path, tsc: list[str]) -> None:
    wanted = set()
    for name in programs(form):
        shutil.copy(HERE / f"{name}.ts", tmp_path)
        wanted |= marked(tmp_path / f"{name}.ts")
    said = compiled(tsc, tmp_path, ALL, form, *(f"{name}.ts" for name in programs(form)))
    found = re.findall(r"^([\w.]+)\((\d+),\d+\): error", said, re.MULTILINE)
    assert {(file, int(line)) for file, line in found} == wanted, said


@pytest.mark.spec("D7.2")
def test_names_that_collide_in_typescript(tmp_path: Path, tsc: list[str]) -> None:
    every = [one for group in COLLISIONS.values() for one in group]
    assert compiled(tsc, tmp_path, every, "full") == ""


# ---- short forms ---------------------------------------------------------------------------------------------------

SHORT_PYTHON = """
from environment import *
async def right() -> None:
    a: str = cat("a", 1, limit=2)
    b: list[str] = rgf("x", glob="*.py") + gl("*", "src")
    for match in rg("x", ignore_case=True, limit=5):
        cat(match["path"])
    put(a, b"bytes")
    c: str = await sh(sh_quote("x"), timeout=5, cwd="src")
    d: str = await haiku(c)
    e: int = (await fable(d, {"type": "integer"})) + 1
    chdir("src").upper()
    repo_hint.upper()
    o.anything = e
    o["other"] = b
"""
SHORT_TYPESCRIPT = """
async function right(): Promise<void> {
  const a: string = await cat("a", { offset: 1 }) + await cat("a", 1, 2);
  const b: string[] = [...await rgf("x", { glob: "*.py" }), ...await gl("*", "src")];
  for (const { path, line } of await rg("x", { ignore_case: true, limit: 5 })) await cat(path, line);
  await put(a, new Uint8Array(1));
  const c: string = await sh(shQuote("x"), { timeout: 5, cwd: "src" });
  const d: string = await haiku(c);
  const e: number = (await fable(d, { type: "integer" })) + 1;
  chdir("src").toUpperCase();
  repoHint.toUpperCase();
  o.anything = str(e) + b;
}
"""


async def model(prompt: str, schema: "dict[str, Any] | None") -> str:
    return prompt


def everything(folder: Path) -> "dict[str, Any]":
    packs = [files(folder, write=True), shell(cwd=folder), sampling(model)]
    return {"capabilities": packs, "helpers": True, "hint": "x"}


@pytest.mark.spec("D7.1", "B9.10")
def test_short_forms_are_declared_for_python(tmp_path: Path, mypy_cache: Path) -> None:
    with PythonRuntime(**everything(tmp_path)) as session:
        for form in FORMS:
            (tmp_path / "environment.pyi").write_text(session.declarations(form=form))
            for wrong in ("", "    sh('x').upper()", "    cat(5)", "    nowhere('x')"):
                (tmp_path / "program.py").write_text(f"{SHORT_PYTHON}{wrong}\n")
                assert (mypy(tmp_path, mypy_cache, "program.py") == "") == (wrong == ""), wrong


@pytest.mark.spec("D7.2", "B9.10")
def test_short_forms_are_declared_for_typescript(tmp_path: Path, tsc: list[str]) -> None:
    with JavaScriptRuntime(**everything(tmp_path)) as session:
        (tmp_path / "environment.d.ts").write_text(session.declarations())
    (tmp_path / "right.ts").write_text(SHORT_TYPESCRIPT)
    (tmp_path / "wrong.ts").write_text('async function wrong() { (sh("x")).trim(); cat(5); nowhere("x"); }')
    words = [*tsc, "environment.d.ts", "right.ts", "wrong.ts"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT, cwd=tmp_path, check=False)
    assert "right.ts" not in done.stdout
    assert done.stdout.count("wrong.ts(1,") == 3, done.stdout
