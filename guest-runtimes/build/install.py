"""The project's environment: .venv with pinned packages and this checkout in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import process
import registries
from report import BuildError, Reporter
from stage import Key

ROOT = Path(__file__).resolve().parent.parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
COMMAND = ROOT / "bin" / "wasmhost"
RUNTIME, DEV = (ROOT / "requirements" / name for name in ("runtime.txt", "dev.txt"))
TIMEOUT = 900.0


def _stamp(requirements: Path) -> str:
    key = Key().text("install 1", sys.version, sys.base_prefix, VENV).file(requirements).file(Path(__file__))
    if COMMAND.exists():
        key.file(COMMAND)
    return key.digest()


def ready(dev: bool) -> bool:
    """Whether .venv is what it should be. One with the packages for development also has those for running."""
    try:
        lines = (VENV / "wasmhost-stamp").read_text(encoding="ascii").split()
    except OSError:
        return False
    wanted = _stamp(DEV if dev else RUNTIME)
    return PYTHON.exists() and wanted in lines


def ensure(cache: Path, report: Reporter, dev: bool) -> None:
    if ready(dev):
        return
    requirements = DEV if dev else RUNTIME
    task = "environment"
    report.begin(task, f".venv from requirements/{requirements.name}")
    log = cache / "logs" / "environment.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.unlink(missing_ok=True)
    try:
        (VENV / "wasmhost-stamp").unlink(missing_ok=True)
        if not _works():
            shutil.rmtree(VENV, ignore_errors=True)
            venv.create(VENV, with_pip=False, symlinks=os.name != "nt")
        _install(cache, requirements, log)
        _link_checkout()
        stamps = [_stamp(RUNTIME), *([_stamp(DEV)] if dev else [])]
        (VENV / "wasmhost-stamp").write_text("\n".join(stamps) + "\n", encoding="ascii")
    except OSError as error:
        report.fail(task)
        raise BuildError(f"{task}: {error}") from error
    except BaseException:
        report.fail(task)
        raise
    report.end(task)


def _works() -> bool:
    """A .venv of another Python, or one that was moved, is made anew."""
    try:
        words = [str(PYTHON), "-c", "import sys; print(sys.version, sys.base_prefix, sys.prefix, sep='|')"]
        told = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return False
    return told == f"{sys.version}|{sys.base_prefix}|{VENV}"


def _install(cache: Path, requirements: Path, log: Path) -> None:
    """Downloads into the cache, then installs from there alone; a second checkout needs no network."""
    command, env = registries.pip_command()
    wheels = cache / "wheels"
    wheels.mkdir(parents=True, exist_ok=True)
    install = [*command, "--python", str(PYTHON), "install", "--quiet", "--no-index", "--find-links", str(wheels)]
    own = os.environ.get("WASMHOST_SOURCES")
    if own:
        install += ["--find-links", own]
    install += ["--require-hashes", "--no-deps", "--requirement", str(requirements)]
    # What the user's own pip configuration says must not get in between: the hashes decide.
    quiet = {**env, "PIP_CONFIG_FILE": os.devnull}
    try:
        process.run(install, log=log, env=quiet, timeout=TIMEOUT)
        return
    except process.CommandFailed:
        pass
    download = [*command, "--python", str(PYTHON), "download", "--quiet", "--only-binary", ":all:", "--no-deps"]
    download += ["--dest", str(wheels), "--require-hashes", "--requirement", str(requirements)]
    process.run(download, log=log, env=env, timeout=TIMEOUT)
    process.run(install, log=log, env=quiet, timeout=TIMEOUT)


def _link_checkout() -> None:
    """The checkout by a plain path line, which costs nothing at start-up; the command as the wheel would have it."""
    paths = sysconfig.get_paths("venv", vars={"base": str(VENV), "platbase": str(VENV)})
    (Path(paths["purelib"]) / "wasmhost.pth").write_text(f"{ROOT}\n", encoding="utf-8")
    if not COMMAND.exists():
        return
    text = COMMAND.read_text(encoding="utf-8")
    first, _, rest = text.partition("\n")
    if not first.startswith("#!python"):
        raise BuildError(f"{COMMAND.name}: the first line is not #!python")
    interpreter = f"#!{PYTHON}{first.removeprefix('#!python')}"
    if len(interpreter) > 127 or " " in str(PYTHON):  # what a kernel reads of such a line
        interpreter = f"#!/bin/sh\n'''exec' '{PYTHON}' \"$0\" \"$@\"\n' '''"
    target = PYTHON.parent / "wasmhost"
    partial = target.with_name(f".wasmhost.{os.getpid()}")
    partial.write_text(f"{interpreter}\n{rest}", encoding="utf-8")
    partial.chmod(0o755)
    partial.replace(target)
