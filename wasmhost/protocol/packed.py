"""Messages of calls: JSON alone, or a packed frame with the bytes that it carries
(``guest-runtimes/abi/wasmhost_abi.h``, ``enum wh_call``)."""

from _struct import Struct

from ..errors import ProtocolError
from .scan import check_depth, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAGIC = b"WHP1"
_COUNTS = Struct("<4sII")
_U32 = Struct("<I")
_MAX_ATTACHMENTS = 1 << 16


def pack(head: bytes, attachments: list[bytes]) -> bytes:
    """One message; the head alone where there is nothing to carry."""
    if not attachments:
        return head
    return b"".join(
        (
            _COUNTS.pack(MAGIC, len(head), len(attachments)),
            *(_U32.pack(len(item)) for item in attachments),
            head,
            *attachments,
        )
    )


def unpack(data: bytes) -> "tuple[bytes, list[bytes]]":
    """Head and attachments of a message from a guest.

    Raises:
        ProtocolError: lengths that do not fit together.
    """
    if data[:4] != MAGIC:
        return data, []
    if len(data) < _COUNTS.size:
        raise ProtocolError("packed frame is cut")
    _, head_size, count = _COUNTS.unpack_from(data)
    start = _COUNTS.size + 4 * count
    if count > _MAX_ATTACHMENTS or start + head_size > len(data):
        raise ProtocolError("packed frame is cut")
    at = start + head_size
    attachments = []
    for i in range(count):
        (size,) = _U32.unpack_from(data, _COUNTS.size + 4 * i)
        if at + size > len(data):
            raise ProtocolError("packed frame is cut")
        attachments.append(data[at : at + size])
        at += size
    if at != len(data):
        raise ProtocolError("packed frame has bytes to spare")
    return data[start : start + head_size], attachments


def read_request(data: bytes, depth: int) -> "Any":
    """The revived value of a request.

    Raises:
        ProtocolError: not a message that a well-behaved guest sends, or (TooDeep) nested deeper than ``depth``.
    """
    attachments: list[bytes] = []
    if data[:4] == MAGIC:
        data, attachments = unpack(data)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise ProtocolError("request is not UTF-8") from None
    value = parse(text)
    if '"$wasmhost"' in text:
        from .values import revive

        return revive(value, attachments, depth)
    if len(text) > depth and text.count("[") + text.count("{") > depth:
        check_depth(value, depth)
    return value
