"""A flood of output costs the host next to nothing; what is kept of it is exact, from both guests and streams."""

import re
import sys

import pytest

from tests.support.drivers import Driver
from tests.support.guests import Guest
from wasmhost import Limits
from wasmhost.session.session import Session

from .tools import child

pytestmark = pytest.mark.spec("C5")

MARK = re.compile(r"\n\[\.\.\. (\d+) bytes left out \.\.\.\]\n")
STREAMS = ("stdout", "stderr")
CHUNK = 1 << 20
FLOOD = 1 << 30
GROWTH = 2 << 20


def flood(guest: Guest, stream: str, chunks: int) -> str:
    """Prints ``chunks`` MiB in lines of one MiB, the newline of each among its bytes."""
    text = CHUNK - 1
    return str(
        guest.pick(
            python=f"import sys\ns = 'y' * {text}\nfor _ in range({chunks}): print(s, file=sys.{stream})",
            javascript=f"var s = 'y'.repeat({text}); for (let i = 0; i < {chunks}; i++) "
            f"console.{'log' if stream == 'stdout' else 'error'}(s)",
        )
    )


# Peaks of the process itself, in bytes. The same flood, smaller, comes before, until there are checkpoints as after
# the large one: what the first use of anything takes is not the flood's.
CHILD = """
import json, sys
from tests.support.guests import GUESTS
from tests.limits.test_floods import flood, CHUNK, FLOOD
from wasmhost import Limits

def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM:"))

name, stream, console = sys.argv[1:]
guest = GUESTS[name]
limits = Limits(script_ms=60_000, console_bytes=int(console))
with guest.runtime(limits=limits) as session:
    for _ in range(5):
        assert session.run(flood(guest, stream, 32)).ok
    before = peak()
    result = session.run(flood(guest, stream, FLOOD // CHUNK))
    grown = peak() - before
    assert session.run("1 + 1").value == 2
other = "stderr" if stream == "stdout" else "stdout"
print(json.dumps({
    "ok": result.ok, "grown": grown, "elided": result.output_elided[stream], "kept": getattr(result, stream),
    "other": getattr(result, other), "otherElided": result.output_elided[other],
}))
"""


@pytest.mark.spec("C5.1", "C5.3", "D1.5")
@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from /proc")
@pytest.mark.parametrize("console", [52_428_800, 1 << 40], ids=["counted", "all handed over"])
@pytest.mark.parametrize("stream", STREAMS)
def test_a_flood_of_a_gigabyte_takes_the_host_less_than_two_megabytes(guest: Guest, stream: str, console: int) -> None:
    got = child(CHILD, guest.name, stream, str(console), timeout=110)
    assert got["ok"]
    assert got["grown"] < GROWTH
    head, elided, tail = MARK.split(got["kept"])
    assert int(elided) == got["elided"] == FLOOD - len(head) - len(tail)
    kept = Limits().stdout_bytes if stream == "stdout" else Limits().stderr_bytes
    assert head == "y" * ((kept + 1) // 2)
    if console > FLOOD:
        assert tail == "y" * (kept // 2 - 1) + "\n"
    assert (got["other"], got["otherElided"]) == ("", 0)


@pytest.mark.spec("C5.3", "D10.1", "B14.5")
def test_a_listener_of_a_flood_hears_no_more_than_the_console_limit(guest: Guest, driver: Driver) -> None:
    heard = {"stdout": 0, "stderr": 0}
    largest = 0

    def listener(stream: str, data: bytes) -> None:
        nonlocal largest
        heard[stream] += len(data)
        largest = max(largest, len(data))

    limits = Limits(console_bytes=3_000_000, script_ms=60_000)
    with guest.runtime(limits=limits) as session:
        result = driver.run(session, flood(guest, "stderr", 16), on_output=listener)
    assert result.ok, result.error
    assert heard == {"stdout": 0, "stderr": 3_000_000}
    assert largest <= CHUNK
    assert result.output_elided["stderr"] == 16 * CHUNK - len(MARK.sub("", result.stderr))


def lines(guest: Guest, count: int, stream: str) -> str:
    """Prints numbered lines of ten bytes each."""
    return str(
        guest.pick(
            python=f"import sys\nfor i in range({count}): print(f'{{i:09}}', file=sys.{stream})",
            javascript=f"for (let i = 0; i < {count}; i++) "
            f"console.{'log' if stream == 'stdout' else 'error'}(String(i).padStart(9, '0'))",
        )
    )


@pytest.mark.spec("C5.1")
@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("kept", [0, 1, 20, 999, 1_000, 64 << 10])
def test_the_beginning_and_the_end_of_many_small_prints(session: Session, guest: Guest, stream: str, kept: int) -> None:
    count = 20_000
    limits = Limits(stdout_bytes=kept, stderr_bytes=kept)
    result = session.run(lines(guest, count, stream), limits=limits)
    assert result.ok, result.error
    whole = "".join(f"{i:09}\n" for i in range(count))
    head, elided, tail = MARK.split(getattr(result, stream))
    assert head == whole[: (kept + 1) // 2]
    assert tail == whole[len(whole) - kept // 2 :]
    assert int(elided) == result.output_elided[stream] == len(whole) - kept


@pytest.mark.spec("C5.1")
def test_each_stream_has_its_own_limit_and_its_own_count(session: Session, guest: Guest, driver: Driver) -> None:
    both = f"{lines(guest, 100, 'stdout')}\n{lines(guest, 200, 'stderr')}"
    result = driver.run(session, both, limits=Limits(stdout_bytes=100, stderr_bytes=300))
    assert result.output_elided == {"stdout": 900, "stderr": 1_700}
    exact = driver.run(session, both, limits=Limits(stdout_bytes=1_000, stderr_bytes=1_999))
    # One byte over is one byte left out.
    assert exact.output_elided == {"stdout": 0, "stderr": 1}
    assert not MARK.search(exact.stdout)
    # What an earlier cell left out is not counted again.
    assert driver.run(session, "1").output_elided == {"stdout": 0, "stderr": 0}


@pytest.mark.spec("C5.2")
@pytest.mark.parametrize("character", ["é", "€", "😀"])
@pytest.mark.parametrize("shift", range(4))
def test_a_character_over_the_cut_is_left_out_whole(session: Session, guest: Guest, character: str, shift: int) -> None:
    size = len(character.encode())
    code = guest.out("a" * shift + character * 1_000)
    result = session.run(code, limits=Limits(stdout_bytes=101))
    head, elided, tail = MARK.split(result.stdout)
    # 51 bytes before the cut and 50 after it, less what is left of a character there.
    assert head == "a" * shift + character * ((51 - shift) // size)
    assert tail == character * (49 // size) + "\n"
    written = shift + 1_000 * size + 1
    assert int(elided) == result.output_elided["stdout"] == written - len(head.encode()) - len(tail.encode())


@pytest.mark.spec("C5.2")
@pytest.mark.parametrize("shift", range(4))
def test_a_character_over_two_hand_overs_to_the_host_is_whole(session: Session, guest: Guest, shift: int) -> None:
    # A text that is longer than any buffer of a guest: characters lie over the end of each.
    text = "a" * shift + "😀" * 60_000
    code = guest.pick(
        python=f"print('a' * {shift} + '\\U0001f600' * 60_000)",
        javascript=f"console.log('a'.repeat({shift}) + '\\u{{1f600}}'.repeat(60_000))",
    )
    result = session.run(code)
    assert result.stdout == text + "\n"
    assert result.output_elided == {"stdout": 0, "stderr": 0}


@pytest.mark.spec("C5.2")
@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("character", ["é", "€", "😀"])
def test_a_character_in_two_writes_is_whole(python: Session, driver: Driver, stream: str, character: str) -> None:
    code = f"import sys\nfor b in {character.encode()!r}: sys.{stream}.buffer.write(bytes([b])); sys.{stream}.flush()"
    result = driver.run(python, code)
    assert result.ok, result.error
    assert getattr(result, stream) == character
    heard: list[bytes] = []
    followed = driver.run(python, code, on_output=lambda _, data: heard.append(data))
    # A listener gets the bytes as they are written.
    assert (getattr(followed, stream), b"".join(heard)) == (character, character.encode())


@pytest.mark.spec("C5.2", "A2.4")
@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xfe",
        b"a\xc3",
        b"\xa9b",
        b"\xed\xa0\x80",
        b"\xc0\x80",
        b"\xf0\x9f\x98",
        b"\xf8\x88\x80\x80\x80",
        b"\x80" * 100,
        bytes(range(256)),
    ],
)
def test_what_is_not_utf8_is_shown_as_replaced(python: Session, driver: Driver, stream: str, data: bytes) -> None:
    result = driver.run(python, f"import sys\nsys.{stream}.buffer.write({data!r})\nNone")
    assert result.ok, result.error
    assert getattr(result, stream) == data.decode("utf-8", "replace")
    assert result.output_elided == {"stdout": 0, "stderr": 0}
    result.to_json().encode()


@pytest.mark.spec("C5.1", "C5.2")
@pytest.mark.parametrize("byte", [0x80, 0xC3, 0xF0, 0xFF])
def test_a_flood_that_is_not_utf8_is_counted_in_bytes(python: Session, byte: int) -> None:
    result = python.run(
        f"import sys\nsys.stdout.buffer.write(bytes([{byte}]) * 100_000)\nNone", limits=Limits(stdout_bytes=100)
    )
    assert result.ok, result.error
    head, elided, tail = MARK.split(result.stdout)
    assert int(elided) == result.output_elided["stdout"]
    # What looks like a part of a character is left out at the cut: three bytes of it at most on each side.
    assert 100_000 - 100 <= int(elided) <= 100_000 - 100 + 8
    assert set(head + tail) <= {"\ufffd"}
