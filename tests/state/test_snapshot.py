"""Snapshots: a session as bytes, and back."""

import base64
import hashlib
import json
import subprocess
import sys
import zlib
from typing import Any

import pytest

from tests.support.child import ROOT, environment
from tests.support.drivers import Driver
from tests.support.guests import GUESTS, Guest
from wasmhost import Capability, Isolation, JavaScriptRuntime, Limits, PythonRuntime, SnapshotError, TypeScriptRuntime
from wasmhost.errors import SessionBusy, SessionClosed
from wasmhost.session.session import Session
from wasmhost.state.snapshot import FORMAT, MAGIC, read, write

KEY = b"0123456789abcdef0123456789abcdef"


def filled(guest: Guest, **options: Any) -> Session:
    session = guest.runtime(**options)
    result = session.run(
        guest.pick(
            python="import collections\nclass P:\n    def __init__(self, n): self.n = n\n"
            "p = P(5)\nd = collections.OrderedDict(a=[1, 2, {3}])\ndef f(x): return x + p.n\nlog = []",
            javascript="class P { #n; constructor(n) { this.#n = n } get n() { return this.#n } }"
            "const p = new P(5); let d = new Map([['a', [1, 2, new Set([3])]]]); const f = x => x + p.n; let log = []",
        )
    )
    assert result.ok, result.error
    return session


USE = {
    "python": "log.append(len(log))\n[f(40), list(d.items()), log]",
    "javascript": "log.push(log.length); [f(40), [...d], log]",
}


@pytest.mark.spec("D4.1")
def test_variables_functions_and_classes_come_back(guest: Guest, driver: Driver) -> None:
    with filled(guest) as session:
        data = session.snapshot()
        expected = driver.value(session, USE[guest.name])
        assert expected[0] == 45
        for _ in range(2):
            with guest.runtime.restore(data) as other:
                assert driver.value(other, USE[guest.name]) == expected
                assert driver.value(other, USE[guest.name])[2] == [0, 1]
        assert driver.value(session, USE[guest.name])[2] == [0, 1]


def test_typescript_sessions_too() -> None:
    with TypeScriptRuntime() as session:
        session.run("enum E { A = 7 } ; let n: number = 1")
        data = session.snapshot()
    with TypeScriptRuntime.restore(data) as other:
        assert other.run("n as number + E.A").value == 8
    with pytest.raises(SnapshotError, match="'typescript', and this is one of javascript"):
        JavaScriptRuntime.restore(data)


def test_a_session_that_has_run_nothing(guest: Guest) -> None:
    with guest.runtime() as session:
        data = session.snapshot()
    with guest.runtime.restore(data) as other:
        assert other.run("1 + 1").value == 2


@pytest.mark.spec("D4.1", "D4.4")
def test_in_another_process(guest: Guest) -> None:
    with filled(guest) as session:
        data = session.snapshot(key=KEY)
        expected = session.run(USE[guest.name]).value
    program = (
        "import sys, json, base64\nfrom wasmhost import *\n"
        f"r = {guest.runtime.__name__}.restore(base64.b64decode(sys.stdin.read()), key={KEY!r})\n"
        f"print(r.run({USE[guest.name]!r}).to_json())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=base64.b64encode(data).decode(),
        capture_output=True,
        text=True,
        timeout=60,
        env=environment(),
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    got = json.loads(done.stdout)
    assert got["ok"]
    assert got["value"][0] == expected[0] == 45
    # Of a Python with other hash seeds and another layout of its memory.
    assert got["value"][2] == [0]


@pytest.mark.spec("D4.1")
def test_registered_tools_come_back_with_their_handlers(guest: Guest) -> None:
    code = guest.pick(
        python="base = 10\nregisterTool('add', 'Adds.', {'type': 'object', 'properties': {'n': {'type': 'integer'}}}, "
        "lambda i: i['n'] + base)",
        javascript="const base = 10; registerTool('add', 'Adds.', "
        "{ type: 'object', properties: { n: { type: 'integer' } } }, i => i.n + base)",
    )
    with guest.runtime(policy="allow") as session:
        assert session.run(code).ok
        data = session.snapshot()
    with guest.runtime.restore(data, policy="allow") as other:
        assert [tool["name"] for tool in other.registered_tools] == ["add"]
        assert other.call_tool_blocking("add", {"n": 5}).value == 15


@pytest.mark.spec("D4.6")
def test_capabilities_are_those_of_the_host_that_restores(guest: Guest) -> None:
    def old() -> str:
        return "old"

    def new() -> str:
        return "new"

    await_ = guest.pick(python="", javascript="await ")
    with guest.runtime(capabilities=[old], policy="allow") as session:
        assert session.run(f"{await_}tools.old()").value == "old"
        data = session.snapshot()
    with guest.runtime.restore(data, capabilities=[new], policy="allow") as other:
        assert other.run(f"{await_}tools.new()").value == "new"
        refused = other.run(f"{await_}tools.old()")
        assert not refused.ok
        assert "old" in (refused.error or "")
    with guest.runtime.restore(data) as bare:
        refused = bare.run(f"{await_}tools.old()")
        assert not refused.ok
        assert not refused.calls
    with guest.runtime.restore(data, capabilities=[old]) as asked:  # the default policy asks, and nobody is there
        assert "denied" in (asked.run(f"{await_}tools.old()").error or "")


@pytest.mark.spec("D4.6")
def test_limits_are_those_of_the_host_that_restores(guest: Guest) -> None:
    grow = guest.pick(python="x = bytearray(60_000_000)", javascript="let x = new Uint8Array(60_000_000)")
    with guest.runtime() as session:
        assert session.run(grow).ok
        data = session.snapshot()
        small = session._image.memory_bytes + (10 << 20)
    with pytest.raises(SnapshotError, match=r"this host allows \d+: a larger Limits\(memory_bytes"):
        guest.runtime.restore(data, limits=Limits(memory_bytes=small))
    with guest.runtime.restore(data, limits=Limits(script_ms=50)) as other:
        assert other.run(guest.pick(python="len(x)", javascript="x.length")).value == 60_000_000
        stopped = other.run(guest.spin)
        assert stopped.stop is not None
        assert stopped.stop.limit == "script"


@pytest.mark.spec("D4.7")
def test_random_numbers_are_new_unless_told_otherwise(guest: Guest) -> None:
    draw = guest.pick(
        python="import random, os, uuid\n[random.random(), uuid.uuid4().hex, os.urandom(4).hex()]",
        javascript="[Math.random(), Math.random()]",
    )
    with guest.runtime() as session:
        session.run(draw)
        data = session.snapshot()
    drawn = []
    for _ in range(3):
        with guest.runtime.restore(data) as other:
            drawn.append(other.run(draw).value)
    assert len({str(one) for one in drawn}) == 3
    same = []
    for _ in range(2):
        with guest.runtime.restore(data, reseed=False) as other:
            same.append(other.run(draw).value[0])
    assert same[0] == same[1]


@pytest.mark.spec("D4.7")
def test_a_seed_of_the_users_own_stays_in_force() -> None:
    with PythonRuntime() as session:
        session.run("import random\nrandom.seed(7)\nfirst = random.random()")
        data = session.snapshot()
        expected = session.run("random.random()").value
    with PythonRuntime.restore(data) as other:
        assert other.run("random.random()").value == expected


@pytest.mark.spec("D4.7")
def test_the_clock_of_the_session_goes_on(guest: Guest) -> None:
    now = guest.pick(python="import time\ntime.monotonic()", javascript="performance.now()")
    with guest.runtime() as session:
        session.run(now)
        session.run(guest.pick(python="time.sleep(0.05)", javascript="await new Promise(r => setTimeout(r, 50))"))
        before = session.run(now).value
        data = session.snapshot()
    with guest.runtime.restore(data) as other:
        after = other.run(now).value
    assert before <= after
    # The time in which nobody ran it does not count.
    assert after - before < guest.pick(python=5, javascript=5000)


@pytest.mark.spec("D6.1")
def test_a_restored_session_goes_back_to_what_it_was_restored_with(guest: Guest) -> None:
    with filled(guest) as session:
        data = session.snapshot()
    with guest.runtime.restore(data, limits=Limits(script_ms=50)) as other:
        for expected in ([0], [0, 1]):
            assert other.run(guest.spin_that_cannot_be_asked).state == "restored"
            assert other.run(USE[guest.name]).value[2] == expected


@pytest.mark.spec("D4.5")
def test_a_signature_is_asked_for_and_checked(guest: Guest) -> None:
    with guest.runtime() as session:
        session.run("1")
        plain, signed = session.snapshot(), session.snapshot(key=KEY)
        with pytest.raises(ValueError, match="16 or more"):
            session.snapshot(key=b"short")
    with pytest.raises(SnapshotError, match="not signed"):
        guest.runtime.restore(plain, key=KEY)
    with pytest.raises(SnapshotError, match="another key"):
        guest.runtime.restore(signed, key=KEY[::-1])
    guest.runtime.restore(signed, key=KEY).close()
    guest.runtime.restore(signed).close()


@pytest.mark.spec("D4.5")
def test_without_a_signature_every_exclusive_class_counts_as_used(guest: Guest) -> None:
    def browse() -> str:
        return "page"

    def mail() -> str:
        return "sent"

    tools = [Capability.of(browse, isolation="web"), Capability.of(mail, isolation="connector")]
    options: dict[str, Any] = {
        "capabilities": tools,
        "policy": "allow",
        "isolation": Isolation(exclusive=[("web", "connector")]),
    }
    await_ = guest.pick(python="", javascript="await ")
    with guest.runtime(**options) as session:
        session.run("1")
        clean = session.snapshot(key=KEY)
        assert session.run(f"{await_}tools.browse()").ok
        used = session.snapshot(key=KEY)
    with guest.runtime.restore(clean, key=KEY, **options) as other:
        assert other.run(f"{await_}tools.mail()").ok
    with guest.runtime.restore(used, key=KEY, **options) as other:
        assert other.run(f"{await_}tools.browse()").ok
        assert "exclude each other" in (other.run(f"{await_}tools.mail()").error or "")
    with guest.runtime.restore(clean, **options) as other:
        for tool in ("browse", "mail"):
            assert "not signed" in (other.run(f"{await_}tools.{tool}()").error or "")
        other.new_boundary()
        assert other.run(f"{await_}tools.mail()").ok


# ---- what is refused -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=list(GUESTS))
def small(request: pytest.FixtureRequest) -> tuple[Guest, bytes]:
    guest = GUESTS[request.param]
    with guest.runtime() as session:
        session.run("a = 1")
        return guest, session.snapshot(key=KEY)


@pytest.mark.spec("D4.4")
def test_each_changed_byte_is_noticed(small: tuple[Guest, bytes]) -> None:
    guest, data = small
    for at in range(len(data)):
        broken = bytearray(data)
        broken[at] ^= 1 << (at % 8)
        with pytest.raises(SnapshotError):
            guest.runtime.restore(bytes(broken), key=KEY)
        # Without a key everything but the signature itself is still under the SHA-256.
        if not 56 <= at < 88:
            with pytest.raises(SnapshotError):
                guest.runtime.restore(bytes(broken))


@pytest.mark.spec("D4.4")
@pytest.mark.parametrize("data", [b"", b"x", MAGIC, MAGIC + bytes(200), b"PK\x03\x04" + bytes(200)])
def test_what_is_no_snapshot_is_refused(data: bytes) -> None:
    with pytest.raises(SnapshotError):
        JavaScriptRuntime.restore(data)


@pytest.mark.spec("D4.4")
def test_cut_and_prolonged_ones_are_refused(small: tuple[Guest, bytes]) -> None:
    guest, data = small
    for broken in (data[:-1], data[: len(data) // 2], data + b"x"):
        with pytest.raises(SnapshotError):
            guest.runtime.restore(broken)
    with pytest.raises(TypeError, match="bytes, not str"):
        guest.runtime.restore("text")  # type: ignore[arg-type]


def resealed(data: bytes, body: bytes | None = None, size: int | None = None, version: int = FORMAT) -> bytes:
    """With another content and a SHA-256 that fits: what an attacker without the key can make."""
    start = bytearray(data[:24])
    start[8:12] = version.to_bytes(4, "little")
    if body is None:
        body = data[88:]
    if size is not None:
        start[16:24] = size.to_bytes(8, "little")
    return bytes(start) + hashlib.sha256(bytes(start) + body).digest() + bytes(32) + body


@pytest.mark.spec("D4.4")
@pytest.mark.spec("S16")
def test_forged_headers(small: tuple[Guest, bytes]) -> None:
    guest, data = small
    with pytest.raises(SnapshotError, match="format 9"):
        guest.runtime.restore(resealed(data, version=9))
    for size in (0, 1, 1 << 20, 1 << 40, (1 << 64) - 1):
        with pytest.raises(SnapshotError):
            guest.runtime.restore(resealed(data, size=size))
    # A bomb: 200 MB of zeros in some hundred KB, while the header says that it is small.
    bomb = zlib.compress(bytes(200_000_000))
    with pytest.raises(SnapshotError):
        guest.runtime.restore(resealed(data, bomb, 1000))


def changes() -> list[Any]:
    big = 1 << 70
    return [
        pytest.param(change, id=change.__doc__)
        for change in (
            _change("no language", lambda s: s.pop("language")),
            _change("another language", lambda s: s.update(language="cobol")),
            _change("another image", lambda s: s.update(image="0" * 64)),
            _change("image of another type", lambda s: s.update(image=7)),
            _change("negative counter", lambda s: s.update(cells=-1)),
            _change("huge counter", lambda s: s.update(cells=big)),
            _change("counter that is a bool", lambda s: s.update(cells=True)),
            _change("huge clock", lambda s: s.update(clock=big)),
            _change("no pages", lambda s: s.update(pages=[])),
            _change("memory below the image", lambda s: s["pages"].update(memory=65536)),
            _change(
                "memory that is no number of wasm pages", lambda s: s["pages"].update(memory=s["pages"]["memory"] + 1)
            ),
            _change("memory beyond 4 GiB", lambda s: s["pages"].update(memory=1 << 40)),
            _change("table of one number", lambda s: s["pages"].update(table=[1])),
            _change("table of text", lambda s: s["pages"].update(table=["a", "b"])),
            _change("span before another", lambda s: s["pages"]["table"].reverse()),
            _change("negative span", lambda s: s["pages"].update(table=[-64, 1])),
            _change("span beyond the memory", lambda s: s["pages"].update(table=[1 << 40, 1])),
            _change("span just beyond the memory", lambda s: _one_span(s["pages"], s["pages"]["memory"] // 64)),
            _change(
                "span that ends beyond the memory", lambda s: _one_span(s["pages"], s["pages"]["memory"] // 64 - 1, 2)
            ),
            _change("span beyond all memories", lambda s: _one_span(s["pages"], 1 << 40)),
            _change("empty span", lambda s: s["pages"].update(table=[0, 0])),
            _change("more spans than data", lambda s: s["pages"].update(data=s["pages"]["data"][:-64])),
            _change("more data than spans", lambda s: s["pages"].update(data=s["pages"]["data"] + bytes(64))),
            _change("registered tools that are none", lambda s: s.update(registered="x")),
            _change("a cell that is none", lambda s: s.update(cell={})),
            _change("a cell of another type", lambda s: s.update(cell=5)),
            _change("a list instead of a session", lambda s: [s]),
        )
    ]


def _one_span(pages: dict[str, Any], first: int, count: int = 1) -> None:
    """A table of one span, with as many bytes as it has."""
    pages.update(table=[first, count], data=bytes(64 * count))


def _change(name: str, change: Any) -> Any:
    def changed(state: Any) -> Any:
        made = change(state)
        return made if name.startswith("a list") else state

    changed.__doc__ = name
    return changed


@pytest.mark.spec("D4.4")
@pytest.mark.parametrize("change", changes())
def test_forged_contents(small: tuple[Guest, bytes], change: Any) -> None:
    guest, data = small
    state, _ = read(data, 1 << 30, KEY)
    with pytest.raises(SnapshotError):
        guest.runtime.restore(write(change(state)))


@pytest.mark.spec("D4.4", "D1")
def test_a_forged_memory_gives_at_worst_a_broken_guest(small: tuple[Guest, bytes]) -> None:
    """Random bytes all over the heap, sealed as they should be."""
    guest, data = small
    state, _ = read(data, 1 << 30, KEY)
    original = state["pages"]["data"]
    outcomes = set()
    for round_ in range(12):
        noise = hashlib.shake_256(round_.to_bytes(4, "little")).digest(len(original))
        mask = [255, 127, 15, 1][round_ % 4]
        mixed = bytes(a ^ (b & mask) if b % (2 + round_) == 0 else a for a, b in zip(original, noise, strict=True))
        state["pages"]["data"] = mixed
        with guest.runtime.restore(write(state), limits=Limits(script_ms=300, wall_ms=3_000)) as other:
            outcomes.add(other.run("1 + 1").ok)
            outcomes.add(other.run("1 + 1").ok)
    with guest.runtime() as fine:
        assert fine.run("1 + 1").value == 2
    assert False in outcomes


# ---- when ----------------------------------------------------------------------------------------------------------


def test_while_code_runs_it_is_refused(guest: Guest) -> None:
    errors: list[Exception] = []

    def look() -> None:
        for attempt in (session.snapshot, session.fork):
            try:
                attempt()
            except SessionBusy as error:
                errors.append(error)

    with guest.runtime(capabilities=[Capability.of(look, inline=True)], policy="allow") as session:
        assert session.run(guest.pick(python="tools.look()", javascript="await tools.look()")).ok
        session.snapshot()
    assert len(errors) == 2
    assert "runs just now" in str(errors[0])


def test_a_closed_session_has_none(guest: Guest) -> None:
    session = guest.runtime()
    session.close()
    with pytest.raises(SessionClosed):
        session.snapshot()
    with pytest.raises(SessionClosed):
        session.fork()


@pytest.mark.parametrize("way", ["scan", "pagemap", "compare"])
def test_each_way_of_finding_what_was_written(guest: Guest, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from wasmhost.sandbox import pages

    if way == "compare":
        monkeypatch.setattr(pages, "fast_way", lambda: None)
    else:
        try:
            made = pages._Scan() if way == "scan" else pages._Pagemap()
        except OSError:
            pytest.skip("the kernel does not offer it")
        if not pages._works(made):
            pytest.skip("the kernel does not offer it")
        monkeypatch.setattr(pages, "fast_way", lambda: made)
    with filled(guest) as session:
        data = session.snapshot()
        expected = session.run(USE[guest.name]).value
    with guest.runtime.restore(data) as other:
        assert other.run(USE[guest.name]).value == expected
