"""``wasmhost doctor`` says what is there, what is wrong, and what to do."""

import builtins
import json
import os
import shutil
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.support.child import run_python
from tests.support.images import ImagesFolder
from wasmhost import diagnosis
from wasmhost.cli import main
from wasmhost.diagnosis import Finding, diagnose
from wasmhost.sandbox import image as image_module
from wasmhost.sandbox.engine import engine

EVERYWHERE = {
    "python",
    "wasmhost",
    "wasmtime",
    "image of python",
    "compiled image of python",
    "image of javascript",
    "compiled image of javascript",
    "cache",
    "thread stacks",
    "dirty pages",
    "signal handlers",
    "self-test of python",
    "self-test of javascript",
}
LINUX = {"swap", "address space", "mappings"}


def by_name(findings: list[Finding]) -> dict[str, Finding]:
    found = {finding.name: finding for finding in findings}
    assert len(found) == len(findings)
    return found


def in_child(code: str) -> dict[str, Any]:
    """Findings of a process that does something first."""
    program = f"""
{code}
import json
from wasmhost.diagnosis import diagnose
print(json.dumps({{finding.name: vars(finding) for finding in diagnose()}}))
"""
    found: dict[str, Any] = json.loads(run_python(program).stdout)
    return found


def test_all_is_well_here(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["ok"] is True
    assert {finding["name"] for finding in told["findings"]} >= EVERYWHERE
    assert sys.platform != "linux" or {finding["name"] for finding in told["findings"]} == EVERYWHERE | LINUX
    assert all(set(finding) == {"name", "status", "detail", "advice", "data"} for finding in told["findings"])
    assert main(["doctor"]) == 0
    shown = capsys.readouterr().out
    assert shown.endswith("everything works\n")
    assert all(f"{finding['name']}: " in shown for finding in told["findings"])


def test_versions_and_full_hashes_are_those_of_the_files() -> None:
    from hashlib import sha256

    from wasmhost import __version__

    found = by_name(diagnose())
    assert found["wasmhost"].data["version"] == __version__
    assert found["wasmtime"].data == {
        "version": engine().lib.version,
        "path": engine().lib.path,
        "cpu_level": engine().cpu_level,
    }
    for name in ("image of javascript", "compiled image of javascript"):
        path = Path(str(found[name].data["path"]))
        assert found[name].data["sha256"] == sha256(path.read_bytes()).hexdigest()


def test_wrong_arguments_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--jsno"]) == 2
    assert "doctor does not take --jsno" in capsys.readouterr().err
    assert main(["doctor", "--help"]) == 0
    assert "--json" in capsys.readouterr().out


def test_a_damaged_image_is_wrong_and_the_exit_status_says_so(
    folder: ImagesFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    wasm = folder.images / "quickjs.wasm"
    wasm.write_bytes(wasm.read_bytes() + b"\0")
    assert main(["doctor"]) == 1
    shown = capsys.readouterr().out
    assert "WRONG  image of javascript" in shown
    assert "pip install --force-reinstall wasmhost-runtime" in shown
    # This folder has none of Python.
    assert "WRONG  image of python: missing" in shown
    assert "WRONG  self-test of python" in shown


def test_a_compiled_image_that_was_changed_is_wrong(folder: ImagesFolder) -> None:
    with folder.compiled.open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"\7")
    found = by_name(diagnose())["compiled image of javascript"]
    assert found.status == "wrong"
    assert "when it was made" in found.detail
    assert found.advice.startswith("delete it")


@pytest.mark.skipif(os.name == "nt", reason="modes of files")
def test_a_compiled_image_that_is_not_trusted_is_named(folder: ImagesFolder) -> None:
    folder.compiled.chmod(0o666)
    found = by_name(diagnose())
    assert found["compiled image of javascript"].status == "note"
    assert "writable for others" in found["compiled image of javascript"].detail
    # The self-test has compiled it into the cache meanwhile.
    assert by_name(diagnose())["compiled image of javascript"].data["path"] == str(folder.kept[0])


def test_what_lies_in_the_cache_unused_is_told(folder: ImagesFolder) -> None:
    assert by_name(diagnose())["cache"].data["unused"] == []
    old = folder.cache / "wasmhost" / "compiled" / "quickjs.0123.wasmtime12.0.0.cwasm"
    old.write_bytes(b"x")
    found = by_name(diagnose())["cache"]
    assert found.data["unused"] == [old.name]
    assert "may be deleted" in found.advice


@pytest.mark.skipif(os.name == "nt", reason="modes of files")
def test_a_cache_that_is_not_private_is_told(folder: ImagesFolder) -> None:
    shared = folder.cache / "wasmhost" / "compiled"
    shared.mkdir(parents=True)
    shared.chmod(0o755)
    found = by_name(diagnose())["cache"]
    assert found.status == "note"
    assert "WASMHOST_CACHE" in found.advice


def test_a_missing_wasmtime_is_wrong() -> None:
    program = "import sys\nsys.path[:] = [entry for entry in sys.path if 'site-packages' not in entry]"
    found = in_child(program)
    assert found["wasmtime"]["status"] == "wrong"
    assert "pip install 'wasmtime==" in found["wasmtime"]["advice"]
    assert found["self-test of python"]["status"] == "wrong"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="RLIMIT_AS")
@pytest.mark.parametrize(("gibibytes", "status"), [(3, "wrong"), (64, "note")])
def test_a_limit_of_the_address_space_is_told(gibibytes: int, status: str) -> None:
    found = in_child(f"import resource\nresource.setrlimit(resource.RLIMIT_AS, ({gibibytes} << 30, {gibibytes} << 30))")
    assert found["address space"]["status"] == status
    assert "ulimit -v" in found["address space"]["advice"]
    assert found["self-test of python"]["status"] == ("wrong" if status == "wrong" else "ok")


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_handlers_that_were_replaced_are_named() -> None:
    found = in_child(
        "from wasmhost.sandbox.engine import engine\nengine()\nimport faulthandler, warnings\n"
        "faulthandler.enable()\nwarnings.simplefilter('ignore')"
    )
    assert found["signal handlers"]["status"] == "note"
    assert found["signal handlers"]["data"]["replaced"] == ["SIGSEGV", "SIGILL", "SIGFPE", "SIGBUS"]
    found = in_child("import faulthandler\nfaulthandler.enable()")
    assert found["signal handlers"]["status"] == "ok"
    assert "faulthandler" in found["signal handlers"]["detail"]


def test_a_small_thread_is_told_how_guests_run_then() -> None:
    found: list[Finding] = []
    before = threading.stack_size(1 << 20)
    try:
        thread = threading.Thread(target=lambda: found.extend(diagnose()))
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    stacks = by_name(found)["thread stacks"]
    assert stacks.status == "note"
    assert "threads of ours" in stacks.advice


def test_without_proc_the_rest_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def open_without_proc(path: Any, *arguments: Any, **named: Any) -> Any:
        if str(path).startswith("/proc"):
            raise FileNotFoundError(f"no {path}")
        return builtins.open(path, *arguments, **named)

    monkeypatch.setattr(diagnosis, "open", open_without_proc, raising=False)
    found = by_name(diagnose())
    assert found.keys() >= EVERYWHERE
    assert all(finding.status != "wrong" for finding in found.values())
    assert found["mappings"].status == found["swap"].status == "note"


def test_without_the_kernels_help_dirty_pages_are_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    from wasmhost.sandbox import pages

    monkeypatch.setattr(pages, "_way", None)
    monkeypatch.setattr(pages, "_chosen", True)
    found = by_name(diagnose())["dirty pages"]
    assert found.status == "note"
    assert "comparing" in found.detail


def test_names_of_folders_cannot_steer_the_terminal(
    folder: ImagesFolder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    evil = folder.images.parent / "images\x1b[31m"
    shutil.copytree(folder.images, evil)
    monkeypatch.setattr(image_module, "images_folder", lambda: str(evil))
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert main(["doctor"]) == 1
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert "\\x1b[31m" in shown
