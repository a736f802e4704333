"""D9: everything that a session does, as structured events."""

import io
import json
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.support import strict_json
from tests.support.child import ROOT, environment
from tests.support.drivers import Driver
from tests.support.guests import GUESTS, Guest
from tests.support.tools import call, caught
from wasmhost import (
    Allow,
    CallEvent,
    HookResult,
    Hooks,
    JsonLines,
    Limits,
    Policy,
    PythonRuntime,
    SessionClosed,
    Suspend,
    Trace,
    capability,
)
from wasmhost.session.session import Session

Events = list[dict[str, Any]]

COMMON = {"event", "seq", "time", "us", "session"}


def documented() -> dict[str, tuple[set[str], set[str]]]:
    """Events of docs/trace.md: fields that are always there, and those that may be."""
    found: dict[str, tuple[set[str], set[str]]] = {}
    text = (ROOT / "docs" / "trace.md").read_text(encoding="utf-8").partition("## Events")[2].partition("## Spans")[0]
    for line in text.splitlines():
        if line.startswith("| `"):
            name, fields = (cell.strip() for cell in line.split("|")[1:3])
            words = [word.strip() for word in fields.split(",") if word.strip()]
            always = {word.strip("`") for word in words if not word.endswith("?")}
            found[name.strip("`")] = always, {word.rstrip("?").strip("`") for word in words if word.endswith("?")}
    return found


DOCUMENTED = documented()


def checked(events: Events) -> Events:
    """Events held against the document, strict JSON, and their order."""
    assert events
    for event in events:
        strict_json.loads(json.dumps(event, allow_nan=False))
        always, maybe = DOCUMENTED[event["event"]]
        assert COMMON | always <= event.keys(), event
        assert event.keys() <= COMMON | always | maybe | {"lost"}, event
        assert event["time"].endswith("Z")
        datetime.fromisoformat(event["time"])
    for session in {event["session"] for event in events}:
        own = sorted((event for event in events if event["session"] == session), key=lambda event: event["seq"])
        assert [event["seq"] for event in own] == list(range(1, len(own) + 1))
        assert own[0]["event"] == "session.begin"
    return events


def names(events: Events) -> list[str]:
    return [event["event"] for event in events]


def one(events: Events, name: str, **wanted: Any) -> dict[str, Any]:
    """The only event of that name, and with these fields."""
    (found,) = (
        event for event in events if event["event"] == name and all(event[key] == wanted[key] for key in wanted)
    )
    return found


@capability(read_only=True)
def echo(x: Any) -> Any:
    return x


@capability
async def send(to: str) -> str:
    return f"sent to {to}"


@pytest.mark.spec("D9.1")
def test_a_cell_with_a_call_step_by_step(guest: Guest, driver: Driver) -> None:
    events: Events = []
    with guest.runtime(capabilities=[send], policy="allow", trace=events.append, label="l") as session:
        code = call(guest, "send", to="ada")
        result = driver.run(session, code)
        assert result.ok, result.error
    assert names(checked(events)) == [
        "session.begin",
        "cell.begin",
        "call.begin",
        "call.step",
        "decision",
        "call.execute",
        "call.step",
        "call.end",
        "cell.end",
        "session.close",
    ]
    assert [event["us"] for event in events] == sorted(event["us"] for event in events)
    begin = events[0]
    assert (begin["label"], begin["language"], begin["origin"]) == ("l", guest.name, "new")
    assert (events[1]["cell"], events[1]["code"], events[1]["kind"]) == (1, code, "code")
    assert (events[4]["decision"], events[4]["input"], events[4]["call"]) == ("allow", {"to": "ada"}, "c1.1")
    end = events[7]
    assert (end["state"], end["result"], end["executed"], end["permission"]) == (
        "completed",
        "sent to ada",
        True,
        "allow",
    )
    last = events[8]
    assert (last["ok"], last["state"], last["calls"], last["fuel"]) == (True, "kept", {"completed": 1}, result.fuel)
    assert last["fuel"] > 0
    assert last["value"] == result.value_text


@pytest.mark.spec("D9.1")
def test_decisions_and_hooks(guest: Guest, driver: Driver) -> None:
    def pre(hook: Any) -> Any:
        return HookResult(input={"x": 2}) if hook.name == "echo" else None

    hooks = Hooks(pre=pre, post=lambda hook: HookResult(result="no more", note="seen"), failure=lambda hook: None)

    @capability(read_only=True)
    def fails() -> None:
        raise ValueError("no")

    events: Events = []
    policy = Policy(deny=["send"], allow=["*"])
    with guest.runtime(capabilities=[echo, send, fails], policy=policy, hooks=hooks, trace=events.append) as session:
        for expression in (
            call(guest, "echo", sync=True, x=1),
            call(guest, "send", to="x"),
            call(guest, "fails", sync=True),
            call(guest, "echo", sync=True, y=1),
        ):
            driver.run(session, caught(guest, expression))
    checked(events)
    assert one(events, "hook", call="c1.1", hook="pre")["outcome"] == "rewritten"
    assert one(events, "hook", call="c1.1", hook="post")["outcome"] == "rewritten"
    assert one(events, "decision", call="c1.1")["input"] == {"x": 2}
    assert one(events, "call.end", call="c1.1")["result"] == "no more"
    assert one(events, "call.end", call="c1.1")["notes"] == ["seen"]
    denied = one(events, "call.end", call="c2.2")
    assert (denied["state"], denied["error_type"], denied["executed"]) == ("denied", "PermissionError", False)
    assert one(events, "decision", call="c2.2")["decision"] == "deny (policy)"
    assert "result" not in denied
    assert one(events, "hook", call="c3.3", hook="failure")["outcome"] == "ok"
    assert one(events, "call.end", call="c3.3")["error"] == "no"
    wrong = one(events, "call.step", call="c4.4", step="schema")
    assert "argument 'x' is missing" in wrong["outcome"]


@pytest.mark.spec("D9.1")
def test_stops_checkpoints_and_going_back(guest: Guest, driver: Driver) -> None:
    events: Events = []
    with guest.runtime(trace=events.append) as session:
        driver.run(session, guest.assign("x", "1"))
        driver.run(session, guest.spin, limits=Limits(script_ms=30))
        driver.run(session, "x")
        driver.run(session, guest.spin, limits=Limits(fuel=3_000_000))
        assert driver.run(session, "x").value == 1
    checked(events)
    soft = one(events, "stop", cell=2)
    assert (soft["limit"], soft["layer"], soft["state"]) == ("script", "soft", "kept")
    assert one(events, "checkpoint", cell=3)["bytes"] > 0
    hard = one(events, "stop", cell=4)
    assert (hard["limit"], hard["layer"], hard["state"]) == ("fuel", "hard", "restored")
    assert one(events, "state", cell=4)["state"] == "restored"
    assert one(events, "cell.end", cell=4)["error_type"] == "TimeoutError"
    assert one(events, "cell.begin", cell=4)["limits"] == {"fuel": 3_000_000}
    assert names(events).count("cell.end") == 5


@pytest.mark.spec("D9.1")
def test_calls_that_end_with_their_cell(guest: Guest) -> None:
    release = threading.Event()

    @capability(read_only=True)
    def hangs() -> None:
        release.wait(60)

    events: Events = []
    try:
        with guest.runtime(capabilities=[hangs], trace=events.append) as session:
            session.run(call(guest, "hangs", sync=True), limits=Limits(wall_ms=200))
    finally:
        release.set()
    checked(events)
    assert one(events, "call.end")["state"] == "unknown"
    assert one(events, "stop")["limit"] == "wall"
    assert names(events).index("call.end") < names(events).index("cell.end")


@pytest.mark.spec("D9.1")
def test_a_suspended_cell_and_its_going_on(guest: Guest, driver: Driver) -> None:
    events: Events = []
    with guest.runtime(capabilities=[send], approve=lambda request: Suspend(), trace=events.append) as session:
        result = driver.run(session, call(guest, "send", to="ada"))
        assert result.status == "suspended"
        assert one(checked(events), "call.suspend")["call"] == "c1.1"
        assert one(events, "cell.end")["status"] == "suspended"
        assert session.resume_blocking(approvals={"c1.1": Allow()}).ok
    checked(events)
    assert names(events).count("cell.resume") == 1
    assert one(events, "call.end")["state"] == "completed"
    assert one(events, "cell.end", status="done")["ok"] is True


@pytest.mark.spec("D9.1")
def test_branches_snapshots_and_ends(guest: Guest) -> None:
    events: Events = []
    with guest.runtime(capabilities=[echo], trace=events.append) as session:
        session.run(guest.assign("x", "1"))
        data = session.snapshot()
        (branch,) = session.fork(1)
        with branch:
            branch.run(call(guest, "echo", sync=True, x=1))
        session.new_boundary()
        session.reset_blocking()
        session.close()
    checked(events)
    first, second = dict.fromkeys(event["session"] for event in events)
    of_branch = [event for event in events if event["session"] == second]
    assert (of_branch[0]["origin"], of_branch[0]["parent"]) == ("fork", first)
    assert one(of_branch, "call.end")["result"] == 1
    assert one(events, "session.snapshot")["bytes"] == len(data)
    own = names([event for event in events if event["session"] == first])
    assert own[-3:] == ["session.boundary", "session.reset", "session.close"]
    restored: Events = []
    with guest.runtime.restore(data, capabilities=[echo], trace=restored.append) as session:
        assert session.run("x").value == 1
    assert names(checked(restored))[:3] == ["session.begin", "session.restore", "cell.begin"]


@pytest.mark.spec("D9.1")
def test_a_cell_that_nobody_waits_for(guest: Guest) -> None:
    events: Events = []

    async def main() -> None:
        async with guest.runtime(trace=events.append, limits=Limits(script_ms=60_000)) as session:
            with anyio.move_on_after(0.2):
                await session.execute(guest.spin)
            await session.execute("1 + 1")

    anyio.run(main)
    checked(events)
    assert one(events, "stop", cell=1)["limit"] == "cancelled"
    assert one(events, "cell.end", cell=2)["ok"] is True


@pytest.mark.spec("D9.1")
def test_the_handler_of_a_registered_tool_is_a_cell(python: Any) -> None:
    events: Events = []
    with PythonRuntime(policy="allow", trace=events.append) as session:
        session.run("registerTool('t', 'd', {}, lambda input: 5)")
        assert session.call_tool_blocking("t", {}).value == 5
    assert [event["kind"] for event in checked(events) if event["event"] == "cell.begin"] == ["code", "tool"]
    assert one(events, "cell.end", cell=1)["registered_tools"] == 1


# ---- what is shown ----


@pytest.mark.spec("D9.3")
def test_secrets_and_large_values_are_shown_by_size_and_digest(guest: Guest) -> None:
    given = {
        "password": "hunter2",
        "nested": [{"API-Key": "abc123", "fine": "seen"}],
        "Authorization": {"Bearer": "zzz"},
        "large": "L" * 5_000,
    }
    events: Events = []
    with guest.runtime(capabilities=[echo], trace=events.append) as session:
        session.run(call(guest, "echo", sync=True, x=given) + (";\n0"))
        session.run(call(guest, "echo", sync=True, x={"password": "hunter2"}) + (";\n0"))
    for event in checked(events):
        if event["event"] in ("decision", "call.end"):
            text = json.dumps(event)
            assert len(text) < 3_000
            for secret in ("hunter2", "abc123", "zzz", "L" * 1_000):
                assert secret not in text
    cut = one(events, "call.end", cell=1)["result"]
    assert len(cut["cut"]) == 500
    assert cut["chars"] > 5_000
    assert len(cut["sha256"]) == 64
    shown = one(events, "call.end", cell=2)["result"]
    assert shown["password"]["secret"] is True
    assert shown["password"]["chars"] == 7
    assert shown["password"]["hmac"] in json.dumps(one(events, "call.end", cell=1)["result"])
    other = Trace(events.append)
    assert other.shown({"password": "hunter2"}) != shown


@pytest.mark.spec("D9.3")
def test_without_content_nothing_of_the_guest_is_in_it(guest: Guest) -> None:
    events: Events = []
    trace = Trace(events.append, content=False)
    with guest.runtime(capabilities=[echo], trace=trace) as session:
        code = f"{guest.out('VERYSECRET')};\n{call(guest, 'echo', sync=True, x='VERYSECRET')}"
        assert session.run(code).ok
        session.run(guest.pick(python="raise ValueError('VERYSECRET')", javascript="throw Error('VERYSECRET')"))
    text = json.dumps(checked(events))
    assert "VERYSECRET" not in text
    assert one(events, "cell.begin", cell=1)["code"]["chars"] == len(code)
    assert one(events, "call.end")["name"] == "echo"
    assert one(events, "cell.end", cell=2)["error_type"] == guest.pick(python="ValueError", javascript="Error")


@pytest.mark.spec("D9.3")
def test_any_value_of_a_host_function_can_be_shown() -> None:
    trace = Trace(lambda event: None)
    deep: Any = []
    for _ in range(5_000):
        deep = [deep]
    cyclic: dict[str, Any] = {}
    cyclic["me"] = cyclic
    for value in (
        deep,
        cyclic,
        object(),
        {1: {2}},
        float("nan"),
        2**80,
        "\ud800",
        b"\x89PNG",
        {"\ud800": 1},
        1 << 40_000,
    ):
        strict_json.loads(json.dumps(trace.shown(value), allow_nan=False))
    assert trace.shown(5) == 5
    assert trace.text("\ud800") == "\ufffd"


@pytest.mark.spec("D9.3")
def test_misuse_is_refused() -> None:
    for wrong in ("path.jsonl", 5):
        with pytest.raises(TypeError, match="a trace goes to a function"):
            PythonRuntime(trace=wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="chars is a whole number"):
        Trace(print, chars=-1)
    with pytest.raises(TypeError, match="secrets is a list"):
        Trace(print, secrets="token")


# ---- sinks ----


@pytest.mark.spec("D9.2")
def test_a_sink_that_fails_changes_nothing_and_the_loss_is_told(guest: Guest, driver: Driver) -> None:
    events: Events = []
    broken = True

    def sink(event: dict[str, Any]) -> None:
        if broken:
            raise OSError("disk full")
        events.append(event)

    with guest.runtime(capabilities=[echo], trace=sink) as session:
        result = driver.run(session, call(guest, "echo", sync=True, x=1))
        assert (result.ok, result.value, result.notes, result.calls[0].notes) == (True, 1, (), [])
        broken = False
        driver.run(session, "1 + 1")
    assert names(events) == ["cell.begin", "cell.end", "session.close"]
    assert events[0]["lost"] == events[0]["seq"] - 1
    assert "lost" not in events[1]


@pytest.mark.spec("D9.2")
def test_the_programs_own_listener_is_told_as_before(guest: Guest) -> None:
    events: Events = []
    told: list[CallEvent] = []
    with guest.runtime(capabilities=[echo], on_event=told.append, trace=events.append) as session:
        session.run(call(guest, "echo", sync=True, x=1))
        assert [event.kind for event in told] == ["start", "step", "step", "executing", "step", "complete"]
        told.clear()
        session.fork(1)[0].run(call(guest, "echo", sync=True, x=1))
        assert len(told) == 6


@pytest.mark.spec("D9.2")
def test_json_lines_in_a_file(guest: Guest, tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    hostile = "line\nline\r\x1b[31m\u202e\u2028\x7f\x85"
    for _ in range(2):
        with JsonLines(path) as lines, guest.runtime(trace=lines) as session:
            session.run(guest.out(hostile))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    data = path.read_bytes()
    assert data.endswith(b"\n")
    assert not any(byte < 0x20 or byte >= 0x7F for byte in data.replace(b"\n", b""))
    events = [strict_json.loads(line) for line in data.splitlines()]
    assert len(events) == 8
    checked(events)
    assert events[2]["stdout"] == hostile + "\n"
    lines.close()
    with pytest.raises(ValueError, match="closed"):
        lines({})


@pytest.mark.spec("D9.2")
def test_a_link_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("mine")
    (tmp_path / "link").symlink_to(target)
    with pytest.raises(OSError, match="link"):
        JsonLines(tmp_path / "link")
    assert target.read_text() == "mine"


FULL_DISK = """
import json, os, resource, signal, sys
from wasmhost import JsonLines, PythonRuntime
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
lines = JsonLines(sys.argv[1])
with PythonRuntime(trace=lines) as session:
    session.run("1")
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (os.stat(sys.argv[1]).st_size + 40, most))
    assert session.run("2").value == 2
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    assert session.run("3").value == 3
lines.close()
with open(sys.argv[1], "ab") as file:
    file.write(b'{"event":"cut')
with JsonLines(sys.argv[1]) as lines:
    lines({"event": "last"})
"""


@pytest.mark.spec("D9.2")
@pytest.mark.skipif(sys.platform == "win32", reason="limits of files are of POSIX")
def test_a_line_that_was_cut_spoils_no_other(tmp_path: Path) -> None:
    """A disk that is full in the middle of a line, and a crash there."""
    path = tmp_path / "trace.jsonl"
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(path)],
        capture_output=True,
        text=True,
        timeout=60,
        env=environment(),
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    events, cut = [], []
    for line in path.read_bytes().splitlines():
        try:
            events.append(strict_json.loads(line))
        except ValueError:
            cut.append(line)
    assert [len(line) for line in cut] == [40, 13]
    assert names(events) == [
        *["session.begin", "cell.begin", "cell.end", "cell.begin", "cell.end", "session.close", "last"]
    ]
    assert [event.get("lost") for event in events[3:5]] == [2, None]


HOSTILE = '\r\n\x1b]0;x\x07\x1b[2J\u202e\u2028\x7f\x85\ud800"}\n{"event":"forged"}\n'


@pytest.mark.spec("D9.2")
@pytest.mark.parametrize("times", [1, 20_000])
def test_nothing_of_a_guest_makes_a_line_or_a_long_one(guest: Guest, tmp_path: Path, times: int) -> None:
    """Wherever a guest can put text: names of tools, of arguments and of errors, code, output, notes."""
    text = json.dumps(HOSTILE * times) if guest.name == "javascript" else repr(HOSTILE * times)
    show = guest.pick(python=f"s = {text}", javascript=f"let s = {text}")
    codes = guest.pick(
        python=[
            f"{show}\nimport sys\nprint(s.encode('utf-8', 'replace').decode()); print(ascii(s), file=sys.stderr)\ns",
            "type(s[:99] + 'E', (Exception,), {})",
            "raise type('E' + s.replace('\\ud800', '')[:90_000], (Exception,), {})(s)",
            "tools.echo(x={s[:9_000].replace('\\ud800', ''): s.replace('\\ud800', '')})",
            "tools[s.replace('\\ud800', '')[:9_000]](x=1)",
            "tools.echo(**{s.replace('\\ud800', '')[:9_000]: 1})",
            "registerTool('t', s.replace('\\ud800', '')[:9_000], {'type': 'object'}, lambda i: 1)",
        ],
        javascript=[
            f"{show}; console.log(s); console.error(s); s",
            "throw Object.assign(new Error(s), { name: s.slice(0, 90_000) })",
            "await tools.echo({ x: { [s.slice(0, 9_000)]: s } })",
            "await tools[s.slice(0, 9_000)]({ x: 1 })",
            "await tools.echo({ [s.slice(0, 9_000)]: 1 })",
            "registerTool('t', s.slice(0, 9_000), { type: 'object' }, () => 1)",
        ],
    )
    path = tmp_path / "trace.jsonl"
    with (
        JsonLines(path) as lines,
        guest.runtime(capabilities=[echo], policy="allow", trace=lines, label=HOSTILE * times) as session,
    ):
        for code in codes:
            session.run(code)
    data = path.read_bytes()
    assert not any(byte < 0x20 or byte >= 0x7F for byte in data.replace(b"\n", b""))
    found = [strict_json.loads(line) for line in data.splitlines()]
    checked(found)
    assert names(found).count("cell.end") == len(codes)
    assert {"call.begin", "call.end"} <= set(names(found))
    assert max(map(len, data.splitlines())) < 30_000


Use = Callable[[Session], object]


@pytest.mark.spec("D9.2")
@pytest.mark.parametrize(
    "use",
    [
        pytest.param(lambda session: session.run("1"), id="run"),
        pytest.param(lambda session: session.snapshot(), id="snapshot"),
        pytest.param(lambda session: session.fork()[0].close(), id="fork"),
        pytest.param(lambda session: session.reset_blocking(), id="reset"),
        pytest.param(lambda session: session.close(), id="close"),
        pytest.param(lambda session: session.new_boundary(), id="boundary"),
    ],
)
def test_a_sink_may_use_the_session_that_it_is_told_of(guest: Guest, driver: Driver, use: Use) -> None:
    """At each event once: whatever comes of it, nothing hangs and what comes next is a result or says what is wrong."""
    code = f"{call(guest, 'echo', sync=True, x=1)};\n{call(guest, 'send', to='x')}"
    seen: list[str] = []
    at = 0
    session = guest.runtime()

    def sink(event: dict[str, Any]) -> None:
        seen.append(event["event"])
        if len(seen) == at:
            use(session)

    for at in range(2, 15):
        seen.clear()
        session.close()
        session = guest.runtime(capabilities=[echo, send], policy="allow", trace=sink)
        result = driver.run(session, code)
        assert result.ok or result.error_type == "CancelledError", result.error
        # The session may be closed now, if that is what the sink has done.
        with suppress(SessionClosed):
            assert driver.value(session, "1 + 1") == 2
        assert len(seen) >= at
    session.close()


@pytest.mark.spec("D9.2")
def test_json_lines_of_many_threads_are_whole(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    with JsonLines(path) as lines:

        def work() -> None:
            with PythonRuntime(trace=lines) as session:
                for _ in range(10):
                    session.run("1 + 1")

        threads = [threading.Thread(target=work) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    events = [strict_json.loads(line) for line in path.read_bytes().splitlines()]
    checked(events)
    assert len({event["session"] for event in events}) == 6
    assert len(events) == 6 * 22


@pytest.mark.spec("D9.2")
def test_json_lines_to_a_file_object() -> None:
    text = io.StringIO()
    with JsonLines(text) as lines, PythonRuntime(trace=lines) as session:
        session.run("1")
    assert names(checked([json.loads(line) for line in text.getvalue().splitlines()]))[-1] == "session.close"
    assert not text.closed


@pytest.mark.spec("D9.4")
@pytest.mark.parametrize("name", sorted(GUESTS))
def test_a_session_without_a_trace_loads_nothing_of_it(name: str) -> None:
    program = (
        "import sys, wasmhost\n"
        f"with wasmhost.{GUESTS[name].runtime.__name__}() as session: session.run('1 + 1')\n"
        "print([name for name in sys.modules if name in ('wasmhost.trace', 'wasmhost.otel', 'wasmhost.transcript', "
        "'wasmhost.media', 'json', 'datetime', 'hashlib') or 'opentelemetry' in name])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        env=environment(),
        cwd=ROOT,
        check=True,
    )
    assert done.stdout == "[]\n"
    assert os.getpid()
