"""Every import and every export of the real guests, used by a hostile one: with every number, in every order, from
every export. An import or an export that is new and has no attack here fails."""

import gc
import json
import os
import re
import struct
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.drivers import Driver
from tests.support.hostile import (
    FRAME,
    HEAD,
    HEAP,
    IN_CAP,
    MEMORY,
    OUT_BUF,
    OUT_LEN,
    PAGE,
    RESUME_PROGRAM,
    STOP_WORD,
    HostileRuntime,
    Probe,
    Script,
    image_of,
    module,
)
from tests.support.wasm_file import WasmFile
from wasmhost import Limits, capability
from wasmhost.errors import EngineError
from wasmhost.sandbox import imports
from wasmhost.sandbox.image import images_folder
from wasmhost.sandbox.instance import Broken, Instance
from wasmhost.session.session import Session

pytestmark = pytest.mark.spec("D1", "D6", "C8")

# Called by the meter that is written into every guest, the hostile one as well; a guest has no name for it.
METER = {"tick"}

ROOT = Path(__file__).resolve().parents[2]
TOP = 0xFFFFFFFF
HEADER = (ROOT / "guest-runtimes" / "abi" / "wasmhost_abi.h").read_text()
REAL = [WasmFile((Path(images_folder()) / f"{name}.wasm").read_bytes()) for name in ("python", "quickjs")]

# Small limits: what hangs is ended soon.
LIMITS = Limits(script_ms=60, wall_ms=400, memory_bytes=4 << 20, calls=50)
NUMBERS = [
    0,
    1,
    2,
    3,
    -1,
    1 << 31,
    (1 << 31) - 1,
    TOP,
    MEMORY - 1,
    MEMORY,
    MEMORY + 1,
    HEAP,
    FRAME,
    OUT_LEN[0],
    STOP_WORD,
]
WIDE = [*NUMBERS, 1 << 32, 1 << 62, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, (7 << 32) | 1]


@capability(inline=True)
def echo(value: Any = None) -> Any:
    return value


@capability
async def slow(value: Any = None) -> Any:
    await anyio.sleep(0.005)
    return value


@capability
def large(size: int = 0) -> bytes:
    return bytes(size)


@capability
async def never() -> None:
    await anyio.sleep_forever()


CAPABILITIES: list[Any] = [echo, slow, large, never]


def hostile_session(limits: Limits = LIMITS, **options: Any) -> HostileRuntime:
    return HostileRuntime(limits=limits, capabilities=CAPABILITIES, policy="allow", **options)


def alive(session: Session) -> None:
    """The session goes on, and so does a new one."""
    ordinary = Script().frame(head={"v": 42, "t": "42"}).text
    result = session.run(ordinary)
    assert (result.ok, result.value, result.state) == (True, 42, "kept")
    with HostileRuntime() as fresh:
        assert fresh.run(ordinary).value == 42


ERRORS = {"GuestCrash", "ProtocolError", "TimeoutError", "DeadlockError", "MemoryError", "RecursionError", "Error"}


def told(result: Any, *more: str) -> Any:
    """A result as it is documented, whichever it is."""
    json.loads(result.to_json())
    if not result.ok:
        assert result.error_type in ERRORS | set(more), result.error
        assert "host function failed" not in result.error
    assert all(call.state != "running" for call in result.calls)
    return result


# ---- what there is -------------------------------------------------------------------------------------------------


def message(value: Any) -> bytes:
    return value if isinstance(value, bytes) else json.dumps(value).encode()


def request(script: Script, kind: int, value: Any, capacity: int = 4096) -> Script:
    """Asks the host for something; the reply goes to ``HEAP``."""
    data = message(value)
    return script.put(HEAP, data).do("call", kind, HEAP, len(data), HEAP, capacity)


# For each import the benign arguments, of which each in turn becomes each hostile number.
IMPORTS: dict[str, list[int]] = {
    "write": [1, HEAD, 4],
    "clock": [0],
    "random": [HEAP, 8],
    "sleep": [0],
    "exit": [0],
    "call": [0, HEAD, 16, HEAP, 64],
    "take": [HEAP, 0],
}
EXPORTS = {"memory", "__stack_pointer", "wh_alloc", "wh_free", "wh_start", "wh_resume"}
# By kind: messages that are nearly right.
REQUESTS: dict[str, list[Any]] = {
    "BLOCKING": [
        *[[], ["echo"], ["echo", [], {}, 1], [1, [], {}], ["echo", {}, []], ["", [], {}], ["x" * 5000, [], {}]],
        *[["__class__", [], {}], ["echo", [1] * 40, {}], ["echo", [], {"__class__": 1, "": 2}], ["large", [9000], {}]],
        *[["slow", [], {}], ["echo", [], {"value": {"$wasmhost": "bytes", "at": 1 << 40}}]],
    ],
    "START": [
        *[[], [1, "echo", [], {}], [-1, "slow", [], {}], [1 << 70, "slow", [], {}], [1.0, "slow", [], {}]],
        *[["1", "slow", [], {}], [True, "slow", [], {}], [None, "slow", [], {}], [7, "never", [], {}]],
    ],
    "CANCEL": [[], [1], [-1], [1 << 70], ["1"], [1, 2], [[1]], {"id": 1}],
    "TOOL": [
        *[[], ["register"], ["register", 1], ["register", {}], ["unregister", 1], ["unregister", "nobody"], ["os", 1]],
        ["register", {"name": "t", "description": "", "schema": {"$ref": "#"}}],
        ["register", {"name": "../t\0", "description": "\x1b]0;x\a", "schema": True}],
        ["register", {"name": "t", "description": "d", "schema": {"type": "object"}, "displayName": "‮"}],
    ],
    "HANDLED": [[], [1, True, 1], [-1, False, {"type": 1}], [1 << 70, True, None], ["1", True, 1], [1, 1, 1]],
    "DROPPED": [[], ["echo"], [1], ["x" * 5000] * 200, [["echo"]]],
}
NOT_MESSAGES = [
    b"",
    b"\0",
    b"[",
    b"WHP1",
    b"WHP1" + b"\xff" * 8,
    b"WHP1" + bytes(8),
    b"{}",
    b"1",
    b'"\xff"',
    b"[" * 3000,
]


def kinds() -> dict[str, int]:
    return {name: int(number) for name, number in re.findall(r"WH_CALL_([A-Z]+) = (\d+)", HEADER)}


@pytest.mark.spec("D1.1")
def test_every_import_has_attacks() -> None:
    for wasm in REAL:
        assert {name for _, name in wasm.imports} <= IMPORTS.keys() | METER
    assert {name.decode() for name in imports._TABLE} == IMPORTS.keys() | METER
    declared = set(re.findall(r"^WH_IMPORT\((\w+)\)", HEADER, re.MULTILINE))
    assert declared == IMPORTS.keys()
    for name, parameters in IMPORTS.items():
        assert len(parameters) == len(imports._TABLE[name.encode()][1])


@pytest.mark.spec("D1.1")
def test_every_export_has_attacks() -> None:
    for wasm in REAL:
        assert set(wasm.exports) == EXPORTS | {"meter"}


def test_every_kind_of_request_has_attacks() -> None:
    assert kinds().keys() == REQUESTS.keys()
    assert sorted(kinds().values()) == list(range(len(REQUESTS)))


# ---- numbers -------------------------------------------------------------------------------------------------------


def with_each_number(name: str) -> list[Script]:
    benign = IMPORTS[name]
    made = []
    for at in range(len(benign)):
        for number in WIDE:
            made.append(Script().do(name, *[*benign[:at], number, *benign[at + 1 :]]))
    # And all of them hostile.
    made += [Script().do(name, *[number] * len(benign)) for number in WIDE]
    return made


@pytest.mark.spec("D1.6", "D6.3")
@pytest.mark.parametrize("name", IMPORTS)
def test_every_number_as_every_argument(hostile_images: None, name: str) -> None:
    with hostile_session() as session:
        for script in with_each_number(name):
            told(session.run(script.frame().text))
        alive(session)


@pytest.mark.spec("D1.6", "D6.3")
@pytest.mark.parametrize("kind", [*REQUESTS, "other"])
def test_every_request_that_is_nearly_right(hostile_images: None, kind: str) -> None:
    number = kinds().get(kind, 99)
    with hostile_session() as session:
        for value in [*REQUESTS.get(kind, []), *NOT_MESSAGES]:
            for capacity in (4096, 0):
                told(session.run(request(Script(), number, value, capacity).frame().text))
            # The same again and again, then left alone.
            many = Script()
            for _ in range(3):
                request(many, number, value)
            told(session.run(many.waiting(0).text))
        alive(session)


# ---- places --------------------------------------------------------------------------------------------------------


def everywhere(name: str) -> list[Script]:
    return [Script().do(name, *IMPORTS[name]), Script().do(name, *[TOP] * 5), Script().do(name, *[0] * 5)]


LARGE = Script().put(HEAP, bytes(IN_CAP)).frame()


@pytest.mark.parametrize("name", IMPORTS)
@pytest.mark.parametrize("where", ["alloc", "free", "resume", "start and resume"])
def test_every_import_in_every_export(hostile_images: None, where: str, name: str) -> None:
    for attack in everywhere(name):
        with hostile_session() as session:
            if where in ("alloc", "free"):
                # What wh_alloc gives back is as well chosen by the attacker.
                inner = Script()
                inner._parts = [*attack._parts]
                inner.do("give", 2 * PAGE)
                before = Script().put(RESUME_PROGRAM, inner.program)
                before = before.do("alloc_gives", 0, 4) if where == "alloc" else before.do("free_mode", 4)
                told(session.run(before.frame().text))
                told(session.run(LARGE.text))
            else:
                inner = Script()
                inner._parts = [*attack._parts]
                outer = Script()
                if where != "resume":
                    outer._parts = [*attack._parts]
                told(session.run(outer.on_resume(inner.frame()).waiting(0).text))
            with HostileRuntime() as fresh:
                assert fresh.run(Script().frame(head={"v": 1, "t": "1"}).text).value == 1


@pytest.mark.spec("D1.3")
@pytest.mark.parametrize("name", [name for name in IMPORTS if name != "exit"])
def test_every_import_at_every_depth_of_the_stack(hostile_images: None, name: str) -> None:
    inner = Script().do(name, *IMPORTS[name]).do("forget").do("give", 0)
    with HostileRuntime(limits=Limits(script_ms=60_000, wall_ms=60_000)) as session:
        result = session.run(Script().on_resume(inner).do("recurse_calling").frame().text)
        assert result.stop is not None
        assert result.stop.limit == "stack"
        alive(session)


@pytest.mark.parametrize("name", IMPORTS)
def test_no_import_is_served_before_there_is_a_session(name: str) -> None:
    # A start function runs while the sandbox is made: it has no fuel, no session, and no output.
    numbers = " ".join(f"({'i64' if name == 'sleep' else 'i32'}.const {number})" for number in IMPORTS[name])
    call = f"(call ${name} {numbers})"
    if name in ("clock", "sleep", "call"):
        call = f"(drop {call})"
    for body in (call, f"(loop $again {call} (br $again))", "(loop $again (br $again))", "(unreachable)"):
        image = image_of(module(more=f"(func $first {body}) (start $first)"))
        with pytest.raises(EngineError, match="cannot start a sandbox"):
            Probe(image)


@pytest.mark.parametrize("name", IMPORTS)
def test_every_import_after_the_guest_was_asked_to_stop(hostile_images: None, name: str) -> None:
    script = Script().do("wait_for_stop")
    for attack in everywhere(name)[:2]:
        script._parts += attack._parts
    with hostile_session() as session:
        result = told(session.run(script.failed().text))
        assert not result.ok
        alive(session)


# ---- time and memory -----------------------------------------------------------------------------------------------


@pytest.mark.spec("C4.2", "D6.1")
@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", ["random", "write"])
def test_one_call_with_a_huge_length_is_no_way_around_the_clock(name: str) -> None:
    # Half a gigabyte of random numbers takes seconds, in which the guest uses no fuel.
    probe = Probe(memory_bytes=600 << 20)
    pages = 8_000
    probe.begin(script_ms=1)
    pieces = 0

    class Slow:
        def write(self, stream: int, data: bytes) -> None:
            nonlocal pieces
            pieces += 1
            threading.Event().wait(0.001)

    if name == "write":
        probe.instance.output = Slow()
    script = Script().do("grow", pages)
    script = script.do("random", 0, pages * PAGE) if name == "random" else script.do("write", 1, 0, pages * PAGE)
    with pytest.raises(Broken) as caught:
        probe.start(script.frame())
    assert (caught.value.limit, probe.instance.layer) == ("script", "hard")
    assert (probe.source.drawn if name == "random" else pieces) < pages
    probe.close()


def peak() -> int:
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) << 10


@pytest.mark.spec("C7.4", "D1.2")
@pytest.mark.skipif(not os.access("/proc/self/clear_refs", os.W_OK), reason="no way to reset the peak of the memory")
def test_a_frame_that_is_all_of_a_huge_memory_is_not_copied(hostile_images: None) -> None:
    pages = 3_000
    whole = (0, pages * PAGE)
    with HostileRuntime(limits=Limits(memory_bytes=256 << 20, value_bytes=1 << 20)) as session:
        assert session.run(Script().do("grow", pages).frame().text).ok
        Path("/proc/self/clear_refs").write_text("5")
        before = peak()
        for script in (
            Script().do("grow", pages).frame(span=whole),
            Script().do("grow", pages).spans(HEAP, [whole]).frame(attachments=(1, HEAP)),
            Script().do("grow", pages).spans(HEAP, [whole]).frame(span=whole, attachments=(1, HEAP)),
        ):
            result = session.run(script.text)
            assert result.error_type == "GuestCrash"
            assert "larger than the limit on values" in str(result.error)
        assert peak() - before < 32 << 20
        alive(session)


def held() -> tuple[int, int, int, int]:
    """Instances, threads, descriptors and mappings of this process."""
    gc.collect()
    instances = sum(isinstance(each, Instance) for each in gc.get_objects())
    return (
        instances,
        threading.active_count(),
        len(os.listdir("/proc/self/fd")),
        len(Path("/proc/self/maps").read_text().splitlines()),
    )


@pytest.mark.spec("D6.3")
@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="needs /proc")
def test_hostile_ends_leave_nothing_behind(hostile_images: None) -> None:
    ends = [
        Script().do("trap"),
        Script().do("exit", 1),
        Script().do("write", 1, TOP, TOP),
        Script().do("give", TOP),
        Script().frame(span=(0, TOP)),
        Script().frame(head=b"[[[["),
        Script().do("recurse"),
        request(request(Script(), 1, [1, "slow", [], {}]), 1, [2, "never", [], {}]).do("trap"),
        request(Script(), 0, ["large", [100_000], {}], 8).do("trap"),
        request(Script(), 1, [1, "slow", [], {}]).frame(span=(MEMORY, 8)),
        request(Script(), 1, [1, "never", [], {}]).waiting(None, 1),
    ]

    def once() -> None:
        with hostile_session() as session:
            for script in ends:
                told(session.run(script.text, limits=Limits(script_ms=40, wall_ms=60, memory_bytes=4 << 20)))

    for _ in range(3):
        once()
    before = held()
    for _ in range(10):
        once()
    after = held()
    assert after[0] <= before[0], "descriptors"  # of what earlier tests left, some may be closed by now
    # Threads that serve calls, and mappings of the allocator, come and go.
    assert all(now <= then + 3 for now, then in zip(after[1:3], before[1:3], strict=True)), (before, after)
    assert after[3] <= before[3] + 20, (before, after)


# ---- orders --------------------------------------------------------------------------------------------------------

small = st.sampled_from([0, 1, 2, -1, 7, 1 << 31, 1 << 70])
values = st.recursive(
    st.none() | st.booleans() | small | st.text(max_size=5) | st.sampled_from([1.5, "echo", {"$wasmhost": "int"}]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["value", "v", "$wasmhost"]), inner),
    max_leaves=6,
)
names = st.sampled_from(["echo", "slow", "large", "never", "t", "nobody"])
well_formed = st.one_of(
    st.tuples(st.just(0), st.tuples(names, st.lists(values, max_size=2), st.just({}))),
    st.tuples(st.just(1), st.tuples(small, names, st.lists(values, max_size=2), st.just({}))),
    st.tuples(st.just(2), st.tuples(small)),
    st.tuples(st.just(3), st.tuples(st.just("register"), st.just({"name": "t", "description": "", "schema": {}}))),
    st.tuples(st.just(3), st.tuples(st.just("unregister"), names)),
    st.tuples(st.just(4), st.tuples(small, st.booleans(), values)),
    st.tuples(st.just(5), st.lists(names, max_size=3)),
    st.tuples(st.integers(-1, 7), st.lists(values, max_size=4)),
)
steps = st.one_of(
    st.tuples(st.just("request"), well_formed, st.sampled_from([4096, 0, 3])),
    st.tuples(st.just("take"), st.sampled_from([0, 1, 2, 4096]), st.just(0)),
    st.tuples(st.sampled_from(list(IMPORTS)), st.lists(st.sampled_from(WIDE), min_size=5, max_size=5), st.just(0)),
    st.tuples(st.just("stop word"), st.sampled_from([0, 1, TOP]), st.just(0)),
    st.tuples(st.just("unflushed"), st.sampled_from([0, 1, 512, TOP]), st.just(0)),
)
endings = st.sampled_from(["done", "failed", "waiting", "waiting for calls", "trap", "nowhere", "spin"])


def played(sequence: list[Any], ending: str) -> Script:
    script = Script()
    for what, one, two in sequence:
        if what == "request":
            request(script, one[0], one[1], two)
        elif what == "take":
            script.do("take", HEAP, one if isinstance(one, int) else 0)
        elif what == "stop word":
            script.do("store", STOP_WORD, one)
        elif what == "unflushed":
            script.do("store", OUT_LEN[0], one).put(OUT_BUF[0], b"x")
        else:
            script.do(what, *one)
    return {
        "done": lambda: script.frame(head={"v": 1, "t": "1"}),
        "failed": lambda: script.failed(),
        "waiting": lambda: script.waiting(1_000_000, 0),
        "waiting for calls": lambda: script.waiting(None, 1),
        "trap": lambda: script.do("trap"),
        "nowhere": lambda: script.do("give", MEMORY),
        "spin": lambda: script.do("spin"),
    }[ending]()


@pytest.mark.spec("D1.6", "D6.3", "C4.4")
@settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    cells=st.lists(
        st.tuples(st.lists(steps, max_size=4), endings, st.lists(steps, max_size=3), endings), min_size=1, max_size=3
    )
)
def test_no_order_of_calls_harms_the_host(hostile_images: None, cells: list[Any]) -> None:
    limits = Limits(script_ms=15, wall_ms=30, memory_bytes=4 << 20, calls=20)
    with hostile_session(limits) as session:
        for first, ending, then, at_last in cells:
            script = Script()
            script.put(RESUME_PROGRAM, played(then, at_last).program[: PAGE - 3 * 1024])
            script._parts += played(first, ending)._parts
            told(session.run(script.text), "PermissionError", "LookupError")
        alive(session)


# ---- from the side of the host -------------------------------------------------------------------------------------


def calling(kind: int, value: Any) -> Script:
    return request(Script(), kind, value).do("write", 1, HEAP, 300).frame(head={"v": 1, "t": "1"})


def test_a_capability_that_runs_a_hostile_guest_in_the_same_thread(hostile_images: None) -> None:
    ends: dict[str, Script] = {
        "trap": Script().do("trap"),
        "exit": Script().do("exit", 1),
        "bounds": Script().do("write", 1, TOP, 1),
        "take": Script().do("take", HEAP, 8),
        "spin": Script().do("spin"),
        "well": Script().frame(),
    }
    seen = []

    @capability(inline=True)
    def nested(which: str) -> str:
        with HostileRuntime(limits=Limits(script_ms=20)) as inner:
            result = told(inner.run(ends[which].text))
            seen.append(which)
            return str(result.error_type)

    with HostileRuntime(capabilities=[nested], policy="allow") as session:
        for which in ends:
            assert told(session.run(calling(0, ["nested", [which], {}]).text)).ok
        # Each in turn, in one cell.
        script = Script()
        for which in ends:
            request(script, 0, ["nested", [which], {}])
        assert told(session.run(script.frame().text)).ok
        alive(session)
    assert seen == [*ends, *ends]


@pytest.mark.parametrize("what", ["run", "reset", "close", "snapshot", "fork", "describe"])
def test_a_capability_that_turns_to_its_own_session(hostile_images: None, what: str) -> None:
    held: list[Session] = []
    seen: list[str] = []
    ways: dict[str, Callable[[Session], Any]] = {
        "run": lambda session: session.run(Script().frame().text),
        "reset": lambda session: session.reset_blocking(),
        "close": lambda session: session.close(),
        "snapshot": lambda session: session.snapshot(),
        "fork": lambda session: session.fork(),
        "describe": lambda session: session.describe(),
    }

    @capability(inline=True)
    def own() -> str:
        try:
            ways[what](held[0])
        except Exception as error:
            seen.append(type(error).__name__)
            raise
        seen.append("done")
        return "done"

    with HostileRuntime(capabilities=[own], policy="allow") as session:
        held.append(session)
        result = told(session.run(calling(0, ["own", [], {}]).text), "CancelledError", "SessionClosed")
        assert len(seen) == 1
        if what != "close":
            assert result.ok
            alive(session)


def test_a_listener_that_raises_ends_the_cell_and_not_the_session(hostile: HostileRuntime, driver: Driver) -> None:
    class Mine(Exception):
        pass

    def listener(name: str, data: bytes | str) -> None:
        raise Mine

    script = Script().do("write", 1, HEAD, 4).do("write", 1, HEAD, 4).do("wait_for_stop").failed()
    with pytest.raises(Mine):
        driver.run(hostile, script.text, on_output=listener)
    alive(hostile)


# ---- exports that are something else -------------------------------------------------------------------------------


@pytest.mark.spec("D1.1", "D1.2")
@pytest.mark.parametrize(
    ("more", "exports"),
    [
        ("(global $m i32 (i32.const 0))", {'(export "memory" (memory 0))': '(export "memory" (global $m))'}),
        ("(table $t 1 funcref)", {'(export "memory" (memory 0))': '(export "memory" (table $t))'}),
        ("(memory $other 1)", {'(export "memory" (memory 0))': '(export "memory" (memory $other))'}),
        ("(global $f f64 (f64.const 0))", {'"__stack_pointer" (global 0)': '"__stack_pointer" (global $f)'}),
        ("(table $t 1 funcref)", {'"__stack_pointer" (global 0)': '"__stack_pointer" (table $t)'}),
    ],
    ids=["memory is a global", "memory is a table", "another memory", "stack is a float", "stack is a table"],
)
def test_exports_of_another_kind(more: str, exports: dict[str, str]) -> None:
    wat = module(more=more)
    for right, wrong in exports.items():
        assert right in wat
        wat = wat.replace(right, wrong)
    try:
        probe = Probe(image_of(wat))
    except EngineError:
        return
    # A second memory, in which nothing of what the guest says lies. The stack pointer is not looked at.
    try:
        probe.start(Script().frame())
    except Broken as broken:
        text = broken.text
    else:
        text = "none"
    probe.close()
    assert ("broke the protocol" in text) == ("$other" in more), text


@pytest.mark.spec("D1.2")
@pytest.mark.parametrize("memory", ["4 4", "4 65536", "4 5 shared"])
def test_memories_of_other_types(memory: str) -> None:
    wat = module().replace("(memory 4)", f"(memory {memory})")
    try:
        probe = Probe(image_of(wat), memory_bytes=1 << 20)
    except EngineError:
        return
    script = Script().do("grow", 1).do("grow", 60_000).do("write", 1, MEMORY + PAGE, 1)
    with pytest.raises(Broken, match="outside the memory"):
        probe.start(script.frame())
    assert probe.instance.memory_bytes <= 1 << 20
    probe.close()


# ---- frames that come back from each export ------------------------------------------------------------------------

words = st.one_of(
    st.sampled_from([0, 1, 2, 3, 7, 24, HEAD, FRAME, MEMORY - 24, MEMORY - 1, MEMORY, TOP, 1 << 31]),
    st.integers(0, TOP),
)


@pytest.mark.spec("D1.6", "D6.3")
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(start=st.tuples(*[words] * 6), resume=st.tuples(*[words] * 6), at=words, then=words)
def test_any_frame_from_start_and_from_resume(
    hostile_images: None, start: tuple[int, ...], resume: tuple[int, ...], at: int, then: int
) -> None:
    with HostileRuntime(limits=Limits(script_ms=15, wall_ms=30)) as session:
        told(session.run(Script().put(FRAME, struct.pack("<6I", *start)).do("give", at).text))
        told(session.run(Script().put(FRAME, struct.pack("<6I", *start)).do("give", FRAME).text))
        inner = Script().put(FRAME, struct.pack("<6I", *resume)).do("give", then if then % 2 else FRAME)
        told(session.run(Script().on_resume(inner).waiting(0).text))
        alive(session)
