"""Gets the files that pins.toml names: from a folder of the user's, the cache, the project's archive or a registry."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pins
import registries
from pins import Source
from report import BuildError, Reporter
from stage import lock_file

PARALLEL = 3


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def mismatch(file: str, source: Source, got: str) -> str:
    return f"{file}: wrong checksum (sha256)\n    expected {source.sha256}\n    got      {got}"


class Fetcher:
    def __init__(self, cache: Path, report: Reporter) -> None:
        self._folder = cache / "sources"
        self._scratch = cache / "tmp"
        self._report = report
        self._own = os.environ.get("WASMHOST_SOURCES", "")
        self._clients = registries.Clients(cache, self)
        self._lock = threading.Lock()
        self._pins = pins.load()

    def path(self, source: Source) -> Path:
        return self._folder / f"{source.sha256[:16]}-{source.file}"

    def alternatives(self, name: str) -> list[Source]:
        found = self._pins.get(name)
        if not found:
            raise BuildError(f"pins.toml has no {name} for {pins.this_platform()}")
        return found

    def get(self, names: Iterable[str]) -> dict[str, Source]:
        """Brings a source of each name into the cache, verified, and says which one it is."""
        names = list(names)
        with ThreadPoolExecutor(PARALLEL) as pool:
            futures = {name: pool.submit(self._one, name) for name in names}
            return {name: future.result() for name, future in futures.items()}

    def _one(self, name: str) -> Source:
        alternatives = self.alternatives(name)
        for source in alternatives:
            if self._at_hand(source):
                return source
        said: list[str] = []
        for source in alternatives:
            if self._download(source, said):
                return source
        wanted = " or ".join(f"{source.file} (sha256 {source.sha256})" for source in alternatives)
        tried = "\n".join(f"  - {line}" for line in said)
        raise BuildError(
            f"cannot get the source of {name}: {wanted}\n{tried}\n"
            "  A folder that has the file can be named in WASMHOST_SOURCES."
        )

    def _at_hand(self, source: Source) -> bool:
        """Looks into the user's own folder, then into the cache."""
        target = self.path(source)
        if self._own:
            file = Path(self._own) / source.file
            if file.is_file():
                if target.is_file() and target.stat().st_size == file.stat().st_size:
                    return True
                got = sha256_of(file)
                if got != source.sha256:
                    raise BuildError(mismatch(str(file), source, got))
                self.keep(file, source)
                return True
        return target.is_file()  # verified when it was put there, and again when it is unpacked

    def verified(self, source: Source) -> Path:
        """The file, hashed once more: a cache can rot."""
        path = self.path(source)
        got = sha256_of(path)
        if got != source.sha256:
            path.unlink()
            raise BuildError(mismatch(str(path), source, got) + "\n  It has been removed from the cache: build again.")
        return path

    def keep(self, file: Path, source: Source) -> None:
        """Puts a verified file into the cache."""
        self._folder.mkdir(parents=True, exist_ok=True)
        target = self.path(source)
        partial = target.with_name(f".{target.name}.{os.getpid()}.{threading.get_ident()}")
        try:
            shutil.copyfile(file, partial)
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)

    def _download(self, source: Source, said: list[str]) -> bool:
        self._scratch.mkdir(parents=True, exist_ok=True)
        locks = self._folder.parent / "locks"
        locks.mkdir(parents=True, exist_ok=True)
        waiting = f"another build is fetching {source.file}"
        with lock_file(locks / f"fetch-{source.sha256[:16]}", lambda: self._report.say(f"waiting: {waiting}")):
            if self.path(source).is_file():
                return True
            for place in source.places:
                with tempfile.TemporaryDirectory(dir=self._scratch) as folder:
                    task = f"fetch {source.name}"
                    self._report.begin(task, f"{source.file} from {place}")
                    try:
                        file = self._clients.download(place, source, Path(folder))
                        got = sha256_of(file)
                        if got != source.sha256:
                            raise BuildError(mismatch(f"{source.file} from {place}", source, got))
                        self.keep(file, source)
                    except BuildError as error:
                        self._report.fail(task)
                        said.append(f"{place}: {error}")
                        self._report.say(f"{task}: {str(error).splitlines()[0]}")
                        continue
                    except BaseException:
                        self._report.fail(task)
                        raise
                    self._report.end(task, f" ({self.path(source).stat().st_size / 1e6:.1f} MB)")
                    return True
        return False
