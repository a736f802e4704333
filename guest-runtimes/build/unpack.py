"""Archives and patches, by Python alone: no tar, xz, unzip or patch program is needed."""

from __future__ import annotations

import os
import re
import shutil
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

from report import BuildError


def extract(archive: Path, target: Path, *, inside: str = "", strip: int = 1) -> None:
    """Unpacks what lies under the folder `inside` (after `strip` leading folders were taken off) into target."""
    target.mkdir(parents=True, exist_ok=True)
    if zipfile.is_zipfile(archive):
        _extract_zip(archive, target, inside, strip)
        return
    with tarfile.open(archive) as tar:
        for member in tar:
            path = _place(member.name, inside, strip)
            if path is None:
                continue
            out = target / path
            if member.isdir():
                out.mkdir(parents=True, exist_ok=True)
            elif member.isreg():
                out.parent.mkdir(parents=True, exist_ok=True)
                data = tar.extractfile(member)
                assert data is not None
                with out.open("wb") as file:
                    shutil.copyfileobj(data, file)
                out.chmod(0o755 if member.mode & 0o100 else 0o644)
                os.utime(out, (member.mtime, member.mtime))
            # links and devices: none of the sources needs one


def _extract_zip(archive: Path, target: Path, inside: str, strip: int) -> None:
    with zipfile.ZipFile(archive) as file:
        for info in file.infolist():
            path = _place(info.filename, inside, strip)
            if path is None or info.is_dir():
                continue
            out = target / path
            out.parent.mkdir(parents=True, exist_ok=True)
            with file.open(info) as data, out.open("wb") as sink:
                shutil.copyfileobj(data, sink)
            out.chmod(0o755 if (info.external_attr >> 16) & 0o100 else 0o644)


def _place(name: str, inside: str, strip: int) -> Path | None:
    parts = [part for part in PurePosixPath(name).parts if part != "."]
    if name.startswith("/") or ".." in parts:
        raise BuildError(f"an archive names a path outside of itself: {name!r}")
    parts = parts[strip:]
    prefix = PurePosixPath(inside).parts
    if tuple(parts[: len(prefix)]) != prefix or len(parts) <= len(prefix):
        return None
    return Path(*parts[len(prefix) :])


# ---- patches --------------------------------------------------------------------------------------------------------

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


def apply_series(series: Path, root: Path) -> int:
    """Applies the patches that a Debian `series` file lists. Returns how many."""
    count = 0
    for line in series.read_text(encoding="utf-8").splitlines():
        name = line.split("#")[0].split()
        if name:
            apply_patch(series.parent / name[0], root)
            count += 1
    return count


def apply_patch(patch: Path, root: Path) -> None:
    """Applies a unified diff made with one leading folder (-p1). Context must match; it may have moved."""
    lines = patch.read_bytes().split(b"\n")
    at = 0
    while at < len(lines):
        if not (lines[at].startswith(b"--- ") and at + 1 < len(lines) and lines[at + 1].startswith(b"+++ ")):
            at += 1
            continue
        old, new = (_target(lines[at + which], root, patch) for which in (0, 1))
        at += 2
        text = old.read_bytes().split(b"\n") if old is not None and old.exists() else [b""]
        shift = 0
        while at < len(lines) and (match := _HUNK.match(lines[at].decode(errors="replace"))):
            start, before, after = int(match[1]), int(match[2] or 1), int(match[4] or 1)
            at += 1
            removed: list[bytes] = []
            added: list[bytes] = []
            while len(removed) < before or len(added) < after:
                mark, rest = lines[at][:1], lines[at][1:]
                at += 1
                if mark in (b" ", b""):
                    removed.append(rest)
                    added.append(rest)
                elif mark == b"-":
                    removed.append(rest)
                elif mark == b"+":
                    added.append(rest)
                elif mark != b"\\":
                    raise BuildError(f"{patch.name} line {at}: not a unified diff")
            where = _find(text, removed, max(start - 1, 0) + shift)
            if where is None:
                raise BuildError(f"{patch.name} does not fit {old or new} at line {start}")
            text[where : where + len(removed)] = added
            shift = where + len(added) - (start - 1 + len(removed))
        if new is None:
            assert old is not None
            old.unlink()
        else:
            new.parent.mkdir(parents=True, exist_ok=True)
            if old is None and text and text[-1] != b"":
                text.append(b"")
            new.write_bytes(b"\n".join(text))


def _target(line: bytes, root: Path, patch: Path) -> Path | None:
    name = line[4:].split(b"\t")[0].decode().strip()
    if name == "/dev/null":
        return None
    parts = PurePosixPath(name).parts[1:]
    if not parts or ".." in parts:
        raise BuildError(f"{patch.name} names {name!r}")
    return root.joinpath(*parts)


def _find(text: list[bytes], wanted: list[bytes], near: int) -> int | None:
    span = len(wanted)
    for distance in range(len(text) + 1):
        for at in {near - distance, near + distance}:
            if 0 <= at <= len(text) - span and text[at : at + span] == wanted:
                return at
    return None
