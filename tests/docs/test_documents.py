"""Every Python block of the documents runs and prints what stands below it; every link leads somewhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import wasmhost
from tests.support.child import ROOT, environment

from .blocks import blocks, run_python_blocks

DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "licenses").glob("*.md")])
WITH_PYTHON = [path for path in DOCUMENTS if any(block.language == "python" for block in blocks(path))]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_the_guide_and_the_readme_are_among_them() -> None:
    assert {"README.md", "docs/guide.md"} <= {shown(path) for path in WITH_PYTHON}


@pytest.mark.parametrize("path", WITH_PYTHON, ids=shown)
def test_python_blocks_run_and_print_what_stands_below_them(path: Path) -> None:
    for told in run_python_blocks(path):
        if told.expected is not None:
            assert told.printed == told.expected, f"{shown(path)}:{told.line}"


def test_every_block_of_the_guide_that_prints_says_what() -> None:
    silent = [told.line for told in run_python_blocks(ROOT / "docs" / "guide.md") if told.printed and not told.expected]
    assert silent == []


@pytest.mark.parametrize("path", EXAMPLES, ids=shown)
def test_an_example_runs(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", path],
        capture_output=True,
        text=True,
        timeout=60,
        env=environment(),
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout


def anchors(path: Path) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("path", DOCUMENTS, ids=shown)
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text(encoding="utf-8")):
        if target.startswith(("http:", "https:", "mailto:")):
            continue
        file, _, anchor = target.partition("#")
        other = path if not file else path.parent / file
        assert other.exists(), f"{shown(path)} links to {target}"
        if anchor:
            assert anchor in anchors(other), f"{shown(path)} links to {target}"


@pytest.mark.parametrize("path", DOCUMENTS, ids=shown)
def test_documents_have_no_paths_of_a_machine(path: Path) -> None:
    assert not re.search(r"(^|[\s\"'(=])/(root|home|tmp|Users)/", path.read_text(encoding="utf-8"))


def test_the_reference_is_that_of_the_docstrings() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "reference", "--check"],
        capture_output=True,
        text=True,
        timeout=60,
        env=environment(),
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", wasmhost.__all__)
def test_every_public_name_is_described(name: str) -> None:
    text = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    found = re.search(rf"^(### `{name}\b|\* `{name}` \()", text, re.MULTILINE)
    assert found, f"{name} is not in docs/reference.md"
    assert (getattr(wasmhost, name).__doc__ or "").strip()
