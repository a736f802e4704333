"""A process that may have no more descriptors, threads, or room on its disk: an error that says so, nothing lost, no
hang; and when there is room again everything goes on. Each in a process of its own, since limits are of a process."""

import sys

import pytest

from tests.support.child import run_python

pytestmark = [
    pytest.mark.spec("D1", "D6", "C4"),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of Linux"),
]

_TOOLS = """
import asyncio, errno, json, os, resource, signal, sys, threading
from pathlib import Path
from wasmhost import *
from wasmhost.errors import EngineError, ImageError, StoreError, WasmhostError

SPIN = {"python": "while True: pass", "javascript": "for (;;) {}"}
KINDS = {"python": PythonRuntime, "javascript": JavaScriptRuntime}
folder = Path(sys.argv[1])

@capability
def plain(n: int = 1) -> int:
    return n

@capability(inline=True)
def inline(n: int = 1) -> int:
    return n

@capability
async def later(n: int = 1) -> int:
    await asyncio.sleep(0)
    return n

def call(language, name):
    return f"{name}(n=3)" if language == "python" else f"await {name}({{ n: 3 }})"

def attempt(what, errors=(EngineError, ImageError, StoreError, OSError)):
    try:
        return what()
    except errors as error:
        assert str(error)
        return error
"""

_DESCRIPTORS = (
    _TOOLS
    + """
held = []
def fill():
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    while True:
        try:
            held.append(os.open("/dev/null", os.O_RDONLY))
        except OSError as error:
            assert error.errno == errno.EMFILE
            return

def free():
    while held:
        os.close(held.pop())

early = sys.argv[2] == "early"
sessions = {}
def begin():
    for language, kind in KINDS.items():
        sessions[language] = kind(capabilities=[plain, inline, later], policy="allow", limits=Limits(script_ms=100))
        assert sessions[language].run("1").ok
if early:
    # Nothing was loaded when there were descriptors.
    fill()
    for kind in KINDS.values():
        made = attempt(lambda: kind())
        if not isinstance(made, Exception):
            attempt(lambda: made.run("1"))
            made.close()
    free()
    begin()
else:
    begin()
store = FileStore(folder / "store")
database = SqliteStore(folder / "store.db")
log = ReplayLog(folder / "log")
fill()
for language, session in sessions.items():
    # What was not needed yet cannot be imported, an event loop needs descriptors of its own: where one is missing the
    # program is told, and the session is what it was.
    assert session.run("kept = 6").ok
    result = session.run(SPIN[language])
    assert result.stop.limit == "script"
    for name in ("plain", "inline", "later"):
        result = attempt(lambda: session.run(call(language, name)))
        assert isinstance(result, OSError) or result.ok, result
    for _ in range(3):
        result = attempt(lambda: session.run("kept + 1"))
        assert isinstance(result, OSError) or result.value == 7, result
    attempt(lambda: KINDS[language].restore(session.snapshot()).close())
    attempt(lambda: session.fork()[0].close())
    with KINDS[language]() as fresh:
        assert fresh.run("1 + 1").value == 2
name = "a" * 64
for each in (store, database):
    assert isinstance(attempt(lambda: each.save(name, b"x" * 100_000)), (StoreError, type(None)))
    attempt(lambda: each.load(name), (StoreError,))
assert isinstance(attempt(lambda: FileStore(folder / "other")), StoreError)
assert isinstance(attempt(lambda: SqliteStore(folder / "other.db")), StoreError)
assert isinstance(attempt(lambda: ReplayLog(folder / "other.log")), OSError)
free()
for language, session in sessions.items():
    assert session.run("kept").value == 6
    assert session.run(call(language, "later")).value == 3
    assert session.run(SPIN[language]).stop.limit == "script"
    session.close()
for each in (store, database):
    each.save(name, b"y")
    assert each.load(name) == b"y"
    each.close()
print("well")
"""
)


@pytest.mark.parametrize("when", ["early", "late"])
def test_no_descriptors(tmp_path: object, when: str) -> None:
    assert run_python(_DESCRIPTORS, str(tmp_path), when).stdout == "well\n"


_THREADS = (
    _TOOLS
    + """
early = sys.argv[2] == "early"
def made(language):
    return KINDS[language](capabilities=[plain, inline, later], policy="allow", limits=Limits(script_ms=100))
async def both(session):
    return await session.execute("1 + 1")
# Imports first: another user may not read them.
for language in KINDS:
    with made(language) as session:
        for name in ("plain", "inline", "later"):
            assert session.run(call(language, name)).ok
        assert asyncio.run(both(session)).ok
        assert session.run(SPIN[language]).stop.limit == "script"
        assert session.run("1").ok
if early:
    # A child has the modules and the images, and no thread.
    import warnings
    warnings.simplefilter("ignore")
    child = os.fork()
    if child:
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
if os.geteuid() == 0:
    # The limit is none for the superuser.
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
hard = resource.getrlimit(resource.RLIMIT_NPROC)[1]
def none():
    resource.setrlimit(resource.RLIMIT_NPROC, (0, hard))
    try:
        threading.Thread(target=int).start()
    except RuntimeError:
        return
    print("unlimited")
    sys.exit()
def some():
    resource.setrlimit(resource.RLIMIT_NPROC, (hard, hard))

none()
for language in KINDS:
    with made(language) as session:
        kept = "a = 5" if language == "python" else "var a = 5"
        result = attempt(lambda: session.run(kept))
        assert result.ok, result
        assert session.run(SPIN[language]).stop.limit == "script"
        assert session.run(call(language, "inline")).value == 3
        if not early:
            # Threads that were made before may be free.
            for name in ("plain", "later"):
                result = attempt(lambda: session.run(call(language, name)), (RuntimeError, WasmhostError))
                assert isinstance(result, Exception) or result.ok or "thread" in result.error, result
            assert session.run("a").value == 5
        result = attempt(lambda: asyncio.run(both(session)))
        assert isinstance(result, EngineError) or (not early and result.value == 2), result
        if not early:
            assert session.run("a").value == 5
        some()
        # And now everything is there.
        assert session.run(kept).ok
        assert session.run(SPIN[language]).stop.limit == "script"
        assert session.run(call(language, "plain")).value == 3
        assert session.run(call(language, "later")).value == 3
        assert asyncio.run(both(session)).value == 2
        assert session.run("a").value == 5
    early = False
    none()
some()
print("well")
"""
)


@pytest.mark.spec("C4.2", "D1.3")
@pytest.mark.parametrize("when", ["early", "late"])
def test_no_threads(tmp_path: object, when: str) -> None:
    done = run_python(_THREADS, str(tmp_path), when, HOME=str(tmp_path)).stdout
    if done == "unlimited\n":
        pytest.skip("this user may have any number of threads")
    assert done == "well\n"


_DISK = (
    _TOOLS
    + """
# No file beyond that size; what is larger already stays. The signal would end the process.
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
def full(size=20_000):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
def roomy():
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))

for kind in sys.argv[2:]:
    opened = (lambda: FileStore(folder / "store")) if kind == "files" else (lambda: SqliteStore(folder / "store.db"))
    for language in KINDS:
        fill = "import os; a = os.urandom(300_000); n = 2" if language == "python" else (
            "var a = new Uint8Array(300000); for (let i = 0; i < 300000; i += 60000) "
            "crypto.getRandomValues(a.subarray(i, i + 60000)); var n = 2")
        with Host(opened(), language=language) as host:
            session = host.session("k", boundary="b")
            assert session.run("n = 1" if language == "python" else "var n = 1").notes == ()
            full()
            result = session.run(fill)
            assert result.ok and "could not be stored" in result.notes[-1], result.notes
            # The session goes on in memory, and the store has what it had.
            result = session.run("n")
            assert result.value == 2 and "could not be stored" in result.notes[-1]
            assert ("k", language) in [(info.key, info.language) for info in host.sessions()]
            roomy()
            assert session.run("n").notes == ()
            full()
            assert "could not be stored" in session.run("n = 3" if language == "python" else "n = 3").notes[-1]
            attempt(host.close)
            roomy()
        with Host(opened(), language=language) as host:
            # From before the disk was full.
            assert host.load("k").run("n").value == 2
            assert not list(folder.glob("store/*.new"))
# The log and the trace.
for language, runtime in KINDS.items():
    log = ReplayLog(folder / f"{language}.log")
    trace = JsonLines(folder / f"{language}.trace")
    with runtime(log=log, trace=trace) as session:
        assert session.run("1").notes == ()
        full(max((folder / f"{language}.log").stat().st_size, (folder / f"{language}.trace").stat().st_size) + 40)
        result = session.run("2")
        assert result.value == 2
        roomy()
        assert session.run("3").value == 3
    log.close()
    trace.close()
    assert [entry.get("code", "gap") for entry in ReplayLog(folder / f"{language}.log").read()] in (
        ["1", "gap", "3"], ["1", "gap", "2", "3"], ["1", "2", "3"])
    for line in (folder / f"{language}.trace").read_text().splitlines():
        try:
            json.loads(line)
        except ValueError:
            pass
# The cache of compiled images.
os.environ["WASMHOST_CACHE"] = str(folder / "cache")
from wasmhost.sandbox import image
full(1_000)
image._store(b"x" * 100_000, str(folder), "some.cwasm")
assert not list(folder.glob("*some.cwasm"))
roomy()
print("well")
"""
)


@pytest.mark.parametrize("kind", ["files", "sqlite"])
def test_no_room_on_the_disk(tmp_path: object, kind: str) -> None:
    assert run_python(_DISK, str(tmp_path), kind).stdout == "well\n"
