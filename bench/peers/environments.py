"""Where peers live: an environment for each in the cache folder, named after what is in it."""

import hashlib
import os
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
DRIVERS = HERE / "drivers"
INSTALL_SECONDS = 900


class Unavailable(Exception):
    """A peer that cannot be had here; the text is its row."""


@dataclass(frozen=True)
class Peer:
    """One of ``pins.toml``. ``kind``: ours, native (what is on the machine), pypi or npm. ``python``: the version that
    it needs, "3.13" or "3.12+"."""

    id: str
    name: str
    language: str
    kind: str
    driver: str
    boundary: str
    requires: tuple[str, ...] = ()
    python: str = ""
    note: str = ""
    task: str = ""
    build: tuple[str, ...] = ()


@dataclass(frozen=True)
class Environment:
    """What runs the driver of a peer. ``version``: what a table shows of it."""

    command: tuple[str, ...]
    folder: Path
    home: Path | None
    version: str

    def variables(self, home: Path | None = None) -> dict[str, str]:
        """The environment of a process of it; with another home, none of its caches are there."""
        at = home or self.home
        if at is None:
            return dict(os.environ)
        cache = str(at / ".cache")
        return {**os.environ, "HOME": str(at), "XDG_CACHE_HOME": cache, "WASMHOST_CACHE": cache}


def read_pins() -> list[Peer]:
    with open(HERE / "pins.toml", "rb") as file:
        found: list[dict[str, Any]] = tomllib.load(file)["peer"]
    lists = ("requires", "build")
    return [Peer(**{**one, **{name: tuple(one.get(name, ())) for name in lists}}) for one in found]


def cache_folder() -> Path:
    named = os.environ.get("WASMHOST_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(named or os.path.join(base, "wasmhost")).absolute() / "peers"


def prepare(peer: Peer) -> Environment:
    """The environment of a peer, installed if it is not there yet. Takes minutes then.

    Raises:
        Unavailable: it cannot be had on this machine; the text says why, in a line.
    """
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    if peer.kind == "npm" or peer.driver.endswith(".cjs"):
        if shutil.which("node") is None:
            raise Unavailable("there is no node on this machine")
        return _of_npm(peer, cache) if peer.kind == "npm" else _native(peer, cache, ("node",))
    if peer.kind == "ours":
        return Environment(_driven(sys.executable, peer.driver), cache, None, _own_version())
    if peer.kind == "native":
        return _native(peer, cache, (_bare(_python(peer.python), cache),))
    return _of_pypi(peer, cache)


def _driven(program: str, driver: str) -> tuple[str, ...]:
    return program, str(DRIVERS / driver)


def _native(peer: Peer, cache: Path, command: tuple[str, ...]) -> Environment:
    (program,) = command
    told = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    return Environment(_driven(program, peer.driver), cache, None, told.removeprefix("Python ").removeprefix("v"))


def _own_version() -> str:
    import wasmhost

    return wasmhost.__version__


def _python(wanted: str) -> str:
    """An interpreter of that version: the one that runs this, one on the PATH, or a sibling of its installation."""
    if not wanted:
        return getattr(sys, "_base_executable", sys.executable)
    most_minors = range(20, 10, -1)
    names = [f"python3.{minor}" for minor in most_minors]
    siblings = sorted(Path(sys.base_prefix).resolve().parent.glob("3.*/bin/python3"))
    for candidate in (*filter(None, map(shutil.which, names)), *map(str, siblings)):
        words = [candidate, "-c", "import sys; print(sys.version_info[1])"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode or not done.stdout.strip().isdigit():
            continue
        minor, least = int(done.stdout), int(wanted.removesuffix("+").split(".")[1])
        if minor == least or (wanted.endswith("+") and minor > least):
            return candidate
    raise Unavailable(f"there is no Python {wanted.replace('+', ' or newer')} on this machine")


def _bare(python: str, cache: Path) -> str:
    """That interpreter with nothing installed: what a machine's own has at its start is not Python's."""
    folder = cache / f"bare-{hashlib.sha256(python.encode()).hexdigest()[:12]}"
    program = folder / "bin" / "python"
    if not program.exists():
        subprocess.run([python, "-m", "venv", "--without-pip", str(folder)], check=True)
    return str(program)


def _key(peer: Peer, *more: str) -> str:
    text = "\n".join(("1", *peer.requires, *peer.build, *more))
    if peer.task:
        text += (DRIVERS / peer.task).read_text(encoding="utf-8")
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _run(peer: Peer, words: list[str], folder: Path, variables: dict[str, str] | None = None) -> None:
    try:
        done = subprocess.run(
            words, cwd=folder, env=variables, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise Unavailable(f"{peer.name}: not installed within {INSTALL_SECONDS} s") from None
    except OSError as error:
        raise Unavailable(f"{peer.name}: {error.strerror}") from None
    if done.returncode:
        lines = [line.strip() for line in (done.stderr + done.stdout).splitlines()]
        errors = [line for line in lines if "error" in line.lower()] or lines or ["no word of why"]
        # Paths of this machine are of no use to whoever reads the table.
        text = " ".join(word for word in errors[-1].split() if "/" not in word)
        raise Unavailable(f"it does not install here: {text[:160]}")


def _made(peer: Peer, folder: Path, make: "list[tuple[list[str], Path]]") -> None:
    done = folder / ".done"
    if done.exists():
        return
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "work").mkdir(parents=True)
    print(f"  {peer.name}: installing {', '.join(peer.requires)}", flush=True)
    variables = {**os.environ, "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"}
    if peer.task:
        shutil.copy(DRIVERS / peer.task, folder / "work")
    for words, where in make:
        _run(peer, words, where, variables)
    done.touch()


def _of_pypi(peer: Peer, cache: Path) -> Environment:
    python = _python(peer.python)
    version = subprocess.run([python, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    folder = cache / f"{peer.id}-{_key(peer, version)}"
    own = str(folder / "bin" / "python")
    pip = [own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:"]
    steps = [([python, "-m", "venv", str(folder)], cache), ([*pip, *peer.requires], folder)]
    if peer.build:
        program, *arguments = peer.build
        steps.append(([str(folder / "bin" / program), *arguments], folder / "work"))
    _made(peer, folder, steps)
    return Environment(_driven(own, peer.driver), folder / "work", folder / "home", peer.requires[0].split("==")[1])


def _of_npm(peer: Peer, cache: Path) -> Environment:
    folder = cache / f"{peer.id}-{_key(peer)}"
    npm = ["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--loglevel=error", "--save-exact"]
    _made(peer, folder, [([*npm, *peer.requires], folder)])
    return Environment(_driven("node", peer.driver), folder, folder / "home", peer.requires[0].rpartition("@")[2])
