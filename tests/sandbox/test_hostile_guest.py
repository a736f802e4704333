"""A guest that tries to reach the host: through each import, and through what it gives back.

Each is an end of the sandbox, not of the host.
"""

import json
import struct
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.drivers import Driver
from tests.support.fixed_source import FixedSource
from tests.support.hostile import (
    FRAME,
    HEAD,
    HEAP,
    IN_CAP,
    LOG,
    MEMORY,
    OUT_BUF,
    OUT_CAP,
    OUT_LEN,
    HostileRuntime,
    Probe,
    Script,
    hostile_image,
)
from wasmhost import Limits
from wasmhost.protocol.frames import FLAG_FULL
from wasmhost.sandbox.imports import GuestFault
from wasmhost.sandbox.instance import Broken, Instance
from wasmhost.session.session import Session

pytestmark = pytest.mark.spec("D1", "S6")

TOP = 0xFFFFFFFF
OUTSIDE = [
    (MEMORY, 1),
    (MEMORY - 1, 2),
    (0, MEMORY + 1),
    (0, TOP),
    (TOP, TOP),
    (TOP, 1),
    (1, TOP),
    (0x80000000, 0x80000000),
    (MEMORY + 1, 0),
]


def broken(script: Script, text: str) -> None:
    probe = Probe()
    with pytest.raises(Broken, match=text):
        probe.start(script.frame())
    probe.close()


def survives(probe: Probe, script: Script) -> None:
    """The guest is served, or its sandbox ended for what it did, and not by a limit."""
    limit: str | None = None
    try:
        probe.start(script)
    except Broken as error:
        limit = error.limit
    finally:
        probe.close()
    assert limit is None


# ---- each import ----


@pytest.mark.spec("D1.6")
@pytest.mark.parametrize(("start", "size"), OUTSIDE)
@pytest.mark.parametrize(
    "script",
    [
        lambda start, size: Script().do("write", 1, start, size),
        lambda start, size: Script().do("random", start, size),
        lambda start, size: Script().do("call", 0, start, size, HEAP, 8),
        lambda start, size: Script().do("call", 1, HEAP, 8, start, size),
    ],
    ids=["write", "random", "call", "reply"],
)
def test_a_span_outside_the_memory_ends_the_sandbox(
    script: Callable[[int, int], Script], start: int, size: int
) -> None:
    broken(script(start, size), "outside the memory")


def test_spans_at_the_very_end_of_the_memory_are_served(probe: Probe) -> None:
    probe.start(
        Script()
        .do("store", MEMORY - 4, 0x64636261)
        .do("write", 1, MEMORY - 4, 4)
        .do("write", 1, MEMORY, 0)
        .do("random", MEMORY - 1, 1)
        .do("random", MEMORY, 0)
        .frame()
    )
    assert probe.output.streams[1] == b"abcd"


@pytest.mark.parametrize(("start", "size"), OUTSIDE)
def test_the_host_reads_and_writes_nothing_outside(probe: Probe, start: int, size: int) -> None:
    with pytest.raises(GuestFault, match="outside the memory"):
        probe.instance.read(start, size)
    if size <= MEMORY + 1:
        with pytest.raises(GuestFault, match="outside the memory"):
            probe.instance.fill(start, bytes(size))


def test_memory_that_has_grown_is_there_and_none_is_after_the_end(probe: Probe) -> None:
    instance = probe.instance
    assert probe.notes(Script().do("grow", 1), 1) == [MEMORY // 65536]
    instance.fill(MEMORY + 1, b"grown")
    assert instance.read(MEMORY, 7) == b"\0grown\0"
    probe.close()
    with pytest.raises(GuestFault):
        instance.read(0, 1)
    with pytest.raises(GuestFault):
        instance.fill(0, b"x")


def test_all_of_the_memory_may_be_written_out_at_once(probe: Probe) -> None:
    probe.start(Script().do("write", 2, 0, MEMORY).frame())
    assert len(probe.output.streams[2]) == MEMORY


@pytest.mark.parametrize("stream", [0, 5, -1, 0x80000001, TOP])
def test_only_two_streams_exist_and_those_of_background(stream: int) -> None:
    broken(Script().do("write", stream, 0, 1), "write to stream")


def test_upper_halves_of_arguments_are_ignored(probe: Probe) -> None:
    # i32 parameters lie in 64-bit slots; what stands beside them is nobody's business.
    probe.start(Script().do("write", (7 << 32) | 1, (9 << 32) | HEAD, (1 << 63) | 2).frame())
    assert len(probe.output.streams[1]) == 2


def test_the_clock_knows_two_clocks_and_takes_any_number(probe: Probe) -> None:
    script = Script().do("clock", 0).do("clock", 1).do("clock", -1)
    assert probe.notes(script, 3) == [1_000, 1_001, 1_000 + TOP]


def test_sleep_takes_any_number(probe: Probe) -> None:
    assert probe.notes(Script().do("sleep", 0).do("sleep", -1).do("sleep", -(1 << 63)).do("sleep", 1000), 4) == [0] * 4


@pytest.mark.parametrize("nanoseconds", [(1 << 63) - 1, 1 << 62, 10**18])
def test_a_sleep_is_cut_at_the_nearest_budget(probe: Probe, nanoseconds: int) -> None:
    probe.begin(script_ms=20)
    assert probe.notes(Script().do("sleep", nanoseconds), 1) == [1]
    assert (probe.instance.stop_limit, probe.instance.layer) == ("script", "soft")


def test_exit_ends_the_sandbox_with_its_code() -> None:
    broken(Script().do("exit", 3), "ended itself with exit code 3")
    broken(Script().do("exit", -1), f"exit code {TOP}")


def test_a_session_without_capabilities_refuses_every_call(probe: Probe) -> None:
    script = Script()
    for kind in (0, 1, 2, 3, -1):
        script.do("call", kind, HEAD, 16, HEAP, 64)
    assert probe.notes(script, 5) == [(1 << 64) - 1] * 5


def test_take_without_a_kept_reply_is_refused(probe: Probe) -> None:
    broken(Script().do("take", HEAP, 8), "take of another size")
    probe.start(Script().do("take", HEAP, 0).frame())


class Answering(Instance):
    """With a capability that answers every call with a hundred bytes."""

    def on_call(self, kind: int, address: int, size: int) -> bytes | None:
        return b"x" * 100


def test_a_kept_reply_is_taken_once_and_whole() -> None:
    def probe() -> Probe:
        made = Probe()
        made.close()
        made.instance = Answering(hostile_image(), FixedSource(b"", lambda which: 0), 1 << 20)
        made.begin()
        return made

    made = probe()
    assert made.notes(Script().do("call", 0, HEAD, 1, HEAP, 100), 1) == [100]
    assert made.notes(Script().do("call", 0, HEAD, 1, HEAP, 99).do("take", HEAP, 100), 1) == [100]
    with pytest.raises(Broken, match="take of another size"):
        made.start(Script().do("call", 0, HEAD, 1, HEAP, 10).do("take", HEAP, 100).do("take", HEAP, 100).frame())
    made.close()
    for size, at in ((99, HEAP), (101, HEAP), (TOP, HEAP)):
        made = probe()
        with pytest.raises(Broken, match="take of another size"):
            made.start(Script().do("call", 0, HEAD, 1, HEAP, 10).do("take", at, size).frame())
        made.close()
    made = probe()
    with pytest.raises(Broken, match="outside the memory"):
        made.start(Script().do("call", 0, HEAD, 1, HEAP, 10).do("take", MEMORY - 99, 100).frame())
    made.close()


arguments = st.one_of(
    st.sampled_from([0, 1, 2, MEMORY - 1, MEMORY, MEMORY + 1, TOP, 1 << 31, -1, HEAD, HEAP]),
    st.integers(-(1 << 63), (1 << 64) - 1),
)


@pytest.mark.spec("D1.6")
@settings(max_examples=150)
@given(
    st.lists(
        st.tuples(st.sampled_from(["write", "clock", "random", "call", "take", "exit"]), *[arguments] * 5), max_size=6
    )
)
def test_no_arguments_of_any_import_harm_the_host(calls: list[tuple[str, int, int, int, int, int]]) -> None:
    script = Script()
    for name, *values in calls:
        script.do(name, *values)
    probe = Probe()
    survives(probe, script.frame())


# ---- allocation ----


LARGE = Script().put(HEAP, bytes(IN_CAP)).frame()


@pytest.mark.parametrize("address", [MEMORY, MEMORY - 10, TOP, 1 << 31])
def test_room_for_a_large_source_is_checked(probe: Probe, address: int) -> None:
    probe.start(Script().do("alloc_gives", address, 1).frame())
    with pytest.raises(Broken, match="outside the memory"):
        probe.start(LARGE)


def test_no_room_for_a_large_source_is_told_as_memory(probe: Probe) -> None:
    probe.start(Script().do("alloc_gives", 0, 1).frame())
    with pytest.raises(Broken) as caught:
        probe.start(LARGE)
    assert caught.value.limit == "memory"


@pytest.mark.parametrize("mode", [2, 3])
@pytest.mark.parametrize("where", ["alloc", "free"])
def test_an_allocator_that_hangs_or_traps_ends_the_sandbox(probe: Probe, where: str, mode: int) -> None:
    probe.start((Script().do("alloc_gives", 0, mode) if where == "alloc" else Script().do("free_mode", mode)).frame())
    probe.begin(script_ms=20)
    with pytest.raises(Broken) as caught:
        probe.start(LARGE)
    assert caught.value.limit == ("script" if mode == 2 else None)


# ---- frames ----


@pytest.mark.spec("D1.6")
@pytest.mark.parametrize("address", [0, MEMORY, MEMORY - 23, TOP, 1 << 31])
def test_a_frame_outside_the_memory_ends_the_sandbox(address: int) -> None:
    probe = Probe()
    with pytest.raises(Broken, match=r"no frame|outside the memory"):
        probe.start(Script().do("give", address))
    probe.close()


def test_a_frame_at_the_end_of_the_memory_or_unaligned_is_read(probe: Probe) -> None:
    for address in (MEMORY - 24, FRAME + 1):
        script = Script().put(HEAD, b"{}").put(address, struct.pack("<6I", 0, 0, HEAD, 2, 0, 0)).do("give", address)
        assert probe.start(script).head == b"{}"


@pytest.mark.spec("D1.6")
@pytest.mark.parametrize("span", OUTSIDE)
def test_a_head_outside_the_memory_ends_the_sandbox(span: tuple[int, int]) -> None:
    probe = Probe()
    with pytest.raises(Broken, match="outside the memory"):
        probe.start(Script().frame(span=span))
    probe.close()


@pytest.mark.parametrize(
    ("count", "table"),
    [(TOP, HEAP), ((1 << 16) + 1, 0), (1, MEMORY), (1, MEMORY - 7), (1, TOP), (1 << 15, MEMORY - 8), (0x20000001, 0)],
)
def test_a_table_of_attachments_outside_the_memory_ends_the_sandbox(count: int, table: int) -> None:
    probe = Probe()
    with pytest.raises(Broken, match=r"outside the memory|attachments"):
        probe.start(Script().frame(attachments=(count, table)))
    probe.close()


@pytest.mark.spec("D1.6")
@pytest.mark.parametrize("span", OUTSIDE)
def test_an_attachment_outside_the_memory_ends_the_sandbox(span: tuple[int, int]) -> None:
    probe = Probe()
    with pytest.raises(Broken, match=r"outside the memory|larger than the memory"):
        probe.start(Script().spans(HEAP, [(0, 4), span]).frame(attachments=(2, HEAP)))
    probe.close()


def test_overlapping_attachments_cannot_fill_the_host(probe: Probe) -> None:
    # 512 times the whole memory: a bomb of 128 MiB out of 256 KiB.
    with pytest.raises(Broken, match="larger than the memory"):
        probe.start(Script().spans(HEAP, [(0, MEMORY)] * 512).frame(attachments=(512, HEAP)))


def test_attachments_may_overlap_within_reason_and_be_empty(probe: Probe) -> None:
    frame = probe.start(Script().spans(HEAP, [(HEAD, 2), (HEAD, 2), (MEMORY, 0)]).frame(attachments=(3, HEAP)))
    assert frame.attachments == [b"{}", b"{}", b""]


@settings(max_examples=300)
@given(st.binary(min_size=24, max_size=24), st.binary(max_size=64))
def test_any_bytes_as_a_frame_are_read_or_refused(frame: bytes, near: bytes) -> None:
    probe = Probe()
    survives(probe, Script().put(FRAME + 24, near).put(FRAME, frame).do("give", FRAME))


small = st.integers(0, 40)


@settings(max_examples=300)
@given(small, small, st.sampled_from([HEAD, 0, MEMORY - 8]), small, small, st.sampled_from([HEAD, FRAME, MEMORY - 16]))
def test_frames_that_are_nearly_right_are_read_or_refused(
    status: int, flags: int, head: int, size: int, count: int, table: int
) -> None:
    probe = Probe()
    packed = struct.pack("<6I", status, flags, head, size, count, table)
    survives(probe, Script().put(HEAD, b"{}" * 20).put(FRAME, packed).do("give", FRAME))


# ---- a session with such a guest: the failure is a result, and the session goes on ----


def goes_on(session: Session, driver: Driver) -> None:
    result = driver.run(session, Script().frame(head={"v": 42, "t": "42"}).text)
    assert (result.ok, result.value, result.state) == (True, 42, "kept")


def deep(levels: int) -> bytes:
    return b'{"v":' + b"[" * levels + b"]" * levels + b',"t":""}'


HOSTILE_FRAMES = {
    "unknown status": (Script().frame(status=3), "unknown status"),
    "huge status": (Script().frame(status=TOP), "unknown status"),
    "empty head": (Script().frame(head=b""), "not JSON"),
    "no JSON": (Script().frame(head=b"{v}"), "not JSON"),
    "cut JSON": (Script().frame(head=b'{"v": [1, 2'), "not JSON"),
    "two JSON texts": (Script().frame(head=b"{}{}"), "more than one"),
    "not an object": (Script().frame(head=b"[1]"), "not an object"),
    "not UTF-8": (Script().frame(head=b'{"v": "\xff\xfe"}'), "not UTF-8"),
    "encoded surrogate": (Script().frame(head=b'{"v": "\xed\xa0\x80"}'), "not UTF-8"),
    "overlong UTF-8": (Script().frame(head=b'{"v": "\xc0\x80"}'), "not UTF-8"),
    "very deep JSON": (Script().frame(head=deep(10_000)), "cannot be read"),
    "very deep tagged JSON": (Script().frame(flags=1, head=deep(10_000)), "cannot be read"),
    "deeper than the limit, tagged": (Script().frame(flags=1, head=deep(250)), "too deep"),
    "deeper than the limit, plain": (Script().frame(head=deep(250)), "too deep"),
    "endless digits": (Script().frame(head=b'{"v": ' + b"9" * 20_000 + b"}"), "cannot be read"),
    "text is no text": (Script().frame(head={"v": 1, "t": 1}), "value_text"),
    "unknown tag": (Script().frame(flags=1, head={"v": {"$wasmhost": "pickle", "v": "x"}}), "unknown tag"),
    "tag is no text": (Script().frame(flags=1, head={"v": {"$wasmhost": ["int"]}}), "unknown tag"),
    "missing attachment": (Script().frame(flags=1, head={"v": {"$wasmhost": "bytes", "at": 7}}), "damaged"),
    "negative attachment": (Script().frame(flags=1, head={"v": {"$wasmhost": "bytes", "at": -1}}), "damaged"),
    "attachment by name": (Script().frame(flags=1, head={"v": {"$wasmhost": "bytes", "at": "0"}}), "damaged"),
    "notes are no texts": (Script().frame(head={"v": 1, "notes": [1]}), "notes"),
    "notes are one text": (Script().frame(head={"v": 1, "notes": "abc"}), "notes"),
    "failure without error": (Script().frame(1, head={}), "without an error"),
    "failure without texts": (Script().frame(1, head={"e": {"type": "X"}}), "without texts"),
    "error texts of another type": (
        Script().frame(1, head={"e": {"type": 1, "message": [], "text": {}}}),
        "without texts",
    ),
    "frames are no list": (Script().failed(frames={"a": 1}), "frames"),
    "frame is no object": (Script().failed(frames=[1]), "damaged"),
    "frame with a line of text": (Script().failed(frames=[{"cell": 1, "line": "1", "column": None}]), "damaged"),
    "frame with a line of true": (Script().failed(frames=[{"cell": 1, "line": True, "column": None}]), "damaged"),
    "waiting with text": (Script().frame(2, head={"timer": "soon"}), "waiting frame"),
    "waiting with a fraction": (Script().frame(2, head={"timer": 1.5}), "waiting frame"),
    "waiting for less than no call": (Script().frame(2, head={"timer": 1, "pending": -1}), "waiting frame"),
}


@pytest.mark.spec("A3.3", "C8.3", "S8")
@pytest.mark.parametrize("name", HOSTILE_FRAMES)
def test_a_hostile_frame_is_a_failure_and_the_session_goes_on(
    hostile: HostileRuntime, driver: Driver, name: str
) -> None:
    script, text = HOSTILE_FRAMES[name]
    result = driver.run(hostile, script.text)
    assert not result.ok
    assert (result.error_type, result.state, result.stop) == ("ProtocolError", "restored", None)
    assert text in result.error
    assert result.notes
    json.loads(result.to_json())
    goes_on(hostile, driver)


HOSTILE_ENDS = {
    "bounds": (Script().do("write", 1, MEMORY, 1), "broke the protocol"),
    "frame out of bounds": (Script().do("give", MEMORY), "broke the protocol"),
    "overlapping attachments": (
        Script().spans(HEAP, [(0, MEMORY)] * 64).frame(attachments=(64, HEAP)),
        "broke the protocol",
    ),
    "trap": (Script().do("trap"), "crashed"),
    "exit": (Script().do("exit", 0), "exit code 0"),
}


@pytest.mark.spec("A3.3", "C4.3")
@pytest.mark.parametrize("name", HOSTILE_ENDS)
def test_a_broken_guest_is_a_failure_and_the_session_goes_on(
    hostile: HostileRuntime, driver: Driver, name: str
) -> None:
    script, text = HOSTILE_ENDS[name]
    result = driver.run(hostile, script.text)
    assert not result.ok
    assert (result.error_type, result.state, result.stop) == ("GuestCrash", "restored", None)
    assert text in result.error
    goes_on(hostile, driver)


@pytest.mark.spec("C4.2", "B2.2", "A3")
@pytest.mark.parametrize(
    ("script", "limits", "limit", "layer"),
    [
        (Script().do("spin"), Limits(script_ms=20), "script", "hard"),
        (Script().do("spin"), Limits(wall_ms=20), "wall", "hard"),
        (Script().do("spin"), Limits(fuel=100_000), "fuel", "hard"),
        (Script().do("recurse"), Limits(), "stack", "hard"),
        (Script().do("wait_for_stop").failed(), Limits(script_ms=20), "script", "soft"),
        (Script().do("sleep", 1 << 62).failed(), Limits(wall_ms=20), "wall", "soft"),
        # Whatever the guest says of its end, the host's own state counts.
        (Script().do("wait_for_stop").frame(head={"v": 1, "t": "1"}), Limits(script_ms=20), "script", "soft"),
        (
            Script().do("wait_for_stop").failed("FuelError", "out of fuel", "out of fuel"),
            Limits(script_ms=20),
            "script",
            "soft",
        ),
    ],
)
def test_every_limit_ends_a_guest_that_does_nothing_for_it(
    hostile: HostileRuntime, driver: Driver, script: Script, limits: Limits, limit: str, layer: str
) -> None:
    result = driver.run(hostile, script.text, limits=limits)
    assert not result.ok
    assert result.stop is not None
    assert (result.stop.limit, result.stop.layer) == (limit, layer)
    assert result.state == ("restored" if layer == "hard" else "kept")
    goes_on(hostile, driver)


@pytest.mark.spec("C4", "A3")
@pytest.mark.parametrize("timer", [0, 1_000_000, 10**12, 10**400])
def test_a_guest_that_waits_for_ever_is_ended(hostile: HostileRuntime, driver: Driver, timer: int) -> None:
    # It answers the request to stop by waiting again, each time.
    script = Script().on_resume(Script().waiting(timer)).waiting(timer)
    result = driver.run(hostile, script.text, limits=Limits(script_ms=30))
    assert not result.ok
    assert result.stop is not None
    assert (result.stop.limit, result.stop.layer) == ("script", "hard")
    goes_on(hostile, driver)


@pytest.mark.spec("A7.3")
def test_waiting_for_nothing_is_found_at_once(hostile: HostileRuntime, driver: Driver) -> None:
    result = driver.run(hostile, Script().waiting(None, 3).text)
    assert not result.ok
    assert result.error_type == "DeadlockError"
    goes_on(hostile, driver)


@pytest.mark.spec("C4.4", "D6.1")
def test_a_guest_that_says_it_is_full_is_believed_only_at_its_limit(hostile_images: None) -> None:
    full = Script().frame(0, FLAG_FULL, {"v": 1, "t": "1"}).text
    with HostileRuntime() as roomy:
        result = roomy.run(full)
        assert (result.value, result.stop, result.state) == (1, None, "kept")
    with HostileRuntime(limits=Limits(memory_bytes=4 << 20)) as tight:
        result = tight.run(full)
        assert result.stop is not None
        assert (result.stop.limit, result.stop.layer, result.state) == ("memory", "hard", "restored")
        assert tight.run(Script().frame(0, 0, {"v": 2, "t": "2"}).text).value == 2


@pytest.mark.spec("C4.4")
def test_a_guest_cannot_forge_the_kind_of_its_stop(hostile: HostileRuntime, driver: Driver) -> None:
    result = driver.run(hostile, Script().failed("TimeoutError", "script time of 1000 ms is spent", "stopped").text)
    assert not result.ok
    assert (result.stop, result.state) == (None, "kept")


def test_output_that_was_not_handed_over_is_kept_after_a_trap(hostile: HostileRuntime, driver: Driver) -> None:
    script = Script().put(OUT_BUF[0], b"last words").do("store", OUT_LEN[0], 10)
    script.put(OUT_BUF[1], b"and an error").do("store", OUT_LEN[1], 12).do("trap")
    result = driver.run(hostile, script.text)
    assert (result.stdout, result.stderr) == ("last words", "and an error")


@pytest.mark.parametrize("count", [TOP, OUT_CAP + 1, 1 << 31, 1 << 30, (1 << 31) + 1])
def test_a_forged_count_of_unflushed_output_stays_in_its_buffer(
    hostile: HostileRuntime, driver: Driver, count: int
) -> None:
    result = driver.run(hostile, Script().do("store", OUT_LEN[0], count).do("trap").text)
    # The highest bit says that it is background, the others how much.
    streams = ["\0" * min(count & ~(1 << 31), OUT_CAP), ""]
    if count >> 31:
        streams.reverse()
    assert [result.stdout, result.background["stdout"]] == streams


@pytest.mark.spec("C6.1", "C6.5")
def test_streams_of_background_are_kept_apart_and_bounded(hostile_images: None, driver: Driver) -> None:
    with HostileRuntime(limits=Limits(stdout_bytes=100, stderr_bytes=100, console_bytes=1_000)) as session:
        script = Script().put(OUT_BUF[1], b"late").do("store", OUT_LEN[1], (1 << 31) | 4)
        script.do("write", 3, HEAP, 500).do("write", 4, HEAP, 500).do("write", 3, HEAP, 1_000).do("trap")
        result = driver.run(session, script.text)
        assert (result.stdout, result.stderr) == ("", "")
        assert "1400 bytes left out" in result.background["stdout"]
        assert "404 bytes left out" in result.background["stderr"]


@pytest.mark.spec("D1.2")
def test_memory_grows_to_the_limit_and_no_further(hostile_images: None, driver: Driver) -> None:
    with HostileRuntime(limits=Limits(memory_bytes=2 << 20)) as session:
        grown = Script().do("grow", 28).do("grow", 1).do("grow", TOP).do("grow", 0).do("write", 1, LOG, 32).frame()
        result = driver.run(session, grown.text, limits=Limits(memory_bytes=2 << 20))
        assert result.ok
        assert result.stdout.encode("utf-8", "replace").startswith(b"\x04\0\0\0\0\0\0\0")
        assert session._instance is not None
        assert session._instance.memory_bytes == 2 << 20


def test_pointers_are_checked_against_the_memory_as_it_is_now(probe: Probe) -> None:
    probe.start(Script().do("grow", 1).do("write", 1, MEMORY, 65536).frame())
    assert len(probe.output.streams[1]) == 65536
    with pytest.raises(Broken, match="outside the memory"):
        probe.start(Script().do("write", 1, MEMORY + 65536, 1).frame())


@pytest.mark.spec("A3.3")
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(head=st.binary(max_size=200), status=st.integers(0, 3), flags=st.integers(0, 3))
def test_any_head_gives_a_result(hostile_images: None, head: bytes, status: int, flags: int) -> None:
    with HostileRuntime(limits=Limits(script_ms=50)) as session:
        result = session.run(Script().frame(status, flags, head).text)
        json.loads(result.to_json())
