"""Stages and where their results are kept.

A stage turns inputs into a folder. The folder lies in the cache under the stage's name and a hash of everything that
went in, so a result is never out of date; it counts only once its marker file stands beside it, so a build that was
stopped anywhere starts that stage again. Stages run on two lanes, one for each core that a build may keep busy.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import process
from report import BuildError, Reporter

LANES = 2
KEY_DIGITS = 16
KEPT_DAYS = 30


@dataclass(frozen=True, eq=False)
class Stage:
    name: str
    what: str
    key: str
    build: Callable[[Path, Path], None]  # (folder of the result, log)
    needs: tuple[Stage, ...] = ()
    lanes: int = 1
    inputs: dict[Path, bytes] = field(repr=False, default_factory=dict)  # files of the checkout with their hashes
    store: Store = field(repr=False, default=None)  # type: ignore[assignment]

    @property
    def path(self) -> Path:
        return self.store.root / "stages" / f"{self.name}-{self.key}"

    @property
    def marker(self) -> Path:
        return self.path.with_name(self.path.name + ".done")

    @property
    def done(self) -> bool:
        return self.marker.exists()


class Key:
    """Collects what goes into a stage."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self.files: dict[Path, bytes] = {}

    def text(self, *parts: object) -> Key:
        for part in parts:
            data = str(part).encode()
            self._hash.update(b"%d:" % len(data) + data)
        return self

    def file(self, path: Path, name: str | None = None) -> Key:
        data = path.read_bytes()
        self.files[path] = hashlib.sha256(data).digest()
        self.text(name or path.name)
        self._hash.update(b"%d:" % len(data) + data)
        return self

    def tree(self, root: Path, pattern: str = "*") -> Key:
        for path in source_files(root, pattern):
            self.file(path, path.relative_to(root).as_posix())
        return self

    def digest(self) -> str:
        return self._hash.hexdigest()


def source_files(root: Path, pattern: str = "*") -> list[Path]:
    """Files under root in a fixed order, without caches and hidden files."""
    if not root.is_dir():
        return []
    found = []
    for path in root.rglob(pattern):
        parts = path.relative_to(root).parts
        if "__pycache__" not in parts and not any(part.startswith(".") for part in parts) and path.is_file():
            found.append(path)
    return sorted(found, key=lambda path: path.relative_to(root).as_posix())


class Store:
    """The cache folder."""

    def __init__(self, root: Path, report: Reporter) -> None:
        self.root = root
        self.report = report
        self.seconds: dict[str, float] = {}
        self.publishing = threading.Lock()
        self._after: dict[str, Callable[[], None]] = {}

    def stage(
        self,
        name: str,
        what: str,
        key: Key,
        build: Callable[[Path, Path], None],
        *,
        needs: Iterable[Stage] = (),
        lanes: int = 1,
    ) -> Stage:
        needs = tuple(needs)
        key.text(name, *(need.name + need.key for need in needs))
        return Stage(name, what, key.digest()[:KEY_DIGITS], build, needs, lanes, key.files, self)

    def after(self, stage: Stage, action: Callable[[], None]) -> None:
        """Something to do as soon as a stage was built."""
        self._after[stage.path.name] = action

    # ---- running ----------------------------------------------------------------------------------------------------

    def run(self, targets: Iterable[Stage]) -> None:
        """Builds the targets and what they need, in the order of the list as far as the two lanes allow."""
        todo = self._missing(targets)
        if not todo:
            return
        self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        runner = _Lanes(self, todo)
        runner.run()

    def _missing(self, targets: Iterable[Stage]) -> list[Stage]:
        order: list[Stage] = []
        seen: set[str] = set()

        def visit(stage: Stage) -> None:
            if str(stage.path) in seen or stage.done:
                return
            seen.add(str(stage.path))
            for need in stage.needs:
                visit(need)
            order.append(stage)

        for target in targets:
            visit(target)
        return order

    def build(self, stage: Stage) -> None:
        with self.locked(stage.path.name, f"{stage.name} is being built by another process"):
            if stage.done:  # by whoever held the lock before
                return
            self.report.begin(stage.name, stage.what)
            log = self.root / "logs" / f"{stage.path.name}.log"
            try:
                self.discard(stage.path)
                log.unlink(missing_ok=True)
                stage.path.mkdir(parents=True)
                stage.build(stage.path, log)
                self._check_inputs(stage)
                partial = stage.marker.with_suffix(f".{os.getpid()}")
                partial.write_text(f"{int(time.time())}\n", encoding="ascii")
                partial.replace(stage.marker)
            except BaseException:
                self.report.fail(stage.name)
                raise
            self.seconds[stage.name] = self.report.end(stage.name)
        if stage.path.name in self._after:
            self._after[stage.path.name]()

    @staticmethod
    def _check_inputs(stage: Stage) -> None:
        """Somebody may edit a file while it is compiled: the result would be kept under the name of another text."""
        for path, known in stage.inputs.items():
            if not path.exists() or hashlib.sha256(path.read_bytes()).digest() != known:
                raise BuildError(f"{path.name} was changed while the stage ran: build again")

    def discard(self, path: Path) -> None:
        """Takes a folder away at once. What still runs in it, after a kill, no longer reaches the new one."""
        if not path.exists():
            return
        path.with_name(path.name + ".done").unlink(missing_ok=True)
        trash = self.root / "trash"
        trash.mkdir(parents=True, exist_ok=True)
        grave = trash / f"{path.name}.{os.getpid()}.{time.monotonic_ns()}"
        path.rename(grave)
        shutil.rmtree(grave, ignore_errors=True)

    @contextlib.contextmanager
    def locked(self, name: str, waiting_for: str) -> Iterator[None]:
        locks = self.root / "locks"
        locks.mkdir(parents=True, exist_ok=True)
        with lock_file(locks / name, lambda: self.report.say(f"waiting: {waiting_for}")):
            yield

    def prune(self, keep: Iterable[Stage]) -> None:
        """Drops results that nobody has asked for in a month."""
        used = set()
        stack = list(keep)
        while stack:
            stage = stack.pop()
            used.add(stage.path.name)
            stack.extend(stage.needs)
            with contextlib.suppress(OSError):
                os.utime(stage.marker)
        limit = time.time() - KEPT_DAYS * 86400
        for marker in (self.root / "stages").glob("*.done"):
            if marker.stem not in used and marker.stat().st_mtime < limit:
                self.discard(marker.with_suffix(""))
        shutil.rmtree(self.root / "trash", ignore_errors=True)


@contextlib.contextmanager
def lock_file(path: Path, on_wait: Callable[[], None]) -> Iterator[None]:
    """Holds an exclusive lock that goes away with the process, however it ends."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            on_wait()
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


class _Lanes:
    """Starts each stage as soon as what it needs is there and enough lanes are free."""

    def __init__(self, store: Store, todo: list[Stage]) -> None:
        self._store = store
        self._todo = todo
        self._free = LANES
        self._done: set[str] = set()
        self._error: BaseException | None = None
        self._changed = threading.Condition()

    def run(self) -> None:
        threads: list[threading.Thread] = []
        names = {stage.path.name for stage in self._todo}
        try:
            with self._changed:
                while self._todo and self._error is None:
                    stage = self._next(names)
                    if stage is None:
                        self._changed.wait()
                        continue
                    self._todo.remove(stage)
                    self._free -= stage.lanes
                    thread = threading.Thread(target=self._one, args=(stage,), name=stage.name)
                    thread.start()
                    threads.append(thread)
        except BaseException:
            process.end_all()
            raise
        finally:
            if self._error is not None:
                process.end_all()
            for thread in threads:
                thread.join()
        if self._error is not None:
            raise self._error

    def _next(self, names: set[str]) -> Stage | None:
        for stage in self._todo:
            ready = all(need.path.name in self._done or need.path.name not in names for need in stage.needs)
            if ready and stage.lanes <= self._free:
                return stage
            if ready:
                return None  # it waits for the second lane: do not let later stages keep it waiting
        return None

    def _one(self, stage: Stage) -> None:
        error: BaseException | None = None
        try:
            self._store.build(stage)
        except BuildError as failure:
            error = BuildError(f"{stage.name} failed: {failure}")
        except BaseException as failure:
            error = failure
        with self._changed:
            self._free += stage.lanes
            self._done.add(stage.path.name)
            if error is not None and self._error is None:
                self._error = error
            self._changed.notify_all()
