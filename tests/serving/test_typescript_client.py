"""The client in TypeScript (`examples/typescript`): compiled by tsc, tested by node against the real server."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.child import ROOT, environment
from tests.support.pins import fetched

from .programs import COMMAND, TOKEN, serving

TIMEOUT = 300
SOURCE = ROOT / "examples" / "typescript"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with its development tools, built."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node, which the client is for")
    folder = tmp_path_factory.mktemp("package")
    for name in ("wasmhost.ts", "package.json", "tsconfig.json", "README.md"):
        shutil.copy(SOURCE / name, folder)
    shutil.copytree(SOURCE / "test", folder / "test")
    pins = folder / "pins"
    fetched(pins, "typescript", "types-node", "undici-types")
    (script,) = pins.rglob("bin/tsc")
    for name, wanted in (("types-node", "@types/node"), ("undici-types", "undici-types")):
        target = folder / "node_modules" / wanted
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(pins / name, target)
    done = subprocess.run([node, script], capture_output=True, text=True, timeout=TIMEOUT, cwd=folder, check=False)
    assert (done.returncode, done.stdout) == (0, "")
    return folder


@pytest.mark.spec("A1", "C3.3")
def test_its_tests_pass_over_both_kinds_of_connections(package: Path) -> None:
    begins = "wasmhost: serving at "
    with serving("serve", "--http", "0", begins=begins, WASMHOST_SERVE_TOKEN=TOKEN) as (url, _):
        done = subprocess.run(
            ["node", "--test", "test/"],
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            cwd=package,
            env={**environment(WASMHOST_COMMAND=COMMAND, WASMHOST_SERVE_TOKEN=TOKEN), "WASMHOST_URL": url},
        )
    assert done.returncode == 0, done.stdout[-10_000:]
    counted = {name: int(number) for name, number in re.findall(r"^# (\w+) (\d+)$", done.stdout, re.MULTILINE)}
    # The five demos and more, over a pipe and over HTTP.
    assert counted["pass"] >= 25
    assert (counted["fail"], counted["skipped"], counted["todo"]) == (0, 0, 0)


def test_what_would_be_published_is_complete_and_only_that(package: Path) -> None:
    told = json.loads((package / "package.json").read_text())
    entry = told["exports"]["."]
    assert (package / entry["default"]).is_file()
    assert (package / entry["types"]).is_file()
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("there is no npm, which packs")
    done = subprocess.run(
        [npm, "pack", "--dry-run", "--ignore-scripts", "--json", "--offline"],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        cwd=package,
        env={**os.environ, "npm_config_cache": str(package / "cache")},
    )
    assert done.returncode == 0, done.stderr
    (packed,) = json.loads(done.stdout)
    files = {one["path"] for one in packed["files"]}
    names = {"wasmhost.js", "wasmhost.d.ts", "wasmhost.js.map"}
    assert files == {"README.md", "package.json", "wasmhost.ts", *(f"dist/{name}" for name in names)}
