"""Everything that is stored and read again, with every byte turned, every length extreme, and cut at every place: it
is what it was, or the error that its reader is documented to raise.

`test_hostile_snapshots.py` has snapshots whose lengths and hash fit what was changed.
"""

import hashlib
import json
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.state.test_hostile_snapshots import OPTIONS, buy, order, stored, use
from tests.support.child import run_python
from tests.support.fuzz import TIMES, changed, damaged, fuzz
from tests.support.guests import Guest
from tests.support.hostile import Probe, Script, info_lines, module, to_wasm
from wasmhost import (
    FileStore,
    Host,
    ImageError,
    Limits,
    ReplayError,
    ReplayLog,
    SnapshotError,
    SqliteStore,
    StoreError,
    TranscriptError,
)
from wasmhost.errors import EngineError
from wasmhost.host import _Entry, entry_name
from wasmhost.sandbox.engine import engine
from wasmhost.sandbox.image import Image, _find, read_info
from wasmhost.sandbox.instance import Broken
from wasmhost.state.replay import read_log
from wasmhost.state.snapshot import read
from wasmhost.transcript import from_messages

pytestmark = pytest.mark.spec("D1", "D6")

MOST = 150 * max(1, TIMES)
KEY = bytes(range(32))


Refused = type[Exception] | tuple[type[Exception], ...]


def outcome(refused: Refused, act: Callable[..., Any], *arguments: Any) -> str:
    try:
        act(*arguments)
    except refused:
        return "refused"
    return "taken"


# ---- snapshots and suspended cells ---------------------------------------------------------------------------------


@pytest.mark.spec("D4.4", "D4.5")
@pytest.mark.parametrize("kind", ["plain", "buy", "order"])
def test_snapshots(guest: Guest, kind: str) -> None:
    data = stored(guest, kind)
    outcomes: Counter[str] = Counter()
    for _, other in damaged(data, MOST, kind, fields=(0, 4, 8, 12, 16, 20, 24, 56, 60, 88, 92)):
        taken = outcome(SnapshotError, read, other, 1 << 30)
        outcomes[taken] += 1
        if taken == "taken":
            # Where an unsigned one has zeros for its signature.
            assert other[:56] == data[:56]
            assert other[88:] == data[88:]
    assert outcomes["refused"] > 5 * outcomes["taken"]


@pytest.mark.spec("D4.5")
def test_signed_snapshots(guest: Guest) -> None:
    with guest.runtime(**OPTIONS) as session:
        session.run("1")
        data = session.snapshot(key=KEY)
    read(data, 1 << 30, KEY)
    for what, other in damaged(data, MOST, "signed", fields=(8, 12, 16, 20, 24, 56, 88)):
        if other != data:
            assert outcome(SnapshotError, read, other, 1 << 30, KEY) == "refused", what


def resealed(data: bytes, start: bytes, body: bytes) -> bytes:
    return start + hashlib.sha256(start + body).digest() + bytes(32) + body


@pytest.mark.spec("D4.4")
@pytest.mark.parametrize("kind", ["plain", "buy"])
def test_snapshots_whose_hash_fits_what_was_changed(guest: Guest, kind: str) -> None:
    """Head and compressed body: the hash holds nobody off who can write."""
    data = stored(guest, kind)
    start, body = data[:24], data[88:]
    uses = 0
    for _, other in damaged(start + body, MOST // 2, f"resealed {kind}", fields=(8, 12, 16, 20, 24)):
        forged = resealed(data, other[:24], other[24:])
        if len(other) >= 24 and outcome(SnapshotError, read, forged, 1 << 30) == "taken":
            uses += 1
            if uses < 20:
                use(guest, forged)


@pytest.mark.spec("D4.4")
def test_a_snapshot_that_unpacks_to_more_than_it_says(guest: Guest) -> None:
    packer = zlib.compressobj(9)
    bomb = b"".join(packer.compress(bytes(1 << 20)) for _ in range(512)) + packer.flush()
    for size in (0, 1, 1 << 20, 1 << 29, (1 << 29) + 1, 1 << 62, (1 << 64) - 1):
        start = stored_start(size)
        with pytest.raises(SnapshotError):
            guest.runtime.restore(resealed(b"", start, bomb), limits=Limits(memory_bytes=48 << 20))


def stored_start(size: int) -> bytes:
    return b"WHSNAP\r\n" + (1).to_bytes(4, "little") + bytes(4) + size.to_bytes(8, "little")


# ---- replay logs ---------------------------------------------------------------------------------------------------


def a_log(guest: Guest, path: Path) -> bytes:
    log = ReplayLog(path)
    with guest.runtime(capabilities=[buy, order], policy="allow", log=log) as session:
        assert session.run(
            guest.pick(python="a = order(item=b'x\\xff')", javascript="var a = await order({ item: 1 })")
        ).ok
        waiting = guest.pick(
            python="import asyncio, time\nt = time.time()\nb = await asyncio.gather(buy(item=1), buy(item='é'))",
            javascript="const t = Date.now(), b = await Promise.all([buy({ item: 1 }), buy({ item: 'é' })])",
        )
        assert session.run(waiting).ok
        assert not session.run("nobody").ok
    log.close()
    return path.read_bytes()


def play(guest: Guest, path: Path) -> None:
    limits = Limits(script_ms=100, wall_ms=300)
    with guest.runtime.from_log(path, capabilities=[buy, order], policy="allow", limits=limits) as session:
        assert session.hydration is not None
        repr(session.hydration)
        session.reset_blocking()
        assert session.run("1 + 1").value == 2


@pytest.mark.spec("B18.1")
def test_replay_logs(guest: Guest, tmp_path: Path) -> None:
    data = a_log(guest, tmp_path / "log")
    path = tmp_path / "damaged"
    outcomes: Counter[str] = Counter()
    for number, (_, other) in enumerate(damaged(data, MOST, guest.name)):
        path.write_bytes(other)
        taken = outcome(ReplayError, read_log, path)
        if taken == "taken" and number % 4 == 0:
            taken = outcome(ReplayError, play, guest, path)
        outcomes[taken] += 1
    assert outcomes["refused"] > 50
    assert outcomes["taken"] > 10


def exchanged(value: Any, random: Random, others: list[Any]) -> Any:
    """One place somewhere in a JSON value with something else in it."""
    if random.random() < 0.2 or not isinstance(value, (dict, list)) or not value:
        return random.choice(others)
    if isinstance(value, dict):
        name = random.choice(sorted(value))
        if random.random() < 0.1:
            return {key: each for key, each in value.items() if key != name}
        return {**value, name: exchanged(value[name], random, others)}
    at = random.randrange(len(value))
    return [*value[:at], exchanged(value[at], random, others), *value[at + 1 :]]


OTHERS: list[Any] = [
    *[None, True, False, 0, 1, -1, 2**31, 2**53, -(2**62), 2**63 - 1, 2**63, 10**300, 1.5, "", "x", "\ud800", "é"],
    *[[], {}, [None], [[1, True, 1]], {"settle": None}, '{"settle":null}', '{"run":null,"settle":[]}', '{"settle":{}}'],
    *[{"base64": ""}, {"base64": "V0hQMQ=="}, {"$wasmhost": "int", "v": "9"}, {"$wasmhost": "bytes", "v": "?"}],
    *[
        "[true,1]",
        "[false,{}]",
        '{"cancel":{}}',
        '{"cancel":null}',
        '{"settle":[[1,true,1],[1,true,1]]}',
        '{"seed":"00"}',
    ],
    *["done", "failed", "lost", ["start", ["order", "x", 1, ""], ""], ["tool", None, '[true,"t"]'], "00" * 32],
]


@pytest.mark.spec("B18.1")
def test_replay_logs_with_a_value_exchanged(guest: Guest, tmp_path: Path) -> None:
    entries = [json.loads(line) for line in a_log(guest, tmp_path / "log").splitlines()]
    path = tmp_path / "damaged"
    random = Random(guest.name)
    outcomes: Counter[str] = Counter()
    for _ in range(250 * max(1, TIMES)):
        other = [*entries]
        for _ in range(random.choice((1, 1, 2))):
            at = random.randrange(len(other))
            other[at] = exchanged(other[at], random, OTHERS)
        path.write_text("".join(json.dumps(each) + "\n" for each in other))
        outcomes[outcome(ReplayError, play, guest, path)] += 1
    assert outcomes["refused"] > 30
    assert outcomes["taken"] > 30


# ---- transcripts ---------------------------------------------------------------------------------------------------


def a_transcript(guest: Guest, format: str) -> bytes:
    turns: list[Any] = []
    with guest.runtime(capabilities=[buy, order], policy="allow") as session:
        for number, code in enumerate(
            (
                guest.pick(python="a = order(item=[1, b'x'])\na", javascript="var a = await order({ item: [1] }); a"),
                guest.pick(python="print('x')\n2**80", javascript="console.log('x'); 2n ** 80n"),
                "nobody",
            )
        ):
            turns += session.run(code).messages(format, code=code, id=f"c{number}")
    return json.dumps(turns).encode()


@pytest.mark.spec("B16.7")
@pytest.mark.parametrize("format", ["anthropic", "openai"])
def test_transcripts(guest: Guest, format: str) -> None:
    data = a_transcript(guest, format)
    assert len(from_messages(data)) == 3
    limits = Limits(script_ms=100, wall_ms=300)
    taken = 0

    def rebuild(other: bytes) -> None:
        with guest.runtime.from_transcript(other, capabilities=[buy, order], policy="allow", limits=limits) as session:
            assert session.run("1 + 1").value == 2

    random = Random(format)
    every = [other for _, other in damaged(data, MOST, format)]
    for _ in range(MOST):
        every.append(json.dumps(exchanged(json.loads(data), random, OTHERS)).encode())
        every.append(changed(data, random))
    for other in every:
        if outcome(TranscriptError, from_messages, other) == "taken":
            taken += 1
            if taken % 8 == 0:
                outcome(TranscriptError, rebuild, other)
    assert 20 < taken < len(every)


# ---- stores --------------------------------------------------------------------------------------------------------


@pytest.fixture
def entry() -> bytes:
    with Host(limits=Limits(script_ms=200)) as host:
        host.session("k", boundary="b").run("x = 5")
        return _Entry("k", "python", "b", host.session("k", boundary="b").snapshot()).write()


@pytest.mark.parametrize("kind", ["files", "sqlite"])
def test_entries_of_a_store(tmp_path: Path, kind: str, entry: bytes) -> None:
    store = FileStore(tmp_path / "store") if kind == "files" else SqliteStore(tmp_path / "store.db")
    name = entry_name("k", "python")
    outcomes: Counter[str] = Counter()
    with Host(store, limits=Limits(script_ms=200)) as host:
        for _, other in damaged(entry, MOST // 3, kind, fields=(0, 4, 8)):
            store.save(name, other)

            def act() -> None:
                session = host.load("k")
                session.run("1 + 1")
                host.delete("k")

            outcomes[outcome((StoreError, SnapshotError, LookupError), act)] += 1
        store.save(name, entry)
        assert [info.key for info in host.sessions()] == ["k"]
        assert host.load("k").run("x").value == 5
    assert outcomes["refused"] > 50


def test_a_database_that_is_damaged(tmp_path: Path, entry: bytes) -> None:
    path = tmp_path / "store.db"
    store = SqliteStore(path)
    name = entry_name("k", "python")
    store.save(name, entry[:5_000])
    store.close()
    data = path.read_bytes()
    random = Random("sqlite")

    def act() -> None:
        opened = SqliteStore(path)
        try:
            for each in opened.names():
                opened.load(each)
            opened.load(name)
            opened.save(name, b"other")
            assert opened.load(name) == b"other"
        finally:
            opened.close()

    outcomes: Counter[str] = Counter()
    for number in range(MOST * 2):
        other = bytearray(data)
        for _ in range(random.choice((1, 3, 20))):
            other[random.randrange(200 if number % 2 else len(other))] = random.randrange(256)
        if number % 10 == 0:
            del other[random.randrange(len(other)) :]
        path.write_bytes(other)
        for extra in ("-wal", "-shm", "-journal"):
            Path(f"{path}{extra}").unlink(missing_ok=True)
        outcomes[outcome(StoreError, act)] += 1
    assert outcomes["refused"] > 20


# ---- images --------------------------------------------------------------------------------------------------------


def test_info_files_of_images(tmp_path: Path) -> None:
    wasm = to_wasm(module())
    the_engine = engine()
    compiled = the_engine.compile(wasm)
    data = info_lines(wasm).encode()
    path = tmp_path / "hostile.info"
    outcomes: Counter[str] = Counter()

    def act() -> None:
        made = Image(the_engine, "hostile", read_info(str(path)), compiled)
        probe = Probe(made)
        try:
            probe.start(Script().frame())
        except Broken:
            pass
        finally:
            probe.close()

    for _, other in damaged(data, len(data), "info"):
        path.write_bytes(other)
        outcomes[outcome((ImageError, EngineError), act)] += 1
    for line in info_lines(wasm).splitlines():
        key, *words = line.split()
        for number in (-1, 0, 1, 2**16, 2**31, 2**32 - 1, 2**32, 2**63, 2**64, 10**30, "0x10", "1.5", "-0", ""):
            for at in range(len(words)):
                changed_words = [*words[:at], str(number), *words[at + 1 :]]
                path.write_text(info_lines(wasm, **{key: " ".join(changed_words)}))
                outcomes[outcome((ImageError, EngineError), act)] += 1
    assert outcomes["refused"] > 100


def test_wasm_files_of_images(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from wasmhost.sandbox import image as image_module

    wasm = to_wasm(module())
    monkeypatch.setattr(image_module, "images_folder", lambda: str(tmp_path))
    monkeypatch.setenv("WASMHOST_CACHE", str(tmp_path / "cache"))
    (tmp_path / "hostile.info").write_text(info_lines(wasm))
    for what, other in damaged(wasm, MOST, "wasm"):
        (tmp_path / "hostile.wasm").write_bytes(other)
        if other != wasm:
            assert outcome(ImageError, _find, engine(), "hostile") == "refused", what
    # And with a hash that fits: a module is valid or is refused.
    random = Random("modules")
    for _ in range(MOST):
        other = changed(wasm, random)
        (tmp_path / "hostile.wasm").write_bytes(other)
        (tmp_path / "hostile.info").write_text(info_lines(other))
        outcome((ImageError, EngineError), _find, engine(), "hostile")


def test_an_info_file_that_is_no_text_is_a_damaged_image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from wasmhost.sandbox import image as image_module

    monkeypatch.setattr(image_module, "images_folder", lambda: str(tmp_path))
    for data in (b"", b"\xff\xfe\0", b"abi 2\nsha256\n", b"sha256 \xc3\n", b"\0" * 100):
        (tmp_path / "hostile.info").write_bytes(data)
        with pytest.raises(ImageError):
            _find(engine(), "hostile")


_LOADS = """
import sys
from random import Random
from tests.support.fuzz import sampled
from tests.support.hostile import module, to_wasm
from wasmhost.errors import EngineError
from wasmhost.sandbox.engine import engine
the_engine = engine()
data = the_engine.compile(to_wasm(module()))
refused = 0
for end in sampled(len(data), int(sys.argv[1]), Random("cut")):
    try:
        module = the_engine.load(data[:end])
    except EngineError:
        refused += 1
print(refused, flush=True)
"""


def test_compiled_images_that_were_cut() -> None:
    # Machine code that somebody else has changed is never loaded; one that was cut is no end of the process.
    done = run_python(_LOADS, str(MOST))
    assert int(done.stdout) > MOST // 2


# ---- all of them, changed at random --------------------------------------------------------------------------------


@fuzz(150)
@given(st.binary(max_size=300))
def test_any_bytes(data: bytes) -> None:
    outcome(SnapshotError, read, data, 1 << 20)
    outcome(SnapshotError, read, stored_start(100) + data, 1 << 20)
    outcome(TranscriptError, from_messages, data)
    outcome(StoreError, _Entry.read, data)
    outcome(ReplayError, read_log, data.decode("latin-1").splitlines(keepends=True))
