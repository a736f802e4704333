"""``files(root)``: Read, Write, Edit, Glob and Grep beneath one folder."""

import errno
import os
import secrets
import stat
from collections.abc import Callable, Iterable, Iterator
from threading import Lock
from typing import Annotated, Any

from pydantic import AfterValidator, Field
from typing_extensions import TypedDict  # pydantic takes that of typing only from Python 3.12 on

from ..capabilities.capability import Capability
from ..errors import CapabilityError
from .glob import Glob
from .pack import Pack
from .pattern import LinePattern
from .tree import FILE, TEMPORARY, Root, TooMuch, Work, canonical, parts_of, refused, shown

_BLOCK = 262_144
# A line in the answer of Grep.
_LINE_CHARS = 1_000

# Policy, hooks and approvers see a path in its one spelling: `a/../secret/x` is `secret/x`.
TreePath = Annotated[str, AfterValidator(canonical)]
FromOne = Annotated[int, Field(ge=1)]


class Written(TypedDict):
    path: str
    bytes: int
    created: bool


class Edited(TypedDict):
    path: str
    replaced: int


class Match(TypedDict):
    path: str
    line: int
    text: str


class Found(TypedDict):
    matches: list[Match]
    files: list[str]
    truncated: bool


def files(
    root: str | os.PathLike[str],
    *,
    write: bool = False,
    read_bytes: int = 4 << 20,
    write_bytes: int = 4 << 20,
    entries: int = 200_000,
    results: int = 10_000,
    search_bytes: int = 1 << 30,
    timeout: float = 10,
    reserved: Iterable[str] = (".git", ".hg", ".svn"),
) -> Pack:
    """Capabilities for the files beneath one folder: ``Read``, ``Glob`` and ``Grep``, with ``write`` also ``Write`` and
    ``Edit``. They are plain functions on worker threads. No link is followed, no other file system entered, and nothing
    but regular files is touched (``docs/packs.md``).

    Args:
        root: an existing folder. It is opened here, once, and stays the same folder wherever it is moved.
        write: whether files may be written at all. Each call still goes through policy and approval.
        read_bytes: the most that one ``Read`` gives, or that ``Edit`` reads.
        write_bytes: the most that one ``Write`` or ``Edit`` makes of a file.
        entries: files and folders that one ``Glob`` or ``Grep`` looks at, at most.
        results: paths that one ``Glob``, and lines or files that one ``Grep`` gives, at most.
        search_bytes: the most that one ``Grep`` reads.
        timeout: seconds for each call; the native timeout of each (row B13).
        reserved: names, whatever their case, that ``Glob`` and ``Grep`` leave out unless they are spelled out, and that
            ``Write`` and ``Edit`` never touch: what lies there is run by tools outside.

    Raises:
        OSError: there is no such folder, or it cannot be opened.
        ValueError: a limit that is not above 0.
        WasmhostError: a platform without directory descriptors (Windows).
    """
    limits = {
        "read_bytes": read_bytes,
        "write_bytes": write_bytes,
        "entries": entries,
        "results": results,
        "search_bytes": search_bytes,
        "timeout": timeout,
    }
    for name, limit in limits.items():
        if not limit > 0:
            raise ValueError(f"files: {name} is a number above 0, not {limit!r}")
    made = _Files(Root(root, reserved), read_bytes, write_bytes, entries, results, search_bytes, timeout)
    functions: list[tuple[Callable[..., Any], bool]] = [(made.Read, True), (made.Glob, True), (made.Grep, True)]
    if write:
        functions += [(made.Write, False), (made.Edit, False)]
    capabilities = [
        Capability.of(function, timeout=timeout, read_only=read_only, idempotent=read_only)
        for function, read_only in functions
    ]
    guide = [
        "Paths are relative to one folder, with '/'. Links are not followed. Text is UTF-8.",
        "Glob and Grep give files in order; folders named "
        f"{', '.join(sorted(made.root.reserved)) or '(none)'} are left out, ignore files are not read.",
        "Patterns of Grep are those of Rust's regex: no look-around, no back-references; each line by itself.",
    ]
    if not write:
        guide.append("Files cannot be written.")
    return Pack("files", capabilities, guide)


class _Files:
    def __init__(
        self,
        root: Root,
        read_bytes: int,
        write_bytes: int,
        entries: int,
        results: int,
        search_bytes: int,
        timeout: float,
    ) -> None:
        self.root: Root = root
        self.read_bytes: int = read_bytes
        self.write_bytes: int = write_bytes
        self.entries: int = entries
        self.results: int = results
        self.search_bytes: int = search_bytes
        self.timeout: float = timeout
        # One writes at a time: two edits of a file must not each undo the other.
        self.writing: Lock = Lock()

    def work(self, name: str) -> Work:
        return Work(name, self.entries, self.timeout)

    # ---- the capabilities ----

    def Read(self, path: TreePath, offset: FromOne | None = None, limit: FromOne | None = None) -> str:
        """The text of a file, UTF-8. `offset` is the first line, from 1, and `limit` the number of lines; both are
        needed only for large files."""
        parts = parts_of(path)
        work = self.work("Read")
        fd, status = self.root.file(parts)
        try:
            if offset is None and limit is None:
                data = self._whole(fd, status, parts, work, self.read_bytes)
            else:
                data = self._lines(fd, parts, work, offset or 1, limit)
        finally:
            os.close(fd)
        return _text(data, parts)

    def Write(self, path: TreePath, content: str | bytes) -> Written:
        """Writes a file as a whole; missing folders are made. A file that is there keeps its mode."""
        parts = parts_of(path)
        data = content.encode() if isinstance(content, str) else content
        work = self.work("Write")
        with self._alone(work):
            created = self._put(parts, data)
        return {"path": "/".join(parts), "bytes": len(data), "created": created}

    def Edit(self, path: TreePath, old: str, new: str, all: bool = False) -> Edited:
        """Replaces a text in a file. `old` must be there exactly once, or at least once with `all`."""
        parts = parts_of(path)
        if not old:
            raise CapabilityError("old is empty: Edit changes a text that is there", type="ValueError")
        if old == new:
            raise CapabilityError("old and new are the same", type="ValueError")
        work = self.work("Edit")
        with self._alone(work):
            self.root.may_write(parts)
            fd, status = self.root.file(parts)
            try:
                text = _text(self._whole(fd, status, parts, work, self.read_bytes), parts)
            finally:
                os.close(fd)
            count = text.count(old)
            if not count:
                raise CapabilityError(f"{shown('/'.join(parts))} does not have the old text in it", type="ValueError")
            if count > 1 and not all:
                raise CapabilityError(
                    f"{shown('/'.join(parts))} has the old text in it {count} times: give more of what is around it, "
                    "or all=True",
                    type="ValueError",
                )
            # Before it is made: a short text may be replaced by a long one a million times.
            if len(text) + count * (len(new) - len(old)) > self.write_bytes:
                raise self._too_large(parts)
            self._put(parts, text.replace(old, new).encode())
        return {"path": "/".join(parts), "replaced": count}

    def Glob(self, pattern: str, path: TreePath = ".") -> list[str]:
        """Paths of the files that fit a pattern, in order: `*.py`, `src/**/*.{js,ts}`, `[a-c]?.txt`. The pattern is
        relative to `path`, the paths to the root. A pattern that ends in `/` finds folders."""
        work = self.work("Glob")
        glob = Glob(pattern)
        found: list[str] = []
        try:
            for one in self.root.walk(parts_of(path), glob, work, folders=glob.folders):
                if len(found) >= self.results:
                    raise TooMuch(f"more than {self.results} paths fit")
                found.append(one)
        except TooMuch as error:
            raise CapabilityError(f"Glob: {error}; a narrower pattern or path is needed", type="ValueError") from None
        return found

    def Grep(
        self,
        pattern: str,
        path: TreePath = ".",
        glob: str | None = None,
        ignore_case: bool = False,
        files_only: bool = False,
        limit: FromOne | None = None,
    ) -> Found:
        """The lines that a regular expression is in, in the files below `path` (or in that file), in order. `glob`
        chooses files, by name if it has no `/`. `limit` is the number of lines, or with `files_only` of files.
        `truncated` says that there may be more."""
        work = self.work("Grep")
        wanted = LinePattern(pattern, ignore_case)
        most = min(limit or self.results, self.results)
        search = _Search(self, wanted, work, files_only, most)
        try:
            for one in self._searched(parts_of(path), glob, work):
                search.file(one)
        except TooMuch:
            search.found["truncated"] = True
        return search.found

    # ---- reading ----

    def _searched(self, start: list[str], glob: str | None, work: Work) -> Iterator[str]:
        if start:
            try:
                fd, _ = self.root.file(start)
            except CapabilityError as error:
                if error.type != "IsADirectoryError":
                    raise
            else:
                os.close(fd)
                yield "/".join(start)
                return
        if glob is None:
            glob = "**"
        elif "/" not in glob:
            glob = f"**/{glob}"
        yield from self.root.walk(start, Glob(glob), work)

    def _whole(self, fd: int, status: os.stat_result, parts: list[str], work: Work, most: int) -> bytes:
        """All of a file. What it says of its size is not relied on: it may grow."""
        if status.st_size > most:
            raise self._too_long(parts, most)
        data = bytearray()
        while block := self._block(fd, parts, work):
            data += block
            if len(data) > most:
                raise self._too_long(parts, most)
        return bytes(data)

    def _lines(self, fd: int, parts: list[str], work: Work, offset: int, limit: int | None) -> bytes:
        skip = offset - 1
        data = bytearray()
        seen = 0  # ends of lines in data
        while block := self._block(fd, parts, work):
            if skip:
                ends = block.count(b"\n")
                if ends < skip:
                    skip -= ends
                    continue
                block = block[_after(block, skip) :]
                skip = 0
            if limit is not None:
                ends = block.count(b"\n")
                if seen + ends >= limit:
                    data += block[: _after(block, limit - seen)]
                    seen = limit
                    block = b""
                else:
                    seen += ends
            data += block
            if len(data) > self.read_bytes:
                raise self._too_long(parts, self.read_bytes)
            if seen == limit:
                break
        return bytes(data)

    def _block(self, fd: int, parts: list[str], work: Work) -> bytes:
        work.check()
        try:
            return os.read(fd, _BLOCK)
        except OSError as error:
            raise refused(error.errno, parts) from None

    def _too_long(self, parts: list[str], most: int) -> CapabilityError:
        return CapabilityError(
            f"{shown('/'.join(parts))} has more than {most} bytes: Read takes a part of it with offset and limit",
            type="ValueError",
        )

    # ---- writing ----

    def _alone(self, work: Work) -> "_Alone":
        return _Alone(self.writing, work)

    def _put(self, parts: list[str], data: bytes) -> bool:
        """Replaces a file, or makes it; True: it was not there. Written beside it and then renamed, so that nobody sees
        half of it."""
        self.root.may_write(parts)
        if len(data) > self.write_bytes:
            raise self._too_large(parts)
        folder = self.root.folder_to_write(parts[:-1])
        temporary = TEMPORARY + secrets.token_hex(8)
        try:
            there = self._replaceable(folder, parts)
            fd = os.open(
                temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | FILE, 0o666 if there is None else 0o600, dir_fd=folder
            )
            try:
                try:
                    _write(fd, data)
                    if there is not None:
                        _take_over(fd, there)
                finally:
                    os.close(fd)
                os.rename(temporary, parts[-1], src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                os.unlink(temporary, dir_fd=folder)
                raise
        except OSError as error:
            raise refused(error.errno, parts) from None
        finally:
            os.close(folder)
        return there is None

    def _replaceable(self, folder: int, parts: list[str]) -> os.stat_result | None:
        """The file that is there, if it may be replaced; None: there is none."""
        name = parts[-1]
        try:
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            return None
        if not stat.S_ISREG(status.st_mode):
            fd, _ = self.root.file(parts)  # says what it is
            os.close(fd)
            raise refused(errno.ENXIO, parts)
        self.root.spelled(parts)
        if status.st_nlink > 1:
            raise CapabilityError(
                f"{shown('/'.join(parts))} has {status.st_nlink} names (hard links), and is not written",
                type="PermissionError",
            )
        # Renaming would do what writing into it is not allowed to.
        if not status.st_mode & 0o222 or not os.access(name, os.W_OK, dir_fd=folder):
            raise CapabilityError(f"{shown('/'.join(parts))} is read-only", type="PermissionError")
        return status

    def _too_large(self, parts: list[str]) -> CapabilityError:
        return CapabilityError(
            f"{shown('/'.join(parts))} would have more than {self.write_bytes} bytes", type="ValueError"
        )


class _Alone:
    """The lock of those who write, for as long as the call has time."""

    def __init__(self, lock: Lock, work: Work) -> None:
        self.lock: Lock = lock
        self.work: Work = work

    def __enter__(self) -> None:
        if not self.lock.acquire(timeout=self.work.seconds_left):
            raise CapabilityError(f"{self.work.name}: another call still writes", type="TimeoutError")

    def __exit__(self, *_: object) -> None:
        self.lock.release()


class _Search:
    """One Grep: what it has found, and what it may still do."""

    def __init__(self, files: _Files, wanted: LinePattern, work: Work, files_only: bool, most: int) -> None:
        self.files: _Files = files
        self.wanted: LinePattern = wanted
        self.work: Work = work
        self.files_only: bool = files_only
        self.left: int = most
        self.bytes_left: int = files.search_bytes
        self.found: Found = {"matches": [], "files": [], "truncated": False}

    def file(self, path: str) -> None:
        """Searches one file, if it is still there and is text.

        Raises:
            TooMuch: there is more to be found, or to be read, than the call may.
            CapabilityError: the time is over.
        """
        parts = path.split("/")
        try:
            fd, _ = self.files.root.file(parts, exact=False)
        except CapabilityError:
            return
        try:
            number = 1
            for text in self._pieces(fd):
                self.work.check()
                if self.wanted.may_be_in(text):
                    self._piece(path, number, text)
                    if self.files_only and self.found["files"][-1:] == [path]:
                        return
                number += text.count("\n")
        finally:
            os.close(fd)

    def _pieces(self, fd: int) -> Iterator[str]:
        """The text of a file in pieces that the engine may be given at once: whole lines, where a line is not longer.
        What has a NUL in it is no text, and ends the file."""
        rest = b""
        size = self.wanted.piece
        while True:
            try:
                block = os.read(fd, size)
            except OSError:
                return
            self.bytes_left -= len(block)
            if self.bytes_left < 0:
                raise TooMuch("bytes")
            if b"\0" in block:
                return
            data = rest + block
            if not block:
                if data:
                    yield _decoded(data)
                return
            cut = data.rfind(b"\n") + 1
            if not cut and len(data) > size:
                cut = _whole_characters(data, size)
            if cut:
                yield _decoded(data[:cut])
            rest = data[cut:]

    def _piece(self, path: str, number: int, text: str) -> None:
        lines = text.split("\n")
        if not lines[-1]:
            lines.pop()  # what comes after the last end of a line
        for at, line in enumerate(lines):
            if not at & 255:
                self.work.check()
            if self.wanted.in_line(line):
                matches = self.found["matches"]
                if matches and (matches[-1]["path"], matches[-1]["line"]) == (path, number + at):
                    continue  # another piece of a long line
                if self.left <= 0:
                    raise TooMuch("results")
                self.left -= 1
                if self.found["files"][-1:] != [path]:
                    self.found["files"].append(path)
                if self.files_only:
                    return
                if len(line) > _LINE_CHARS:
                    line = f"{line[:_LINE_CHARS]} [... {len(line) - _LINE_CHARS} more characters]"
                matches.append({"path": path, "line": number + at, "text": line})


def _decoded(data: bytes) -> str:
    text = data.decode("utf-8", "replace")
    return text.replace("\r\n", "\n") if "\r" in text else text


def _whole_characters(data: bytes, most: int) -> int:
    """Where a text may be cut so that no character is."""
    cut = most
    while cut > most - 4 and data[cut] & 0xC0 == 0x80:
        cut -= 1
    return cut


def _after(block: bytes, lines: int) -> int:
    """Where the line after that many begins."""
    at = 0
    for _ in range(lines):
        at = block.index(b"\n", at) + 1
    return at


def _text(data: bytes, parts: list[str]) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise CapabilityError(
            f"{shown('/'.join(parts))} is not text: UTF-8 ends at byte {error.start} of {len(data)}", type="ValueError"
        ) from None


def _write(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def _take_over(fd: int, there: os.stat_result) -> None:
    """Owner and mode of the file that is replaced, as far as this process may."""
    mine = os.fstat(fd)
    if (mine.st_uid, mine.st_gid) != (there.st_uid, there.st_gid):
        try:
            os.fchown(fd, there.st_uid, there.st_gid)
        except PermissionError:
            pass
    os.fchmod(fd, there.st_mode & 0o777)
