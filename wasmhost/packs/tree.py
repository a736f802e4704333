"""What lies beneath one folder, and nothing else: every path is walked by directory descriptors, and no link is
followed (security rule 11, decision 0018). On Linux the kernel does it (``openat2``); elsewhere each part of a path is
opened by itself. Both give the same answers."""

import ctypes
import errno
import os
import stat
import sys
import unicodedata
import weakref
from collections.abc import Iterable, Iterator
from time import monotonic

from ..capabilities.approval import printable
from ..errors import CapabilityError, WasmhostError
from .glob import Glob, States

# Of a path: what the kernel takes, and folders in folders.
MAX_PATH, MAX_DEPTH = 4_096, 100
_SHOWN = 200
# What a file is written to before it takes its name.
TEMPORARY = ".wasmhost-tmp-"

# Whether to look into every folder for how a name is spelled; on Linux it shows by other spellings of the same name.
_MAY_FOLD = sys.platform != "linux"
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
# A FIFO without a writer would block, and a terminal must not become ours.
FILE: int = _NOFOLLOW | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_CLOEXEC", 0)


class Work:
    """What one call may still do: entries of folders to look at, and seconds."""

    def __init__(self, name: str, entries: int, seconds: float) -> None:
        self.name: str = name
        self.entries: int = entries
        self._allowed = entries
        self._seconds = seconds
        self._end = monotonic() + seconds

    @property
    def seconds_left(self) -> float:
        return max(0.0, self._end - monotonic())

    def check(self) -> None:
        """Raises:
        CapabilityError: the time is over.
        """
        if monotonic() > self._end:
            raise CapabilityError(f"{self.name} was stopped after {self._seconds:g} s", type="TimeoutError")

    def look(self) -> None:
        """Counts an entry of a folder.

        Raises:
            TooMuch: that was one too many.
            CapabilityError: the time is over.
        """
        if self.entries <= 0:
            raise TooMuch(f"there are more than {self._allowed} files and folders to look at")
        self.entries -= 1
        if not self.entries & 63:
            self.check()


class TooMuch(Exception):
    """A limit of a walk was met; the text says which."""


def canonical(path: str) -> str:
    """The one spelling of a path: no ``.``, ``..`` or empty parts. One that leads out of the root, or cannot be a path,
    stays as it is, and is refused by :func:`parts_of`. Nothing on disk is looked at: where links are not followed,
    ``..`` is what it looks like."""
    if not path or path.startswith("/") or "\0" in path:
        return path
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return path
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts) or "."


def parts_of(path: str) -> list[str]:
    """The parts of a path beneath the root; none for the root itself.

    Raises:
        CapabilityError: it leads out, or cannot be a path.
    """
    path = canonical(path)
    if not path:
        raise CapabilityError("the path is empty; the root itself is '.'", type="ValueError")
    if "\0" in path:
        raise CapabilityError(f"{shown(path)} has a NUL character in it", type="ValueError")
    if path.startswith("/"):
        raise CapabilityError(f"{shown(path)} is absolute; paths are relative to the root", type="PermissionError")
    parts = [] if path == "." else path.split("/")
    if ".." in parts:
        raise CapabilityError(f"{shown(path)} leads out of the root", type="PermissionError")
    if len(parts) > MAX_DEPTH or len(os.fsencode(path)) >= MAX_PATH:
        raise CapabilityError(
            f"{shown(path)} is too long: at most {MAX_PATH - 1} bytes and {MAX_DEPTH} parts", type="OSError"
        )
    return parts


def shown(path: str) -> str:
    """A path in a message: quoted, every odd character escaped, cut."""
    text = printable(path[:_SHOWN])
    return f"'{text}'" if len(path) <= _SHOWN else f"'{text}...' ({len(path)} characters)"


class Root:
    """A folder of the host, by its descriptor: it stays the same one wherever it is moved. Thread-safe; the descriptor
    is closed with the last reference.

    Raises:
        OSError: no such folder.
        WasmhostError: a platform without directory descriptors.
    """

    def __init__(self, path: str | os.PathLike[str], reserved: Iterable[str] = ()) -> None:
        if os.open not in os.supports_dir_fd or not _NOFOLLOW:
            raise WasmhostError("files needs directory descriptors and O_NOFOLLOW, which this platform does not have")
        self._fd = os.open(path, _FOLDER)
        weakref.finalize(self, os.close, self._fd)
        self._device = os.fstat(self._fd).st_dev
        # Names of folders that searching leaves out and writing never touches.
        self.reserved: frozenset[str] = frozenset(name.casefold() for name in reserved)
        self._in_kernel = openat2_works()

    # ---- opening ----

    def folder(self, parts: list[str], *, exact: bool = True) -> int:
        """A descriptor of a folder, which the caller closes.

        Raises:
            CapabilityError: there is none, or it lies behind a link or on another file system.
        """
        return self._open(parts, _FOLDER | _NOFOLLOW, exact)

    def file(self, parts: list[str], *, exact: bool = True) -> tuple[int, os.stat_result]:
        """A descriptor for reading of a regular file, which the caller closes, and its status.

        Raises:
            CapabilityError: there is none, it is not a regular file, or as for :meth:`folder`.
        """
        if not parts:
            raise refused(errno.EISDIR, parts)
        # Before it is opened: opening a device or a FIFO may already do something.
        folder = self.folder(parts[:-1], exact=exact)
        try:
            _regular(os.stat(parts[-1], dir_fd=folder, follow_symlinks=False), parts)
        except OSError as error:
            raise self._refused(error, parts) from None
        finally:
            os.close(folder)
        fd = self._open(parts, os.O_RDONLY | FILE, exact)
        try:
            status = os.fstat(fd)
            _regular(status, parts)
        except BaseException:
            os.close(fd)
            raise
        return fd, status

    def _open(self, parts: list[str], flags: int, exact: bool) -> int:
        try:
            fd = self._beneath(parts, flags)
        except OSError as error:
            raise self._refused(error, parts) from None
        if exact:
            try:
                self.spelled(parts)
            except BaseException:
                os.close(fd)
                raise
        return fd

    def _refused(self, error: OSError, parts: list[str]) -> CapabilityError:
        number = error.errno
        if number == errno.ENOENT and not os.fstat(self._fd).st_nlink:
            return CapabilityError("the root folder was removed", type="FileNotFoundError")
        # A link that is opened as a folder is told as no folder.
        if number == errno.ENOTDIR and self._through_link(parts):
            number = errno.ELOOP
        return refused(number, parts)

    def _beneath(self, parts: list[str], flags: int) -> int:
        if self._in_kernel:
            return _openat2(self._fd, "/".join(parts) or ".", flags)
        fd = os.open(".", _FOLDER, dir_fd=self._fd)
        for number, part in enumerate(parts):
            try:
                inner = os.open(part, flags if number == len(parts) - 1 else _FOLDER | _NOFOLLOW, dir_fd=fd)
            finally:
                os.close(fd)
            fd = inner
            status = os.fstat(fd)
            # Of folders only: an overlay may give its files other numbers.
            if stat.S_ISDIR(status.st_mode) and status.st_dev != self._device:
                os.close(fd)
                raise OSError(errno.EXDEV, "")
        return fd

    def _through_link(self, parts: list[str]) -> bool:
        for number in range(1, len(parts) + 1):
            try:
                status = os.stat("/".join(parts[:number]), dir_fd=self._fd, follow_symlinks=False)
            except OSError:
                return False
            if stat.S_ISLNK(status.st_mode):
                return True
        return False

    # ---- names that are spelled otherwise ----

    def spelled(self, parts: list[str]) -> None:
        """Rules are about paths as they are written, so that a file system for which ``secret`` and ``SECRET`` are one
        must not be a way around them: a path counts only as it is spelled on disk.

        Raises:
            CapabilityError: it is spelled otherwise there.
        """
        for number, part in enumerate(parts):
            before = "/".join(parts[:number])
            if (_MAY_FOLD or self._folds(before, part)) and part not in self._names(parts[:number]):
                raise CapabilityError(
                    f"{shown('/'.join(parts))} is spelled otherwise on disk (at {shown(part)})",
                    type="FileNotFoundError",
                )

    def _folds(self, before: str, part: str) -> bool:
        others = {part.swapcase()}
        if not part.isascii():
            others |= {unicodedata.normalize("NFC", part), unicodedata.normalize("NFD", part)}
        others.discard(part)
        prefix = f"{before}/" if before else ""
        try:
            if others:
                there = os.stat(prefix + part, dir_fd=self._fd, follow_symlinks=False)
        except OSError:
            return False
        for other in others:
            try:
                found = os.stat(prefix + other, dir_fd=self._fd, follow_symlinks=False)
            except OSError:
                continue
            if (found.st_dev, found.st_ino) == (there.st_dev, there.st_ino):
                return True
        return False

    def _names(self, parts: list[str]) -> list[str]:
        fd = self._beneath(parts, _FOLDER | _NOFOLLOW)
        try:
            return os.listdir(fd)
        finally:
            os.close(fd)

    # ---- writing ----

    def may_write(self, parts: list[str]) -> None:
        """Raises:
        CapabilityError: the path is that of a folder, or lies where nothing is written.
        """
        if not parts:
            raise refused(errno.EISDIR, parts)
        for part in parts:
            if part.casefold() in self.reserved:
                raise CapabilityError(
                    f"{shown('/'.join(parts))}: nothing is written to {shown(part)}", type="PermissionError"
                )

    def folder_to_write(self, parts: list[str]) -> int:
        """As :meth:`folder`; missing ones are made."""
        try:
            return self.folder(parts)
        except CapabilityError as error:
            if error.type != "FileNotFoundError":
                raise
        for number in range(len(parts)):
            above = self.folder(parts[:number])
            try:
                os.mkdir(parts[number], dir_fd=above)
            except FileExistsError:
                pass
            except OSError as error:
                raise refused(error.errno, parts[: number + 1]) from None
            finally:
                os.close(above)
        return self.folder(parts)

    # ---- walking ----

    def walk(self, start: list[str], pattern: Glob, work: Work, *, folders: bool = False) -> Iterator[str]:
        """Paths of the files (or folders) below ``start`` that fit the pattern, in their order. Left out: links and
        whatever else is no regular file, other file systems, folders that cannot be read, and names that are not UTF-8.

        Raises:
            CapabilityError: there is no such folder, or the time is over.
            TooMuch: more entries than the call may look at, or folders nested deeper than 100.
        """
        os.close(self.folder(start))
        # What is still to come, the next one last: a path, and where the walk stands in it if it is a folder. Folders
        # are opened anew when their turn comes: a deep tree must not use up the descriptors of the process.
        todo: list[tuple[list[str], States | None]] = [(start, pattern.start())]
        while todo:
            parts, states = todo.pop()
            if states is None:
                yield "/".join(parts)
                continue
            if len(parts) > MAX_DEPTH:
                raise TooMuch(f"folders are nested deeper than {MAX_DEPTH}")
            found: list[tuple[str, str, States | None]] = []
            for name, is_folder in self._entries(parts, work):
                by_name = name.casefold() in self.reserved
                if is_folder == folders and pattern.matches(states, name, by_name=by_name):
                    # A folder that is found is one thing, and one that is walked into another.
                    found.append((name, name, None))
                if is_folder:
                    inner = pattern.enter(states, name, by_name=by_name)
                    if inner:
                        found.append((f"{name}/", name, inner))
            found.sort(reverse=True, key=_first)
            todo += [([*parts, name], inner) for _, name, inner in found]

    def _entries(self, parts: list[str], work: Work) -> list[tuple[str, bool]]:
        """Names of files (False) and folders (True); nothing if the folder cannot be read, or is not there any more."""
        try:
            fd = self.folder(parts, exact=False)
        except CapabilityError:
            return []
        found: list[tuple[str, bool]] = []
        try:
            with os.scandir(fd) as entries:
                for entry in entries:
                    work.look()
                    name = entry.name
                    if not name.isprintable() and not _is_utf8(name):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        found.append((name, True))
                    elif entry.is_file(follow_symlinks=False) and not name.startswith(TEMPORARY):
                        found.append((name, False))
        except OSError:
            pass
        finally:
            os.close(fd)
        return found


def _first(found: tuple[str, str, States | None]) -> str:
    return found[0]


def _is_utf8(name: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in name)


def _regular(status: os.stat_result, parts: list[str]) -> None:
    kind = stat.S_IFMT(status.st_mode)
    if kind != stat.S_IFREG:
        raise refused({stat.S_IFLNK: errno.ELOOP, stat.S_IFDIR: errno.EISDIR}.get(kind, errno.ENXIO), parts)


_TOLD = {
    errno.ENOENT: ("FileNotFoundError", "is not there"),
    errno.ENOTDIR: ("NotADirectoryError", "is no folder, or leads through what is none"),
    errno.EISDIR: ("IsADirectoryError", "is a folder"),
    errno.ELOOP: ("PermissionError", "is a symbolic link, or leads through one: links are not followed"),
    errno.EXDEV: ("PermissionError", "is on another file system than the root"),
    errno.EACCES: ("PermissionError", "is not allowed to this process"),
    errno.EPERM: ("PermissionError", "is not allowed to this process"),
    errno.EROFS: ("PermissionError", "is on a file system that cannot be written"),
    errno.ENXIO: ("PermissionError", "is no regular file"),
    errno.ENAMETOOLONG: ("OSError", "has a name that is too long"),
    errno.ENOSPC: ("OSError", "cannot be written: no space is left"),
    errno.EDQUOT: ("OSError", "cannot be written: the quota is used up"),
}


def refused(number: int | None, parts: list[str]) -> CapabilityError:
    """An error of the system as the guest sees it: with the path beneath the root, never with that of the host."""
    path = shown("/".join(parts) or ".")
    kind, text = _TOLD.get(number or 0, ("OSError", ""))
    return CapabilityError(f"{path} {text}" if text else f"{path}: {os.strerror(number or 0)}", type=kind)


# ---- openat2 -------------------------------------------------------------------------------------------------------

_OPENAT2 = 437  # on every architecture that numbers its calls as all new ones are numbered
_MACHINES = {"x86_64", "aarch64", "riscv64", "ppc64le", "s390x", "armv7l", "i686", "loongarch64"}
# Beneath the folder, on its file system, and through no link of any kind.
_RESOLVE = 0x01 | 0x02 | 0x04 | 0x08


class _How(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


_syscall = None


def openat2_works() -> bool:
    """Whether the kernel walks paths for us; not before Linux 5.6, nor where a filter of system calls is older."""
    global _syscall
    if sys.platform != "linux" or os.uname().machine not in _MACHINES:
        return False
    if _syscall is None:
        made = ctypes.CDLL(None, use_errno=True).syscall
        made.restype = ctypes.c_long
        made.argtypes = (ctypes.c_long, ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(_How), ctypes.c_size_t)
        _syscall = made
    fd = os.open("/", _FOLDER)
    try:
        os.close(_openat2(fd, ".", _FOLDER))
    except OSError:
        return False
    finally:
        os.close(fd)
    return True


def _openat2(folder: int, path: str, flags: int) -> int:
    assert _syscall is not None
    how = _How(flags, 0, _RESOLVE)
    # EAGAIN: something was renamed meanwhile, and the kernel could not be sure.
    for _ in range(20):
        fd: int = _syscall(_OPENAT2, folder, os.fsencode(path), ctypes.byref(how), ctypes.sizeof(how))
        if fd >= 0:
            return fd
        number = ctypes.get_errno()
        if number not in (errno.EAGAIN, errno.EINTR):
            break
    raise OSError(number, "")
