"""The images without their meter, to see what it costs."""

import re

from wasmhost.sandbox.image import images_folder

_CODE = 10


def unmetered(name: str) -> bytes:
    """The module of that image with each charge taken out of its code (see ``guest-runtimes/build/meter.py``, which
    wrote them). It can be neither measured nor stopped."""
    with open(f"{images_folder()}/{name}.wasm", "rb") as file:
        data = file.read()
    out = bytearray(data[:8])
    at = 8
    while at < len(data):
        kind = data[at]
        size, start = _number(data, at + 1)
        body = data[start : start + size]
        if kind == _CODE:
            body = _code(body)
        out += bytes([kind]) + _uleb(len(body)) + body
        at = start + size
    return bytes(out)


# global.get meter, what is taken, i64.sub, local.tee, global.set meter, and the call of tick if that is below zero
_CHARGE = re.compile(
    rb"\x23(?P<counter>[\0-\x7f])(?:\x42[\x80-\xff]{0,3}[\0-\x7f]|\x20[\x80-\xff]{0,3}[\0-\x7f]\xad)\x7d"
    rb"\x22(?P<local>[\x80-\xff]{0,3}[\0-\x7f])\x24(?P=counter)\x20(?P=local)\x42\0\x53\x04\x40\x10[\0-\x7f]\x0b",
    re.DOTALL,
)


def _code(body: bytes) -> bytes:
    count, at = _number(body, 0)
    out = bytearray(_uleb(count))
    for _ in range(count):
        size, start = _number(body, at)
        at = start + size
        function = _CHARGE.sub(b"", body[start:at])
        out += _uleb(len(function)) + function
    return bytes(out)


def _number(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _uleb(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
