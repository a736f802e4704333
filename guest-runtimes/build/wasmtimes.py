"""The wasmtime versions that wasmhost works with: tests under each of them, and taking a new one.

The newest is pinned in ``requirements/runtime.txt``; an older major that is still supported in
``requirements/wasmtime-<major>.txt``. What the code says (``SUPPORTED_MAJORS``) and what the package metadata says are
brought along.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import install
import plan
import process
import registries
from report import BuildError

ROOT = install.ROOT
REQUIREMENTS = ROOT / "requirements"
FACADE = ROOT / "wasmhost" / "sandbox" / "_wasmtime.py"
SUPPORTED = re.compile(r"^SUPPORTED_MAJORS = \(([\d, ]+)\)$", re.MULTILINE)
# Of one package in a requirements file: its line and those of its hashes.
BLOCK = re.compile(
    r"^wasmtime==(?P<version>\S+) \\\n(?P<hashes>(?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.MULTILINE
)
# The wheels that are pinned: one for each platform that wasmtime has one for.
PLATFORMS = (
    "manylinux1_x86_64",
    "manylinux2014_aarch64",
    "musllinux_1_2_x86_64",
    "musllinux_1_2_aarch64",
    "macosx_10_13_x86_64",
    "macosx_11_0_arm64",
    "win_amd64",
    "win_arm64",
)

Texts = dict[str, str]


def majors(facade: str = "") -> tuple[int, ...]:
    """The supported majors, oldest first."""
    found = SUPPORTED.search(facade or FACADE.read_text(encoding="utf-8"))
    if found is None:
        raise BuildError(f"{FACADE.name} has no line SUPPORTED_MAJORS")
    return tuple(sorted(int(word) for word in found[1].split(",") if word.strip()))


def newest_pinned(text: str = "") -> str:
    found = BLOCK.search(text or (REQUIREMENTS / "runtime.txt").read_text(encoding="utf-8"))
    if found is None:
        raise BuildError("requirements/runtime.txt does not pin wasmtime")
    return found["version"]


# ---- tests under each version ---------------------------------------------------------------------------------------


def environment_of(major: int) -> dict[str, str]:
    """Variables under which this checkout's Python finds that wasmtime before the one of its environment."""
    if newest_pinned().partition(".")[0] == str(major):
        return dict(os.environ)
    requirement = REQUIREMENTS / f"wasmtime-{major}.txt"
    digest = hashlib.sha256(requirement.read_bytes()).hexdigest()[:16]
    site = ROOT / "build" / f"wasmtime-{major}-{digest}"
    if not site.is_dir():
        _install(requirement, site)
    own = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), *([own] if own else [])])}


def _install(requirement: Path, site: Path) -> None:
    cache = plan.cache_folder()
    wheels, log = cache / "wheels", cache / "logs" / f"{requirement.stem}.log"
    wheels.mkdir(parents=True, exist_ok=True)
    log.parent.mkdir(parents=True, exist_ok=True)
    command, env = registries.pip_command()
    common = [*command, "--python", str(install.PYTHON)]
    pinned = ["--no-deps", "--require-hashes", "--requirement", str(requirement)]
    partial = site.with_name(f".{site.name}.{os.getpid()}")
    offline = [
        *common,
        "install",
        "--quiet",
        "--no-index",
        "--find-links",
        str(wheels),
        "--target",
        str(partial),
        *pinned,
    ]
    quiet = {**env, "PIP_CONFIG_FILE": os.devnull}
    try:
        process.run(offline, log=log, env=quiet, timeout=install.TIMEOUT)
    except process.CommandFailed:
        shutil.rmtree(partial, ignore_errors=True)
        download = [*common, "download", "--quiet", "--only-binary", ":all:", "--dest", str(wheels), *pinned]
        process.run(download, log=log, env=env, timeout=install.TIMEOUT)
        process.run(offline, log=log, env=quiet, timeout=install.TIMEOUT)
    site.parent.mkdir(parents=True, exist_ok=True)
    partial.replace(site)


def check(tested: Sequence[int], arguments: Sequence[str]) -> list[int]:
    """Runs pytest with these arguments under each of these majors; gives those that failed."""
    failed = []
    for major in tested:
        print(f"== wasmtime {major}", flush=True)
        # That the tests really meet this one is told by tests/sandbox/test_facade.py.
        env = {**environment_of(major), "WASMHOST_TEST_WASMTIME": str(major)}
        done = subprocess.run([str(install.PYTHON), "-m", "pytest", *arguments], cwd=ROOT, env=env, check=False)
        if done.returncode:
            failed.append(major)
    return failed


# ---- a new version --------------------------------------------------------------------------------------------------


def hashes_of(version: str) -> list[str]:
    """SHA-256 of the wheels of that version, one for each platform that has one."""
    command, env = registries.pip_command()
    found = []
    with tempfile.TemporaryDirectory() as name:
        for platform in PLATFORMS:
            words = [
                "download",
                "--quiet",
                "--no-deps",
                "--only-binary",
                ":all:",
                "--dest",
                name,
                "--platform",
                platform,
            ]
            done = subprocess.run(
                [*command, *words, f"wasmtime=={version}"], env=env, capture_output=True, text=True, check=False
            )
            if done.returncode:
                print(f"no wheel for {platform}", flush=True)
        for wheel in Path(name).glob("*.whl"):
            found.append(hashlib.sha256(wheel.read_bytes()).hexdigest())
    if not found:
        raise BuildError(f"wasmtime {version} has no wheel for any platform that is pinned")
    return sorted(found)


def files() -> Texts:
    """What a bump changes, by path in the checkout."""
    paths = [FACADE, ROOT / "pyproject.toml", *sorted(REQUIREMENTS.glob("*.in")), *sorted(REQUIREMENTS.glob("*.txt"))]
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def bumped(texts: Mapping[str, str], version: str, hashes: Sequence[str]) -> dict[str, str | None]:
    """Those files that change for a new version, None for one that goes.

    A release of the newest major takes the place of the one before it. A new major becomes the newest; the one before
    is kept, and what was older is dropped.
    """
    runtime = texts["requirements/runtime.txt"]
    before = newest_pinned(runtime)
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise BuildError(f"{version!r} is not a version of wasmtime, such as {before}")
    major, major_before = int(version.split(".")[0]), int(before.split(".")[0])
    if _numbers(version) < _numbers(before):
        raise BuildError(f"wasmtime {before} is pinned, which is newer than {version}")
    lines = " \\\n".join([f"wasmtime=={version}", *(f"    --hash=sha256:{digest}" for digest in sorted(hashes))])
    block = f"{lines}\n"
    changed: dict[str, str | None] = {
        name: BLOCK.sub(lambda _: block, text, count=1)
        for name, text in texts.items()
        if name in ("requirements/runtime.txt", "requirements/dev.txt")
    }
    changed["requirements/runtime.in"] = texts["requirements/runtime.in"].replace(
        f"wasmtime=={before}", f"wasmtime=={version}"
    )
    if major != major_before:
        old = BLOCK.search(runtime)
        assert old is not None
        for name in texts:
            if re.fullmatch(r"requirements/wasmtime-\d+\.txt", name):
                changed[name] = None
        changed[f"requirements/wasmtime-{major_before}.txt"] = old[0]
        facade = "wasmhost/sandbox/_wasmtime.py"
        changed[facade] = SUPPORTED.sub(f"SUPPORTED_MAJORS = ({major_before}, {major})", texts[facade])
        changed["pyproject.toml"] = re.sub(
            r'"wasmtime>=\d+,<\d+"', f'"wasmtime>={major_before},<{major + 1}"', texts["pyproject.toml"]
        )
    return {name: text for name, text in changed.items() if text != texts.get(name)}


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def bump(version: str, hashes: Callable[[str], Sequence[str]] = hashes_of) -> list[str]:
    """Takes a new version into the checkout; gives the names of the files that changed."""
    bumped(files(), version, ["0" * 64])  # what is wrong with it is said before anything is downloaded
    changed = bumped(files(), version, hashes(version))
    for name, text in changed.items():
        if text is None:
            (ROOT / name).unlink()
        else:
            (ROOT / name).write_text(text, encoding="utf-8")
    return sorted(changed)
