"""Stores: whole entries or none, whatever happens to the process; one host at a time."""

import os
import random
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.child import ROOT, environment
from wasmhost import FileStore, Host, MemoryStore, SqliteStore, Store, StoreError

NAME = "0123456789abcdef" * 4
OTHER = "f" * 64
Opened = Callable[[], Store]


def open_store(kind: str, path: Path) -> Store:
    return FileStore(path) if kind == "files" else SqliteStore(path)


@pytest.fixture(params=["files", "sqlite"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def path(tmp_path: Path, kind: str) -> Path:
    return tmp_path / "store"


def test_entries_come_and_go(kind: str, path: Path) -> None:
    for store in (open_store(kind, path), MemoryStore()):
        assert store.load(NAME) is None
        assert store.names() == []
        store.save(NAME, b"one")
        store.save(OTHER, b"")
        store.save(NAME, bytes(range(256)) * 10_000)
        assert store.load(NAME) == bytes(range(256)) * 10_000
        assert store.load(OTHER) == b""
        assert sorted(store.names()) == [NAME, OTHER]
        store.delete(OTHER)
        store.delete(OTHER)
        assert store.names() == [NAME]
        store.close()
        store.close()
    with_again = open_store(kind, path)
    assert with_again.load(NAME) == bytes(range(256)) * 10_000
    with_again.close()
    with pytest.raises(StoreError, match="is closed"):
        with_again.load(NAME)


@pytest.mark.parametrize("name", ["", "short", "../" * 21 + "x", "é" * 64, "a" * 63 + "/", "a" * 65])
def test_a_name_is_a_hash(kind: str, path: Path, name: str) -> None:
    store = open_store(kind, path)
    for use in (store.load, store.delete, lambda name: store.save(name, b"")):
        with pytest.raises(ValueError, match="64 hexadecimal digits"):
            use(name)
    store.close()


@pytest.mark.spec("S16")
def test_others_may_not_read_it(kind: str, path: Path) -> None:
    before = os.umask(0)
    try:
        store = open_store(kind, path)
        store.save(NAME, b"secret")
    finally:
        os.umask(before)
    for found in [path, *path.rglob("*")]:
        assert stat.S_IMODE(found.stat().st_mode) == (0o700 if found.is_dir() else 0o600), found
    store.close()


def test_a_folder_that_is_open_to_others_is_refused(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir(mode=0o755)
    with pytest.raises(StoreError, match=r"is open to others \(mode 755\): chmod 700"):
        FileStore(tmp_path / "store")
    (tmp_path / "store").chmod(0o700)
    FileStore(tmp_path / "store").close()


def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_bytes(b"")
    (tmp_path / "store.db").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="cannot be opened"):
        SqliteStore(tmp_path / "store.db")
    store = FileStore(tmp_path / "store")
    (tmp_path / "store" / f"{NAME}.session").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="cannot be read"):
        store.load(NAME)
    store.save(NAME, b"one")
    assert (tmp_path / "elsewhere").read_bytes() == b""
    assert store.load(NAME) == b"one"
    store.close()


def test_what_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"no database, and long enough to be one " * 100)
    with pytest.raises(StoreError, match="not a database"):
        SqliteStore(tmp_path / "file")
    with pytest.raises(StoreError, match="cannot be opened"):
        FileStore(tmp_path / "file")
    with pytest.raises(StoreError, match="cannot be opened"):
        SqliteStore(tmp_path / "nowhere" / "store.db")
    store = SqliteStore(tmp_path / "newer.db")
    store._run("PRAGMA user_version = 9")
    store.close()
    with pytest.raises(StoreError, match="is of version 9, and this is version 1"):
        SqliteStore(tmp_path / "newer.db")


def test_one_host_at_a_time(kind: str, path: Path) -> None:
    store = open_store(kind, path)
    with pytest.raises(StoreError, match="is open already, in this process or another"):
        open_store(kind, path)
    code = (
        "import sys; from wasmhost import FileStore, SqliteStore, StoreError\n"
        f"try: {'FileStore' if kind == 'files' else 'SqliteStore'}(sys.argv[1])\n"
        "except StoreError as error: print(error)"
    )
    words = [sys.executable, "-c", code, str(path)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, env=environment(), timeout=60, check=True)
    assert "is open already" in done.stdout
    store.close()
    open_store(kind, path).close()


def test_what_a_crash_has_left_is_swept_up(tmp_path: Path) -> None:
    FileStore(tmp_path / "store").close()
    (tmp_path / "store" / f"{NAME}.0123.new").write_bytes(b"half")
    store = FileStore(tmp_path / "store")
    assert store.names() == []
    assert [found.name for found in (tmp_path / "store").iterdir()] == ["lock"]
    store.close()


@pytest.mark.skipif(os.geteuid() != 0 and not os.path.exists("/dev/full"), reason="no way to have a full disk")
def test_a_full_disk_leaves_the_former_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = FileStore(tmp_path / "store")
    store.save(NAME, b"former")
    full = os.open("/dev/full", os.O_WRONLY)
    real = os.write
    monkeypatch.setattr(os, "write", lambda file, data: real(full, data))
    with pytest.raises(StoreError, match="cannot be written: No space left on device"):
        store.save(NAME, b"next")
    monkeypatch.undo()
    os.close(full)
    assert store.load(NAME) == b"former"
    assert sorted(found.name for found in (tmp_path / "store").iterdir()) == [f"{NAME}.session", "lock"]
    store.close()


# ---- killed --------------------------------------------------------------------------------------------------------

_WORKS = """
import os, signal, sys
from wasmhost import FileStore, Host, SqliteStore
kind, path, at = sys.argv[1], sys.argv[2], int(sys.argv[3])
steps = 0
def counted(name, before=None):
    real = getattr(os, name)
    def step(*args, **kwargs):
        global steps
        steps += 1
        if steps == at:
            if before is not None:
                before(real, *args)
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **kwargs)
    return step
store = FileStore(path) if kind == "files" else SqliteStore(path)
host = Host(store, language="javascript")
session = host.session()
n = session.run("typeof n === 'undefined' ? -1 : n").value
if n < 0:
    session.run("let n = 0; const past = []")
    n = 0
if at:
    half = lambda real, file, data: real(file, data[:len(data) // 2])
    for name in ("open", "fsync", "rename"):
        setattr(os, name, counted(name))
    os.write = counted("write", half)
say = open(int(sys.argv[4]), "w", buffering=1)
while True:
    n += 1
    assert session.run("past.push(n); n = n + 1").value == n
    say.write(f"{n}\\n")
"""


def work(kind: str, path: Path, at: int, lines: int = 0) -> int | None:
    """Runs cells until the process is killed: at a numbered step, or after so many results; gives the last of them."""
    reader, writer = os.pipe()
    words = [sys.executable, "-c", _WORKS, kind, str(path), str(at), str(writer)]
    child = subprocess.Popen(words, cwd=ROOT, env=environment(), pass_fds=[writer], stderr=subprocess.PIPE)
    os.close(writer)
    last = None
    with open(reader, encoding="ascii") as told:
        for count, line in enumerate(told, 1):
            if line.endswith("\n"):
                last = int(line)
            if lines and count == lines:
                # Somewhere in what comes next.
                signal.sigtimedwait([], random.random() * 0.004)
                child.kill()
    assert child.stderr is not None
    said = child.stderr.read()
    child.stderr.close()
    assert child.wait(60) == -signal.SIGKILL, said.decode()
    return last


def check(kind: str, path: Path, last: int | None, before: int) -> int:
    """The state in the store is that of the last result that anybody has seen, or of the cell after it."""
    store = open_store(kind, path)
    with Host(store, language="javascript") as host:
        n, past = host.load().run("[n, past]").value
    assert past == list(range(n))
    seen = before if last is None else last
    assert n in (seen, seen + 1), (n, last, before)
    return int(n)


@pytest.mark.spec("B3.5")
def test_a_hundred_kills_at_random_moments_lose_at_most_the_cell_in_progress(kind: str, path: Path) -> None:
    """Fifty for each store."""
    random.seed(kind)
    before = 0
    for _ in range(50):
        before = check(kind, path, work(kind, path, 0, random.randrange(1, 12)), before)
    assert before > 50


@pytest.mark.spec("B3.5")
def test_a_kill_at_every_step_of_writing(tmp_path: Path) -> None:
    """Each open, half of a write, fsync and rename of the next entries."""
    path = tmp_path / "store"
    before = 0
    for step in range(1, 16):
        before = check("files", path, work("files", path, step), before)
    assert not [name for name in os.listdir(path) if name.endswith(".new")]
