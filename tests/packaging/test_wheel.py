"""The wheel of this checkout, installed where there is nothing else: no network, no compiler, no cache."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import venv
import zipfile
from dataclasses import dataclass
from email.parser import Parser
from hashlib import sha256
from pathlib import Path

import components as parts
import pins
import plan
import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from registries import pip_command

from tests.docs.blocks import blocks

ROOT = Path(__file__).resolve().parents[2]
WHEEL_BYTES = 100_000_000
INFO = f"wasmhost_runtime-{parts.own_version()}.dist-info"


@dataclass
class Installed:
    folder: Path
    home: Path

    @property
    def python(self) -> Path:
        return self.folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

    @property
    def command(self) -> Path:
        return self.python.parent / "wasmhost"

    def run(self, *words: object, before: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
        # Nothing of this environment: no PATH with a compiler, no PYTHONPATH with the checkout, an empty home.
        env = {"HOME": str(self.home), "PATH": str(self.home)}
        argv = [*before, *map(str, words)]
        return subprocess.run(argv, capture_output=True, text=True, timeout=100, env=env, cwd=self.home, check=False)

    @property
    def kept(self) -> list[str]:
        """What runs left in the home."""
        return sorted(path.name for path in self.home.rglob("*") if path.is_file())


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder],
        cwd=ROOT,
        check=True,
        capture_output=True,
        timeout=100,
    )
    (made,) = folder.iterdir()
    return made


@pytest.fixture(scope="session")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    wheels = plan.cache_folder() / "wheels"
    if not wheels.is_dir():
        pytest.skip(f"the wheels of what wasmhost needs are not in {wheels}")
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False, symlinks=os.name != "nt")
    command, env = pip_command()
    python = Installed(folder, folder).python
    env = {**env, "PIP_CONFIG_FILE": os.devnull, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels)}
    install = [*command, "--python", str(python), "install", "--quiet", "--ignore-installed", str(wheel)]
    done = subprocess.run(install, env=env, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def installed(environment: Path, tmp_path: Path) -> Installed:
    return Installed(environment, tmp_path)


def names(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as file:
        return file.namelist()


def read(wheel: Path, name: str) -> bytes:
    with zipfile.ZipFile(wheel) as file:
        return file.read(name)


# ---- what is in it ----


def test_it_is_a_wheel_of_this_platform_for_every_python(wheel: Path) -> None:
    assert wheel.name.startswith(f"wasmhost_runtime-{parts.own_version()}-py3-none-")
    assert not wheel.name.endswith("-any.whl")
    tags = [line for line in read(wheel, f"{INFO}/WHEEL").decode().splitlines() if line.startswith("Tag: ")]
    assert all(tag.startswith("Tag: py3-none-") for tag in tags)
    if sys.platform == "linux":
        assert {tag.split("-")[2].split("_")[0] for tag in tags} == {"manylinux", "musllinux"}
    assert wheel.stat().st_size < WHEEL_BYTES


def test_it_has_images_compiled_images_types_and_nothing_that_was_not_made_here(wheel: Path) -> None:
    found = names(wheel)
    for name in plan.NAMES:
        kinds = [Path(entry).suffix for entry in found if entry.startswith(f"wasmhost/images/{name}.")]
        assert sorted(kinds) == [".cwasm", ".info", ".sha256", ".wasm"]
    assert "wasmhost/py.typed" in found
    assert {entry.split("/")[0] for entry in found} == {"wasmhost", INFO, INFO.replace("dist-info", "data")}
    allowed = {".py", ".typed", ".wasm", ".info", ".cwasm", ".sha256"}
    assert {Path(entry).suffix for entry in found if entry.startswith("wasmhost/")} == allowed
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "wasmhost").rglob("*.py")}
    assert {entry for entry in found if entry.endswith(".py")} == modules


def test_it_has_the_licence_and_every_notice(wheel: Path) -> None:
    assert read(wheel, f"{INFO}/licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()
    for component in parts.load().bundled:
        assert read(wheel, f"{INFO}/licenses/licenses/{component.notice.name}") == component.notice.read_bytes()
    metadata = Parser().parsestr(read(wheel, f"{INFO}/METADATA").decode())
    assert metadata["Name"] == parts.DISTRIBUTION
    assert metadata["License-Expression"] == parts.load().expression()
    assert {"LICENSE", "licenses/README.md"} <= set(metadata.get_all("License-File") or [])


def test_its_bill_of_materials_is_valid_and_that_of_its_images(wheel: Path) -> None:
    text = read(wheel, f"{INFO}/sboms/{parts.DISTRIBUTION}.cdx.json").decode()
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    document = json.loads(text)
    hashes = {row["bom-ref"]: row["hashes"][0]["content"] for row in document["components"] if "hashes" in row}
    for name in plan.NAMES:
        assert hashes[f"image:{name}"] == sha256(read(wheel, f"wasmhost/images/{name}.wasm")).hexdigest()
    bundled = {component.pin for component in parts.load().bundled}
    assert bundled <= set(pins.load())
    assert {f"component:{each.id}" for each in parts.load().bundled} <= {
        each["bom-ref"] for each in document["components"]
    }


def test_its_command_is_a_plain_script(wheel: Path) -> None:
    # One made from an entry point imports `re` and more before the first line of ours.
    assert f"{INFO}/entry_points.txt" not in names(wheel)
    script = read(wheel, f"{INFO.replace('dist-info', 'data')}/scripts/wasmhost")
    assert script == (ROOT / "bin" / "wasmhost").read_bytes()


# ---- what it does ----


@pytest.mark.spec("D3.3")
def test_the_first_run_ever_compiles_nothing(installed: Installed) -> None:
    for language, code, shown in (("python", "print(1); 6 * 7", "1\n42\n"), ("javascript", "6 * 7", "42\n")):
        done = installed.run(installed.command, "run", "-l", language, "-c", code)
        assert (done.returncode, done.stdout, done.stderr) == (0, shown, "")
    assert installed.kept == []


def test_the_library_is_the_installed_one(installed: Installed) -> None:
    code = "import wasmhost; print(wasmhost.__file__); print(wasmhost.JavaScriptRuntime().run('1+1').value)"
    done = installed.run(installed.python, "-c", code)
    assert done.stdout.splitlines()[1:] == ["2"], done.stderr
    assert Path(done.stdout.splitlines()[0]).is_relative_to(installed.folder)


def test_doctor_finds_everything_well(installed: Installed) -> None:
    done = installed.run(installed.command, "doctor", "--json")
    assert done.returncode == 0, done.stdout
    found = {finding["name"]: finding for finding in json.loads(done.stdout)["findings"]}
    assert not [name for name, finding in found.items() if finding["status"] == "wrong"]
    for name in ("compiled image of python", "compiled image of javascript"):
        assert found[name]["status"] == "ok"
        assert Path(found[name]["data"]["path"]).is_relative_to(installed.folder)


def test_no_sandbox_of_it_opens_a_connection(installed: Installed) -> None:
    # No telemetry, no look for updates: Python's own audit events would tell.
    code = """
import sys
seen = []
sys.addaudithook(lambda event, arguments: seen.append(event) if event.startswith("socket.") else None)
import wasmhost
for runtime in (wasmhost.PythonRuntime, wasmhost.JavaScriptRuntime):
    with runtime() as session:
        session.run("1")
from wasmhost.diagnosis import diagnose
diagnose()
print(seen)
"""
    assert installed.run(installed.python, "-c", code).stdout == "[]\n"


QEMU = shutil.which("qemu-x86_64-static") or shutil.which("qemu-x86_64")


@pytest.mark.skipif(QEMU is None, reason="no qemu to stand in for an older CPU")
@pytest.mark.parametrize(("cpu", "compiled_again"), [("Conroe", True), ("Westmere", False)])
def test_an_older_cpu_compiles_again_only_below_the_level(installed: Installed, cpu: str, compiled_again: bool) -> None:
    assert QEMU is not None
    words = (installed.python, installed.command, "run", "-l", "javascript", "-c", "6 * 7")
    done = installed.run(*words, before=(QEMU, "-cpu", cpu))
    assert (done.returncode, done.stdout) == (0, "42\n"), done.stderr
    assert any(name.endswith(".cwasm") for name in installed.kept) is compiled_again


@pytest.mark.skipif(os.name == "nt", reason="blocks for a POSIX shell")
def test_the_commands_of_the_guide_work_as_they_stand(wheel: Path, tmp_path: Path) -> None:
    if importlib.util.find_spec("ensurepip") is None:
        pytest.skip("this Python has no ensurepip: python3 -m venv makes no pip")
    commands = [block.text for block in blocks(ROOT / "docs" / "guide.md") if block.language == "sh"]
    assert len(commands) >= 2
    shutil.copy2(wheel, tmp_path)
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "python3").symlink_to(getattr(sys, "_base_executable", sys.executable))
    env = {
        "HOME": str(tmp_path),
        "PATH": f"{programs}:/usr/bin:/bin",
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(plan.cache_folder() / "wheels"),
    }
    done = subprocess.run(
        ["sh", "-eu", "-c", "".join(commands)],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "everything works\nhello\n1267650600228229401496703205376\n" in done.stdout
    assert json.loads(done.stdout.splitlines()[-1])["value"] == {"answer": 42}
