"""The format of snapshots: a session as bytes, and back.

Whatever is read here may have been written by an attacker. Sizes are bounded before anything is made of them, no code
and no name of a class is in the data, and what does not fit raises :class:`~wasmhost.errors.SnapshotError`.
"""

import hmac
import zlib
from ctypes import string_at
from hashlib import sha256
from struct import Struct
from typing import Any

from ..errors import ProtocolError, SnapshotError
from ..protocol.encode import encode, utf8
from ..protocol.packed import pack, read_request
from ..sandbox.pages import PAGE, Pages

MAGIC = b"WHSNAP\r\n"
FORMAT = 1
# Magic, format, flags, bytes of the content before compression.
_START = Struct("<8sIIQ")
_DIGEST = 32
_SIGNED = 1
_HEAD = _START.size + 2 * _DIGEST
# Level 1: higher levels gain little here and take several times as long.
_LEVEL = 1
# What a snapshot may hold beside the memory of the guest.
_EXTRA_BYTES = 64 << 20
_DEPTH = 60
# Bytes in which memory is compared with the image, up to that size of a heap.
_SPAN = 64
_FINE_BYTES = 8 << 20
_BAD_PAGES = "the snapshot is damaged: its memory does not fit"


def write(state: dict[str, Any], key: bytes | None = None) -> bytes:
    """A snapshot of plain values (those of ``docs/values.md``).

    Args:
        key: of the HMAC-SHA256 with which it is signed.
    """
    attachments: list[bytes] = []
    text = encode(state, attachments)
    content = pack(utf8(text), attachments)
    body = zlib.compress(content, _LEVEL)
    start = _START.pack(MAGIC, FORMAT, 0 if key is None else _SIGNED, len(content))
    digest = sha256(start + body).digest()
    signature = bytes(_DIGEST) if key is None else hmac.digest(key, start + body, "sha256")
    return b"".join((start, digest, signature, body))


def read(data: bytes, memory_bytes: int, key: bytes | None = None) -> tuple[dict[str, Any], bool]:
    """The values of a snapshot, and whether it carries a signature by ``key``.

    Args:
        memory_bytes: how much memory a guest may have here; a snapshot that says it holds more than that and what
            belongs to it is not even unpacked.

    Raises:
        SnapshotError: not a snapshot, of a format that this version does not know, damaged, too large, or with a
            signature that is missing or not by this key.
    """
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"a snapshot is bytes, not {type(data).__name__}")
    data = bytes(data)
    if len(data) < _HEAD or data[: len(MAGIC)] != MAGIC:
        raise SnapshotError("this is not a snapshot of wasmhost")
    _, version, flags, size = _START.unpack_from(data)
    if version != FORMAT:
        raise SnapshotError(f"the snapshot has format {version}; this version of wasmhost reads format {FORMAT}")
    start, body = data[: _START.size], data[_HEAD:]
    if not hmac.compare_digest(sha256(start + body).digest(), data[_START.size : _START.size + _DIGEST]):
        raise SnapshotError("the snapshot is damaged: its SHA-256 does not fit; use another copy")
    signed = False
    if key is not None:
        if not flags & _SIGNED:
            raise SnapshotError("the snapshot is not signed, and this host takes only those with its signature")
        if not hmac.compare_digest(hmac.digest(key, start + body, "sha256"), data[_START.size + _DIGEST : _HEAD]):
            raise SnapshotError("the snapshot was signed with another key, or changed since")
        signed = True
    most = memory_bytes + _EXTRA_BYTES
    if size > most:
        raise SnapshotError(
            f"the snapshot holds {size} bytes, and this host allows {most}: a larger Limits(memory_bytes=...) lets it "
            "in"
        )
    unpacker = zlib.decompressobj()
    try:
        content = unpacker.decompress(body, size + 1)
    except zlib.error:
        raise SnapshotError("the snapshot is damaged: it cannot be unpacked") from None
    if len(content) != size or not unpacker.eof or unpacker.unused_data:
        raise SnapshotError("the snapshot is damaged: its length does not fit")
    try:
        state = read_request(content, _DEPTH)
    except ProtocolError as error:
        raise SnapshotError(f"the snapshot is damaged: {error}") from None
    if type(state) is not dict:
        raise SnapshotError("the snapshot is damaged: no session in it")
    return state, signed


# ---- memory ----------------------------------------------------------------------------------------------------------


def pack_pages(pages: Pages, memory_bytes: int, pristine: tuple[int, int]) -> dict[str, Any]:
    """What differs from the image, as values: the spans that do, and their bytes one after the other.

    Args:
        pristine: address and size of an untouched memory of the image.
    """
    # In a large heap finding small spans would take longer than compressing what is equal.
    step = _SPAN if sum(len(data) for _, data in pages) <= _FINE_BYTES else PAGE
    table: list[int] = []
    parts: list[bytes] = []
    end = -1
    for start, data in pages:
        theirs = _image_at(start, len(data), pristine)
        if data == theirs:
            continue
        for at in range(0, len(data), step):
            piece = data[at : at + step]
            if piece == theirs[at : at + step]:
                continue
            if end == start + at:
                table[-1] += step // _SPAN
            else:
                table += (start + at) // _SPAN, step // _SPAN
            end = start + at + step
            parts.append(piece)
    return {"memory": memory_bytes, "table": table, "data": b"".join(parts)}


def _image_at(offset: int, size: int, pristine: tuple[int, int]) -> bytes:
    """What an untouched memory has at that place; beyond the image there are zeros."""
    address, image_size = pristine
    inside = max(0, min(size, image_size - offset))
    return string_at(address + offset, inside) + bytes(size - inside)


def unpack_pages(packed: Any, most: int, image_bytes: int) -> tuple[Pages, int]:
    """What to write where in a new memory of the image, and the size that the memory is to have.

    Args:
        most: bytes that a guest's memory may have here.

    Raises:
        SnapshotError: places outside of the memory, or in no order.
    """
    memory_bytes = integer(packed, "memory", (1 << 32) + 1)
    table, data = field(packed, "table", list), field(packed, "data", bytes)
    if memory_bytes > most:
        raise SnapshotError(
            f"the session of the snapshot has {memory_bytes} bytes of memory, and this host allows {most}: "
            "a larger Limits(memory_bytes=...) lets it in"
        )
    if len(table) % 2 or memory_bytes < image_bytes or memory_bytes % 65536:
        raise SnapshotError(_BAD_PAGES)
    pages: Pages = []
    end = at = 0
    for first, count in zip(table[::2], table[1::2], strict=True):
        if type(first) is not int or type(count) is not int or not (end <= first and 0 < count <= 1 << 26):
            raise SnapshotError(_BAD_PAGES)
        end = first + count
        size = count * _SPAN
        if end * _SPAN > memory_bytes or at + size > len(data):
            raise SnapshotError(_BAD_PAGES)
        pages.append((first * _SPAN, data[at : at + size]))
        at += size
    if at != len(data):
        raise SnapshotError(_BAD_PAGES)
    return pages, memory_bytes


# ---- fields --------------------------------------------------------------------------------------------------------


def field(holder: Any, name: str, kind: type) -> Any:
    """A value of a snapshot.

    Raises:
        SnapshotError: it is not there, or of another type.
    """
    value = holder.get(name) if type(holder) is dict else None
    if type(value) is not kind:
        raise SnapshotError(f"the snapshot is damaged: {name} is not what it should be")
    return value


def integer(holder: Any, name: str, most: int) -> int:
    """A whole number from 0 to below ``most``.

    Raises:
        SnapshotError: another value.
    """
    value: int = field(holder, name, int)
    if not 0 <= value < most:
        raise SnapshotError(f"the snapshot is damaged: {name} is out of range")
    return value
