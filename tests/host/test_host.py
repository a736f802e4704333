"""Many sessions by key: in memory while they are used, in a store else."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.support.child import ROOT, environment
from tests.support.guests import Guest
from wasmhost import (
    Allow,
    AlreadyResumed,
    ApprovalRequest,
    FileStore,
    Host,
    HostFull,
    Isolation,
    Limits,
    MemoryStore,
    PythonRuntime,
    SessionClosed,
    SnapshotError,
    SqliteStore,
    Store,
    StoreError,
    Suspend,
    capability,
)
from wasmhost.host import entry_name

KEY = bytes(range(32))
Opened = Callable[[], Store]


@pytest.fixture(params=["files", "sqlite"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Opened:
    """Opens the same store again and again."""
    if request.param == "files":
        return lambda: FileStore(tmp_path / "store")
    return lambda: SqliteStore(tmp_path / "store.db")


@pytest.fixture
def host() -> Iterator[Host]:
    with Host() as made:
        yield made


def assign(guest: Guest, value: int) -> str:
    return guest.assign("x", str(value))


# ---- keys and boundaries -------------------------------------------------------------------------------------------


@pytest.mark.spec("B1.1")
def test_the_script_time_of_a_host(host: Host) -> None:
    session = host.session()
    assert session.run("1").ok
    assert host.limits.script_ms == 30_000
    with Host(limits=Limits(memory_bytes=100 << 20)) as other:
        assert (other.limits.script_ms, other.limits.memory_bytes) == (30_000, 100 << 20)
    with Host(limits=Limits(script_ms=50)) as other:
        stop = other.session().run("while True: pass").stop
        assert stop is not None
        assert stop.limit == "script"


@pytest.mark.spec("B3.1")
def test_sessions_are_kept_by_key(host: Host, guest: Guest) -> None:
    for number, key in enumerate(["main", "agent-1", "agent-2"]):
        host.session(key, language=guest.name).run(assign(guest, number))
    assert [host.session(key, language=guest.name).run("x").value for key in ("agent-2", "main", "agent-1")] == [
        2,
        0,
        1,
    ]
    assert host.session(language=guest.name) is host.session("main", language=guest.name)


@pytest.mark.spec("B3.2")
def test_the_same_boundary_reuses_the_guest_and_another_starts_fresh(host: Host, guest: Guest) -> None:
    first = host.session("main", boundary="talk 1", language=guest.name)
    first.run(assign(guest, 5))
    assert host.session("main", boundary="talk 1", language=guest.name) is first
    second = host.session("main", boundary="talk 2", language=guest.name)
    assert not second.run("x").ok
    assert first.closed
    with pytest.raises(SessionClosed, match="was released; ask the host for it"):
        first.run("1")
    # The old one is gone, not set aside.
    assert not host.session("main", boundary="talk 1", language=guest.name).run("x").ok


@pytest.mark.spec("B3.2")
def test_another_boundary_ends_a_cell_that_runs(host: Host, guest: Guest) -> None:
    first = host.session("main", boundary="1", language=guest.name)
    first.run("1")
    results: list[Any] = []
    began = threading.Event()
    thread = threading.Thread(
        target=lambda: results.append(
            first.run(
                guest.out("here") + "\n" + guest.spin, on_output=lambda *_: began.set(), limits=Limits(script_ms=9_000)
            )
        )
    )
    thread.start()
    assert began.wait(30)
    second = host.session("main", boundary="2", language=guest.name)
    thread.join(30)
    assert results[0].stop.limit == "closed"
    assert second.run("1 + 1").value == 2


def test_languages_of_one_key_are_sessions_of_their_own(host: Host) -> None:
    host.session("main").run("x = 1")
    host.session("main", language="javascript").run("let x = 2")
    host.session("main", language="typescript").run("const x: number = 3")
    assert [host.session(language=name).run("x").value for name in ("python", "javascript", "typescript")] == [1, 2, 3]


def test_modes(host: Host, guest: Guest) -> None:
    host.session(language=guest.name).run(assign(guest, 1))
    assert host.session(language=guest.name, mode="resume").run("x").value == 1
    assert not host.session(language=guest.name, mode="fresh").run("x").ok
    with pytest.raises(ValueError, match="mode is resume or fresh, not 'fork'"):
        host.session(mode="fork")  # type: ignore[arg-type]


@pytest.mark.spec("B4.2")
def test_a_fork_gets_a_key_of_its_own(host: Host, guest: Guest) -> None:
    parent = host.session("main", language=guest.name)
    parent.run(assign(guest, 1))
    branch = parent.fork("agent")
    branch.run(guest.pick(python="x = 2", javascript="x = 2"))
    assert (parent.run("x").value, host.session("agent", language=guest.name).run("x").value) == (1, 2)
    branch._evict()
    assert host.load("agent", language=guest.name).run("x").value == 2
    with pytest.raises(ValueError, match="a fork needs a key of its own"):
        parent.fork("main")


@pytest.mark.parametrize("key", ["", "../../etc/passwd", "a\0b", "\ud800", "x" * 1000, "🙂", "; DROP TABLE sessions"])
def test_any_text_is_a_key(opened: Opened, key: str) -> None:
    with Host(opened()) as host:
        host.session(key).run("x = 5")
    with Host(opened()) as host:
        assert host.load(key).run("x").value == 5
        assert [info.key for info in host.sessions()] == [key]


def test_what_is_no_key(host: Host) -> None:
    for wrong in ("x" * 1001, 5, None):
        with pytest.raises(ValueError, match="key is a text of at most 1000 characters"):
            host.session(wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="boundary is a text"):
        host.session(boundary="x" * 1001)
    with pytest.raises(ValueError, match="language is one of python, javascript, typescript, not 'ruby'"):
        host.session(language="ruby")
    with pytest.raises(LookupError, match="there is no session of python with the key 'nobody'"):
        host.load("nobody")


# ---- the store -----------------------------------------------------------------------------------------------------


@pytest.mark.spec("B3.3", "D5.3")
def test_the_state_after_each_cell_is_in_the_store(opened: Opened, guest: Guest) -> None:
    with Host(opened()) as host:
        session = host.session(boundary="talk", language=guest.name)
        for number in range(3):
            session.run(assign(guest, number) if number == 0 else f"x = {number}")
    with Host(opened()) as host:
        assert host.session(boundary="talk", language=guest.name).run("x").value == 2
        assert host.load(language=guest.name).boundary == "talk"
    with Host(opened()) as host:
        assert not host.session(boundary="another", language=guest.name).run("x").ok


@pytest.mark.spec("B3.3")
def test_an_unused_session_leaves_the_memory_and_comes_back(host: Host, guest: Guest) -> None:
    session = host.session(language=guest.name)
    session.run(assign(guest, 7))
    before = session.memory_bytes
    assert before > 1 << 20
    assert host.memory_bytes == before
    assert host.evict_idle(0) == 1
    assert (session.state, session.live, host.memory_bytes) == ("stored", False, 0)
    assert session.run("x").value == 7
    assert session.state == "idle"


@pytest.mark.spec("B3.3")
def test_the_host_evicts_by_itself(guest: Guest) -> None:
    with Host(idle_seconds=0.05) as host:
        session = host.session(language=guest.name)
        session.run(assign(guest, 7))
        for _ in range(1000):
            if not session.live:
                break
            threading.Event().wait(0.01)
        assert session.state == "stored"
        assert session.run("x").value == 7


def test_a_session_in_use_is_not_evicted(guest: Guest) -> None:
    async def scenario() -> None:
        inside = anyio.Event()
        go_on = anyio.Event()

        async def wait() -> int:
            inside.set()
            await go_on.wait()
            return 5

        with Host(capabilities=[wait], policy="allow") as host:
            session = host.session(language=guest.name)
            async with anyio.create_task_group() as group:
                results: list[Any] = []

                async def run() -> None:
                    results.append(await session.execute("await wait()"))

                group.start_soon(run)
                await inside.wait()
                assert session.state == "running"
                assert session.idle_seconds == 0
                assert host.evict_idle(0) == 0
                go_on.set()
            assert results[0].value == 5
            assert host.evict_idle(0) == 1

    anyio.run(scenario)


@pytest.mark.spec("B3.4")
def test_there_is_a_ceiling(guest: Guest) -> None:
    with Host(max_sessions=2) as host:
        sessions = [host.session(f"k{number}", language=guest.name) for number in range(4)]
        for number, session in enumerate(sessions):
            session.run(assign(guest, number))
        assert [session.live for session in sessions] == [False, False, True, True]
        assert [session.run("x").value for session in sessions] == [0, 1, 2, 3]
        with sessions[0]._use(), sessions[1]._use(), pytest.raises(HostFull, match="2 sessions are in use at once"):
            sessions[2].run("x")
        assert sessions[2].run("x").value == 2


@pytest.mark.spec("B3.4")
def test_memory_is_counted_and_bounded(guest: Guest) -> None:
    with Host(max_memory_bytes=1) as host:
        one, two = (host.session(key, language=guest.name) for key in "ab")
        one.run(assign(guest, 1))
        two.run(assign(guest, 2))
        assert [one.live, two.live] == [False, True]
        with two._use(), pytest.raises(HostFull, match="bytes of memory: wait for one, or raise max_memory_bytes"):
            one.run("x")
        assert one.run("x").value == 1


def test_what_there_is(opened: Opened) -> None:
    with Host(opened()) as host:
        host.session("a", boundary="1").run("x = 1")
        host.session("b", language="javascript").run("let x = 1")
        host.session("a").run("1")
        host.evict_idle(0)
        host.session("c")
        told = {(info.key, info.language, info.boundary, info.state) for info in host.sessions()}
        assert told == {("a", "python", "", "stored"), ("b", "javascript", "", "stored"), ("c", "python", "", "stored")}
        assert host.delete("a") is True
        assert host.delete("a") is False
    with Host(opened()) as host:
        assert [info.key for info in host.sessions()] == ["b"]


def test_a_snapshot_from_elsewhere(opened: Opened) -> None:
    with PythonRuntime() as session:
        session.run("x = 5")
        data = session.snapshot()
    with Host(opened()) as host:
        host.session("main").run("x = 1")
        assert host.restore(data, boundary="b").run("x").value == 5
        with pytest.raises(SnapshotError):
            host.restore(data[:-1])
        assert host.session("main", boundary="b").run("x").value == 5
    with Host(opened()) as host:
        assert host.load().run("x").value == 5


def test_a_reset_is_stored(opened: Opened, guest: Guest) -> None:
    with Host(opened()) as host:
        session = host.session(language=guest.name)
        session.run(assign(guest, 1))
        session.reset_blocking()
    with Host(opened()) as host:
        assert not host.session(language=guest.name).run("x").ok


def test_closing_ends_cells_and_keeps_the_state_before(opened: Opened, guest: Guest) -> None:
    host = Host(opened())
    session = host.session(language=guest.name)
    session.run(assign(guest, 1))
    began = threading.Event()
    cell = f"x = 2\n{guest.out('here')}\n{guest.spin}"
    thread = threading.Thread(target=lambda: session.run(cell, on_output=lambda *_: began.set()))
    thread.start()
    assert began.wait(30)
    host.close()
    host.close()
    thread.join(30)
    with pytest.raises(SessionClosed, match="this host is closed"):
        session.run("1")
    with pytest.raises(SessionClosed, match="this host is closed"):
        host.session()
    with Host(opened()) as again:
        assert again.session(language=guest.name).run("x").value == 1


def test_the_latch_comes_back_with_a_signed_entry(opened: Opened) -> None:
    @capability(isolation="web", read_only=True)
    def web() -> str:
        return "web"

    @capability(isolation="connector", read_only=True)
    def connector() -> str:
        return "connector"

    options: dict[str, Any] = {
        "capabilities": [web, connector],
        "policy": "allow",
        "isolation": Isolation(exclusive=[("web", "connector")]),
    }
    for key, allowed in ((KEY, True), (None, False)):
        with Host(opened(), key=key, **options) as host:
            assert host.session("main", mode="fresh").run("web()").ok
        with Host(opened(), key=key, **options) as host:
            session = host.session("main")
            assert session.run("connector()").error_type == "PermissionError"
            assert session.run("web()").ok is allowed
    with Host(opened(), key=KEY) as host, pytest.raises(SnapshotError, match="not signed"):
        host.session("main")


def test_a_damaged_entry_is_told(opened: Opened) -> None:
    for damage, kind in ((b"", StoreError), (b"WHE1", StoreError), (b"junk" * 10, StoreError)):
        with Host(opened()) as host:
            host.session().run("x = 1")
            host._store.save(entry_name("main", "python"), damage)
        with Host(opened()) as host:
            with pytest.raises(kind, match="is damaged, or not one: delete it, or use mode='fresh'"):
                host.session()
            assert host.sessions() == []
            assert host.session(mode="fresh").run("1 + 1").value == 2


def test_an_entry_of_another_key_is_not_taken(opened: Opened) -> None:
    with Host(opened()) as host:
        host.session("one").run("x = 1")
        data = host._store.load(entry_name("one", "python"))
        assert data is not None
        host._store.save(entry_name("two", "python"), data)
        with pytest.raises(StoreError, match="is that of another one"):
            host.load("two")


class Broken:
    """A store in memory whose disk is full at times."""

    def __init__(self) -> None:
        self.full = False
        self.entries = MemoryStore()

    def save(self, name: str, data: bytes) -> None:
        if self.full:
            raise StoreError("an entry cannot be written: No space left on device")
        self.entries.save(name, data)

    def load(self, name: str) -> bytes | None:
        return self.entries.load(name)

    def delete(self, name: str) -> None:
        self.entries.delete(name)

    def names(self) -> list[str]:
        return self.entries.names()

    def close(self) -> None:
        self.entries.close()


def test_a_full_disk_costs_no_result_and_no_state(guest: Guest) -> None:
    store = Broken()
    with Host(store) as host:
        session = host.session(language=guest.name)
        session.run(assign(guest, 1))
        store.full = True
        result = session.run("x = 2\nx")
        assert result.value == 2
        assert "the session could not be stored, and the store has its state before this cell" in result.notes[-1]
        assert host.evict_idle(0) == 0
        assert session.run("x").value == 2
        store.full = False
        assert host.evict_idle(0) == 1
        assert session.run("x").value == 2


# ---- suspended cells -----------------------------------------------------------------------------------------------


def later(request: ApprovalRequest) -> Suspend:
    return Suspend()


class Shop:
    def __init__(self) -> None:
        self.bought = 0

    async def buy(self, item: str) -> str:
        self.bought += 1
        return f"got {item}"

    def host(self, store: Store) -> Host:
        return Host(store, capabilities=[self.buy], approve=later, key=KEY)


BUY = {
    "python": "y = await tools.buy(item='tea')\ny + '!'",
    "javascript": "const y = await tools.buy({ item: 'tea' }); y + '!'",
}


@pytest.mark.spec("D5.3")
def test_a_suspended_cell_is_stored_and_goes_on_elsewhere(opened: Opened, guest: Guest) -> None:
    shop = Shop()
    with shop.host(opened()) as host:
        session = host.session(language=guest.name)
        assert session.run(BUY[guest.name]).status == "suspended"
        assert session.state == "suspended"
        call = session.pending_approvals[0].call_id
    with shop.host(opened()) as host:
        session = host.load(language=guest.name)
        assert session.state == "suspended"
        with pytest.raises(LookupError, match=r"no call 'c9\.9' waits"):
            session.resume_blocking(approvals={"c9.9": Allow()})
    with shop.host(opened()) as host:
        result = host.load(language=guest.name).resume_blocking(approvals={call: Allow()})
        assert result.value == "got tea!"
    assert shop.bought == 1
    with shop.host(opened()) as host:
        session = host.load(language=guest.name)
        assert session.run("y").value == "got tea"
        with pytest.raises(LookupError, match="no cell of this session is suspended"):
            session.resume_blocking(approvals={call: Allow()})
    assert shop.bought == 1


_DIES = """
import json, os, sys
from wasmhost import Allow, FileStore, Host, SqliteStore
kind, path, language, call = json.loads(sys.argv[1])
async def buy(item: str) -> str:
    os._exit(7)
store = FileStore(path) if kind == "files" else SqliteStore(path)
host = Host(store, capabilities=[buy], key=bytes(range(32)))
host.load(language=language).resume_blocking(approvals={call: Allow()})
"""


@pytest.mark.spec("D5.3")
@pytest.mark.parametrize("kind", ["files", "sqlite"])
def test_nothing_runs_twice_because_a_process_has_died(tmp_path: Path, guest: Guest, kind: str) -> None:
    path = tmp_path / "store"

    def store() -> Store:
        return FileStore(path) if kind == "files" else SqliteStore(path)

    shop = Shop()
    with shop.host(store()) as host:
        session = host.session(language=guest.name)
        session.run(BUY[guest.name])
        call = session.pending_approvals[0].call_id
    words = [sys.executable, "-c", _DIES, json.dumps([kind, str(path), guest.name, call])]
    assert subprocess.run(words, cwd=ROOT, env=environment(), timeout=60, check=False).returncode == 7
    with shop.host(store()) as host:
        for ask in (host.load, host.session):
            with pytest.raises(AlreadyResumed, match="was gone on with and did not come to its end"):
                ask(language=guest.name)
        session = host.load(language=guest.name, again=True)
        assert session.resume_blocking(approvals={call: Allow()}).value == "got tea!"
    with shop.host(store()) as host:
        assert host.load(language=guest.name).run("y").value == "got tea"


def test_options_of_a_session_win_over_those_of_the_host(guest: Guest) -> None:
    def one() -> int:
        return 1

    def two() -> int:
        return 2

    call = guest.pick(python="{}()", javascript="await {}()")
    with Host(language=guest.name, capabilities=[one], policy="allow", helpers=False) as host:
        assert host.session("a").run(call.format("one")).value == 1
        other = host.session("b", capabilities=[two], limits=Limits(script_ms=50), helpers=True)
        assert other.run(call.format("two")).value == 2
        assert not other.run(call.format("one")).ok
        stop = other.run(guest.spin).stop
        assert stop is not None
        assert stop.used < 20_000
        host.evict_idle(0)
        assert other.run(call.format("two")).value == 2
        assert host.session("a").run("o").ok is False


# ---- threads -------------------------------------------------------------------------------------------------------


def test_sixteen_threads_share_a_host() -> None:
    """Fewer places than sessions, so that they come and go all the time."""
    faults: list[BaseException] = []
    with Host(max_sessions=20, max_memory_bytes=None) as host:

        def work(number: int) -> None:
            try:
                for turn in range(12):
                    language = ("python", "javascript")[turn % 2]
                    session = host.session(f"{number}", language=language)
                    name = "var n" if language == "javascript" and turn == 1 else "n"
                    assert session.run(f"{name} = {turn}").ok
                    if turn % 3 == 0:
                        host.evict_idle(0)
                    assert session.run("n").value == turn
            except BaseException as fault:
                faults.append(fault)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        assert faults == []
        assert sum(info.state != "stored" for info in host.sessions()) <= 20


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"idle_seconds": 0}, "idle_seconds is a number above 0"),
        ({"max_sessions": 0}, "max_sessions is a number above 0"),
        ({"max_memory_bytes": 0}, "max_memory_bytes is a number above 0 or None"),
        ({"key": b"short"}, "key must be bytes, 16 or more"),
        ({"language": "ruby"}, "language is one of"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        Host(**options)
