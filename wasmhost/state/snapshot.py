"""The format of snapshots: a session as bytes, and back.

Whatever is read here may have been written by an attacker. Sizes are bounded before anything is made of them, no code
and no name of a class is in the data, and what does not fit raises :class:`~wasmhost.errors.SnapshotError`.
"""

import hmac
import zlib
from collections.abc import Mapping
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
# Level 1: the content is a difference and mostly zeros; higher levels gain little and take several times as long.
_LEVEL = 1
# What a snapshot may hold beside the memory of the guest.
_EXTRA_BYTES = 64 << 20
_DEPTH = 60
# Larger numbers than this would only be made for the sake of large integers.
_XOR_BYTES = 1 << 20


def write(state: Mapping[str, Any], key: bytes | None = None) -> bytes:
    """A snapshot of plain values (those of ``docs/values.md``).

    Args:
        key: of the HMAC-SHA256 with which it is signed.
    """
    attachments: list[bytes] = []
    text = encode(dict(state), attachments)
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


# ---- pages ---------------------------------------------------------------------------------------------------------


def _xor(a: bytes, b: bytes) -> bytes:
    """Of two of the same length."""
    made = []
    for at in range(0, len(a), _XOR_BYTES):
        one, other = a[at : at + _XOR_BYTES], b[at : at + _XOR_BYTES]
        made.append((int.from_bytes(one, "little") ^ int.from_bytes(other, "little")).to_bytes(len(one), "little"))
    return b"".join(made)


def _against(offset: int, data: bytes, pristine: tuple[int, int]) -> bytes:
    """Data XORed with what the image has at that place; beyond the image there is nothing."""
    address, size = pristine
    inside = max(0, min(len(data), size - offset))
    return _xor(data[:inside], string_at(address + offset, inside)) + data[inside:] if inside else data


def pack_pages(pages: Pages, memory_bytes: int, pristine: tuple[int, int]) -> dict[str, Any]:
    """Pages as values. ``pristine``: address and size of an untouched memory of the image."""
    table: list[int] = []
    for offset, data in pages:
        table += offset // PAGE, len(data) // PAGE
    return {
        "memory": memory_bytes,
        "table": table,
        "data": b"".join([_against(offset, data, pristine) for offset, data in pages]),
    }


def unpack_pages(packed: Any, most: int, pristine: tuple[int, int]) -> tuple[Pages, int]:
    """Pages, and the size of the memory that they belong to.

    Args:
        most: bytes that a guest's memory may have here.

    Raises:
        SnapshotError: places outside of the memory, or in no order.
    """
    memory_bytes = integer(packed, "memory", 1 << 32)
    table, data = field(packed, "table", list), field(packed, "data", bytes)
    if memory_bytes > most:
        raise SnapshotError(
            f"the session of the snapshot has {memory_bytes} bytes of memory, and this host allows {most}: "
            "a larger Limits(memory_bytes=...) lets it in"
        )
    if len(table) % 2 or memory_bytes < pristine[1] or memory_bytes % 65536:
        raise SnapshotError("the snapshot is damaged: its pages do not fit")
    pages: Pages = []
    end = at = 0
    for i in range(0, len(table), 2):
        first, count = table[i], table[i + 1]
        if type(first) is not int or type(count) is not int or not (end <= first and 0 < count <= 1 << 20):
            raise SnapshotError("the snapshot is damaged: its pages do not fit")
        end = first + count
        size = count * PAGE
        if end * PAGE > memory_bytes or at + size > len(data):
            raise SnapshotError("the snapshot is damaged: its pages do not fit")
        pages.append((first * PAGE, _against(first * PAGE, data[at : at + size], pristine)))
        at += size
    if at != len(data):
        raise SnapshotError("the snapshot is damaged: its pages do not fit")
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
