"""Where a :class:`~wasmhost.host.Host` keeps sessions that are not in memory (``docs/host.md``)."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Protocol

from .errors import StoreError

# Of one entry: what the host reads into memory at once.
MAX_ENTRY = 1 << 30
_SUFFIX = ".session"
_TEMPORARY = ".new"
_LOCK = "lock"


class Store(Protocol):
    """What a host needs of a store. Names are those of :func:`wasmhost.host.entry_name`: 64 hexadecimal digits.

    ``save`` is atomic and durable: when it has returned the entry is there whatever happens to the process or the
    machine, and before that the former one is. Methods may be called in any thread, several at a time.
    """

    def load(self, name: str) -> bytes | None:
        """An entry; None: there is none. Raises StoreError: it cannot be read."""
        ...

    def save(self, name: str, data: bytes) -> None:
        """Makes or replaces an entry. Raises StoreError: it could not be written; the former one stays."""
        ...

    def delete(self, name: str) -> None:
        """Removes an entry; none is no error."""
        ...

    def names(self) -> list[str]:
        """Names of all entries."""
        ...

    def close(self) -> None:
        """Gives the store to others. Closing twice is harmless."""
        ...


class MemoryStore:
    """Entries in the memory of this process: sessions that are not in use take less, and end with it."""

    def __init__(self) -> None:
        self._entries: dict[str, bytes] = {}

    def load(self, name: str) -> bytes | None:
        return self._entries.get(name)

    def save(self, name: str, data: bytes) -> None:
        self._entries[name] = data

    def delete(self, name: str) -> None:
        self._entries.pop(name, None)

    def names(self) -> list[str]:
        return list(self._entries)

    def close(self) -> None:
        """Nothing is held."""


def write_new(folder: int, name: str, data: bytes) -> None:
    """Writes a file that is not there yet, for its owner alone, and waits for the disk. What fails leaves none.

    Args:
        folder: an open one.

    Raises:
        OSError: it cannot be written.
    """
    file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder)
    try:
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(file, view) :]
            os.fsync(file)
        finally:
            os.close(file)
    except BaseException:
        _unlink(folder, name)
        raise


def replace(folder: int, temporary: str, name: str) -> None:
    """Gives a file its name, in the place of one that had it. What fails leaves that one, and not the file.

    Raises:
        OSError: it cannot be done.
    """
    try:
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        _unlink(folder, temporary)
        raise


def _unlink(folder: int, name: str) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except OSError:
        pass


def _is_name(name: str) -> bool:
    return len(name) == 64 and name.isascii() and name.isalnum()


def _check_name(name: str) -> str:
    if not _is_name(name):
        raise ValueError(f"the name of an entry is 64 hexadecimal digits, not {name[:80]!r}")
    return name


@contextmanager
def _told(what: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(f"{what}: {error.strerror or error}") from error


class FileStore:
    """A folder with a file for each session. Needs a POSIX system.

    Args:
        path: of the folder; made, for its owner only (0700), if it is not there. Files are 0600.

    Raises:
        StoreError: another process has it open, it belongs to somebody else, or it cannot be made or written.
    """

    def __init__(self, path: "str | os.PathLike[str]") -> None:
        self.path: str = os.path.abspath(os.fspath(path))
        self._lock = -1
        self._folder = -1
        try:
            import fcntl
        except ImportError:
            raise StoreError("FileStore needs a POSIX system; use SqliteStore") from None
        with _told(f"the store {self.path!r} cannot be opened"):
            os.makedirs(self.path, mode=0o700, exist_ok=True)
            self._folder = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                owner = os.fstat(self._folder)
                if owner.st_uid != os.geteuid():
                    raise StoreError(f"the store {self.path!r} belongs to another user")
                if owner.st_mode & 0o077:
                    raise StoreError(
                        f"the store {self.path!r} is open to others (mode {owner.st_mode & 0o777:o}): chmod 700"
                    )
                flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
                self._lock = os.open(_LOCK, flags, 0o600, dir_fd=self._folder)
                try:
                    fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    raise StoreError(
                        f"the store {self.path!r} is open already, in this process or another: one host has it at a "
                        "time"
                    ) from None
                self._sweep()
            except BaseException:
                self.close()
                raise

    def _sweep(self) -> None:
        """What a crash has left of an entry that was being written."""
        for name in os.listdir(self._folder):
            if name.endswith(_TEMPORARY):
                os.unlink(name, dir_fd=self._folder)

    def _check_open(self) -> int:
        if self._lock < 0:
            raise StoreError(f"the store {self.path!r} is closed")
        return self._folder

    def load(self, name: str) -> bytes | None:
        """See :meth:`Store.load`."""
        folder = self._check_open()
        with _told("an entry cannot be read"):
            try:
                file = os.open(_check_name(name) + _SUFFIX, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
            except FileNotFoundError:
                return None
            with open(file, "rb") as opened:
                if os.fstat(file).st_size > MAX_ENTRY:
                    raise StoreError(f"an entry has more than {MAX_ENTRY} bytes")
                return opened.read(MAX_ENTRY)

    def save(self, name: str, data: bytes) -> None:
        """See :meth:`Store.save`."""
        folder = self._check_open()
        temporary = f"{_check_name(name)}.{secrets.token_hex(8)}{_TEMPORARY}"
        with _told("an entry cannot be written"):
            write_new(folder, temporary, data)
            replace(folder, temporary, name + _SUFFIX)
            os.fsync(folder)

    def delete(self, name: str) -> None:
        """See :meth:`Store.delete`."""
        folder = self._check_open()
        with _told("an entry cannot be deleted"):
            try:
                os.unlink(_check_name(name) + _SUFFIX, dir_fd=folder)
            except FileNotFoundError:
                return
            os.fsync(folder)

    def names(self) -> list[str]:
        """See :meth:`Store.names`."""
        folder = self._check_open()
        with _told("the store cannot be read"):
            found = [name.removesuffix(_SUFFIX) for name in os.listdir(folder) if name.endswith(_SUFFIX)]
        return sorted(filter(_is_name, found))

    def close(self) -> None:
        """See :meth:`Store.close`."""
        for attribute in ("_lock", "_folder"):
            descriptor = getattr(self, attribute)
            if descriptor >= 0:
                setattr(self, attribute, -1)
                os.close(descriptor)


class SqliteStore:
    """An SQLite database with a row for each session.

    Args:
        path: of the file; made, for its owner only (0600), if it is not there.

    Raises:
        StoreError: another process has it open, it is no database of ours, or it cannot be made or written.
    """

    _VERSION = 1

    def __init__(self, path: "str | os.PathLike[str]") -> None:
        import sqlite3

        self.path: str = os.path.abspath(os.fspath(path))
        self._error: type[Exception] = sqlite3.Error
        self._mutex = Lock()
        with _told(f"the store {self.path!r} cannot be opened"):
            try:
                os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
            except FileExistsError:
                # Not opened to look at it: closing it again would take away the locks that this process has on it.
                if os.path.islink(self.path):
                    raise StoreError(f"the store {self.path!r} cannot be opened: it is a symbolic link") from None
        self._connection: sqlite3.Connection | None = sqlite3.connect(
            self.path, timeout=0, isolation_level=None, check_same_thread=False
        )
        try:
            self._run("PRAGMA locking_mode = EXCLUSIVE")
            self._run("PRAGMA journal_mode = WAL")
            self._run("PRAGMA synchronous = FULL")
            # Takes the lock now and not at the first write.
            self._run("BEGIN EXCLUSIVE")
            version = self._run("PRAGMA user_version")[0][0]
            if version not in (0, self._VERSION):
                raise StoreError(
                    f"the store {self.path!r} is of version {version}, and this is version {self._VERSION}"
                )
            self._run("CREATE TABLE IF NOT EXISTS sessions (name TEXT PRIMARY KEY, data BLOB NOT NULL)")
            self._run(f"PRAGMA user_version = {self._VERSION}")
            self._run("COMMIT")
        except BaseException:
            self.close()
            raise

    def _run(self, statement: str, *values: object) -> list[tuple[object, ...]]:
        with self._mutex:
            if self._connection is None:
                raise StoreError(f"the store {self.path!r} is closed")
            try:
                return self._connection.execute(statement, values).fetchall()
            except (self._error, UnicodeError) as error:  # what is damaged may be named in the message
                text = str(error)
                if "locked" in text:
                    text = "it is open already, in this process or another: one host has it at a time"
                raise StoreError(f"the store {self.path!r}: {text}") from error

    def load(self, name: str) -> bytes | None:
        """See :meth:`Store.load`."""
        rows = self._run("SELECT data FROM sessions WHERE name = ?", _check_name(name))
        if not rows:
            return None
        data = rows[0][0]
        if not isinstance(data, bytes):
            raise StoreError("an entry is damaged: it is not binary")
        return data

    def save(self, name: str, data: bytes) -> None:
        """See :meth:`Store.save`."""
        self._run("INSERT OR REPLACE INTO sessions VALUES (?, ?)", _check_name(name), data)

    def delete(self, name: str) -> None:
        """See :meth:`Store.delete`."""
        self._run("DELETE FROM sessions WHERE name = ?", _check_name(name))

    def names(self) -> list[str]:
        """See :meth:`Store.names`."""
        found = self._run("SELECT name FROM sessions ORDER BY name")
        return [name for (name,) in found if isinstance(name, str) and _is_name(name)]

    def close(self) -> None:
        """See :meth:`Store.close`."""
        with self._mutex:
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()


__all__ = ["FileStore", "MemoryStore", "SqliteStore", "Store"]
