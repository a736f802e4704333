"""Fuzzers that are the same in every run: bounded, and the examples follow from the test alone.

``WASMHOST_FUZZ=20`` runs each with twenty times the examples, other ones each time (``scripts/fuzz-coverage``).
"""

import os
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

TIMES = int(os.environ.get("WASMHOST_FUZZ", "0"))
# What a length or a count may be taken for.
EXTREMES = (0, 1, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF)
_BYTES = b'09-"[]{},:\\$eE.\0\x7f\x80\xff'
_PIECES = (b'"$wasmhost"', b"null", b"1e999", b"-0", b"NaN", b"[" * 50, b"9" * 400, b"\\ud800", b"\xff\xfe", b"WHP1")


def fuzz(examples: int) -> Callable[[Any], Any]:
    """Settings of one fuzzer: so many examples, or those times ``WASMHOST_FUZZ``."""
    return settings(
        max_examples=examples * max(1, TIMES),
        derandomize=not TIMES,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large],
    )


def changed(data: bytes, random: Random) -> bytes:
    """The same with a few bytes changed, left out, put in, or cut off."""
    made = bytearray(data)
    for _ in range(random.choice((1, 1, 1, 2, 5))):
        at = random.randrange(len(made) + 1)
        match random.randrange(7):
            case 0 if at < len(made):
                made[at] ^= 1 << random.randrange(8)
            case 1 if at < len(made):
                made[at] = random.choice(_BYTES)
            case 2:
                del made[at : at + random.choice((1, 1, 4, 20))]
            case 3:
                made[at:at] = random.choice(_PIECES)
            case 4:
                made[at : at + 4] = random.choice(EXTREMES).to_bytes(4, "little")
            case 5:
                del made[at:]
            case _:
                other = random.randrange(len(made) + 1)
                made[at:at] = made[other : other + random.choice((1, 8, 40))]
    return bytes(made)


def mutations(corpus: list[bytes]) -> st.SearchStrategy[bytes]:
    """Changed ones of a corpus, and each of it as it is."""
    return st.tuples(st.sampled_from(corpus), st.none() | st.randoms(use_true_random=False)).map(
        lambda pair: pair[0] if pair[1] is None else changed(pair[0], pair[1])
    )


def sampled(size: int, most: int, random: Random) -> list[int]:
    """Every place of something short; of something long those at its beginning and end, and some between."""
    if size <= most:
        return list(range(size))
    edge = most // 3
    return [*range(edge), *sorted(random.sample(range(edge, size - edge), most - 2 * edge)), *range(size - edge, size)]


def damaged(data: bytes, most: int, seed: str, fields: tuple[int, ...] = ()) -> Iterator[tuple[str, bytes]]:
    """A stored thing with each bit of each byte turned, each of the four-byte ``fields`` extreme, cut at each place,
    and with something behind it; what is long is sampled (``most`` places)."""
    random = Random(seed)
    for at in sampled(len(data), most, random):
        bit = 1 << random.randrange(8)
        for mask in (bit, 0xFF):
            flipped = bytearray(data)
            flipped[at] ^= mask
            yield f"byte {at} ^ {mask:#x}", bytes(flipped)
    for at in fields:
        for value in EXTREMES:
            yield f"field {at} = {value:#x}", data[:at] + value.to_bytes(4, "little") + data[at + 4 :]
    for at in sampled(len(data), most, random):
        yield f"cut at {at}", data[:at]
    for behind in (b"\0", b"\n", data[:100], data):
        yield f"{len(behind)} bytes behind it", data + behind
