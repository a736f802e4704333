"""Sessions that are brought back from what was written down about their cells."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.child import ROOT, environment
from tests.support.drivers import Driver
from tests.support.guests import GUESTS, Guest
from wasmhost import Allow, ApprovalRequest, Limits, ReplayError, ReplayLog, Suspend, TypeScriptRuntime
from wasmhost.session.session import Session

from .programs import PROGRAMS, World

EVERY = [(language, name) for language, programs in PROGRAMS.items() for name in programs]


def allow(request: ApprovalRequest) -> Allow:
    return Allow()


def options(world: World) -> dict[str, Any]:
    return {"capabilities": world.capabilities(), "policy": "allow", "approve": allow}


def first_run(language: str, name: str, log: ReplayLog) -> Any:
    cells, probe = PROGRAMS[language][name]
    with GUESTS[language].runtime(**options(World()), log=log) as session:
        for cell in cells:
            session.run(cell)
        result = session.run(probe)
        assert result.ok, result.error
        return result.value


def outcomes(session: Session) -> list[str]:
    assert session.hydration is not None
    return [cell.outcome for cell in session.hydration.cells]


@pytest.mark.spec("B18.1", "B18.2", "B20.1")
@pytest.mark.parametrize(("language", "name"), EVERY, ids=[f"{one}-{other}" for one, other in EVERY])
def test_a_program_goes_as_it_went(language: str, name: str) -> None:
    log = ReplayLog()
    value = first_run(language, name, log)
    world = World()
    with GUESTS[language].runtime.from_log(log, **options(world)) as session:
        assert session.hydration is not None
        assert session.hydration.ok, session.hydration
        assert session.run(PROGRAMS[language][name][1]).value == value
        assert world.asked == 0
        # And it is a session like any other: calls are made again from here on.
        after = session.run("next_number()" if language == "python" else "await next_number()")
        assert after.value == 17
        assert world.asked == 1


_CHILD = """
import json, sys
from tests.state.programs import PROGRAMS, World
from tests.state.test_replay import options
from tests.support.guests import GUESTS
for language, name, path in json.load(sys.stdin):
    world = World()
    with GUESTS[language].runtime.from_log(path, **options(world)) as session:
        value = session.run(PROGRAMS[language][name][1])
        print(json.dumps([session.hydration.ok, world.asked, value.value_text]))
"""


@pytest.mark.spec("B18.1", "B20.1")
def test_every_program_goes_as_it_went_in_another_process(tmp_path: Path) -> None:
    asked, expected = [], []
    for number, (language, name) in enumerate(EVERY):
        path = tmp_path / f"{number}.log"
        log = ReplayLog(path)
        first_run(language, name, log)
        log.close()
        lines = path.read_text().splitlines()
        with GUESTS[language].runtime.from_log(path, **options(World())) as session:
            text = session.run(PROGRAMS[language][name][1]).value_text
        assert path.read_text().splitlines() == lines
        asked.append([language, name, str(path)])
        expected.append([True, 0, text])
    done = subprocess.run(
        [sys.executable, "-c", _CHILD],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**environment(), "PYTHONPATH": str(ROOT)},
        timeout=120,
        check=True,
    )
    assert [json.loads(line) for line in done.stdout.splitlines()] == expected


COUNT = {"python": "n = next_number()\nn", "javascript": "const n = await next_number(); n"}


def logged(guest: Guest, *cells: str, **given: Any) -> list[dict[str, Any]]:
    """The entries of a log of these cells."""
    log = ReplayLog()
    with guest.runtime(**{**options(World()), **given}, log=log) as session:
        for cell in cells:
            session.run(cell)
    return [json.loads(line) for line in log.lines]


def back(guest: Guest, entries: list[dict[str, Any]], **given: Any) -> Session:
    log = ReplayLog()
    log.lines = [json.dumps(entry) for entry in entries]
    return guest.runtime.from_log(log, **{**options(World()), **given})


@pytest.mark.spec("B18.1")
def test_a_line_can_be_read_by_a_person(guest: Guest) -> None:
    entry = logged(guest, COUNT[guest.name])[0]
    assert entry["cell"] == 1
    assert entry["language"] == guest.name
    assert entry["code"] == COUNT[guest.name]
    assert entry["ended"] == "done"
    assert entry["error"] is None
    assert entry["calls"] == [
        {"id": "c1.1", "name": "next_number", "state": "completed", "input": {}, "result": 17},
    ]


@pytest.mark.spec("B18.1")
def test_errors_are_in_the_log(guest: Guest) -> None:
    cell = guest.pick(python="fails_at_times(at=3)", javascript="await fails_at_times({ at: 3 })")
    entry = logged(guest, cell)[0]
    assert entry["ended"] == "failed"
    assert entry["error"]["type"] == "ValueError"
    assert entry["calls"][0]["input"] == {"at": 3}
    assert entry["calls"][0]["error"] == {"type": "ValueError", "message": "no luck at 3, 1"}
    with back(guest, [entry]) as session:
        assert outcomes(session) == ["threw"]


def edited(entries: list[dict[str, Any]], old: str, new: str) -> list[dict[str, Any]]:
    assert old in entries[0]["code"]
    return [{**entries[0], "code": entries[0]["code"].replace(old, new)}, *entries[1:]]


TWO = {
    "python": "a = fails_at_times(1) if 0 else next_number()\nb = await later('x')\nend = 1",
    "javascript": "const a = await next_number(); const b = await later('x'); const end = 1",
}
DRIFTS = {
    "another name": ("next_number()", "blob(3)", "next_number", "blob"),
    "another input": ("later('x')", "later('y')", "later", "later"),
    "one more call": ("end = 1", "end = CALL", "nothing more", "next_number"),
    "one call less": ("later('x')", "1", "later", "nothing more now"),
}


@pytest.mark.spec("B19.1", "B19.2")
@pytest.mark.parametrize("kind", DRIFTS)
def test_code_that_asks_otherwise_drifts(guest: Guest, kind: str) -> None:
    old, new, then, now = DRIFTS[kind]
    new = new.replace("CALL", guest.pick(python="next_number()", javascript="await next_number()"))
    if kind == "one call less":
        old, new = guest.pick(python=("await later('x')", "1"), javascript=("await later('x')", "1"))
    entries = edited(logged(guest, TWO[guest.name], guest.assign("z", "26")), old, new)
    world = World()
    with back(guest, entries, capabilities=world.capabilities()) as session:
        assert outcomes(session) == ["drift", "ok"]
        assert session.hydration is not None
        assert not session.hydration.ok
        detail = session.hydration.cells[0].detail
        assert then in detail.split(" then, ")[0]
        assert now in detail.split(" then, ")[1]
        assert world.asked == 0
        assert session.run("z").value == 26


@pytest.mark.spec("B19.1", "B19.2")
def test_calls_in_another_order_drift(guest: Guest) -> None:
    cell = guest.pick(
        python="a = next_number(); b = fails_at_times(2) if a == 0 else blob(1)",
        javascript="const a = await next_number(), b = await blob(1)",
    )
    other = guest.pick(
        python="b = blob(1); a = next_number()", javascript="const b = await blob(1), a = await next_number()"
    )
    entries = logged(guest, cell)
    entries[0]["code"] = other
    with back(guest, entries) as session:
        assert session.hydration is not None
        assert (
            session.hydration.cells[0].detail
            == {
                "python": "request 1: blocking of next_number() then, blocking of blob(1) now",
                "javascript": "request 1: start of next_number() then, start of blob(1) now",
            }[guest.name]
        )


@pytest.mark.spec("B19.1")
def test_an_end_that_is_another_one_drifts(guest: Guest) -> None:
    fail = guest.pick(python="raise ValueError(1)", javascript="throw new RangeError('1')")
    well = guest.assign("x", "1")
    entries = logged(guest, well, fail, fail)
    entries[0]["code"], entries[1]["code"] = fail, well
    entries[2]["code"] = guest.pick(python="raise TypeError(1)", javascript="throw new TypeError('1')")
    with back(guest, entries) as session:
        assert session.hydration is not None
        details = [cell.detail for cell in session.hydration.cells]
        assert outcomes(session) == ["drift"] * 3
        assert details[0].startswith("it ended well then, and threw ")
        assert details[1].endswith("ended well now")
        assert "then, and threw TypeError" in details[2]


@pytest.mark.spec("B19.3")
def test_no_answer_is_given_to_another_call_nor_to_any_after_it(guest: Guest) -> None:
    """The first call is another one, the second is the one of the log: neither gets an answer, and none is made."""
    entries = logged(guest, TWO[guest.name])
    entries[0]["code"] = guest.pick(
        python="got = []\nfor f in (lambda: blob(1), next_number):\n"
        "    try: got.append(f())\n    except Exception as e: got.append(str(e))",
        javascript="const got = []; for (const f of [() => blob(1), next_number]) "
        "{ try { got.push(await f()) } catch (e) { got.push(e.message) } }",
    )
    world = World()
    with back(guest, entries, capabilities=world.capabilities()) as session:
        got = session.run("got").value
        assert ["no answer from the log" in text for text in got] == [True, True]
        assert world.asked == 0


@pytest.mark.spec("B19.3")
def test_a_call_that_waits_where_none_waited_does_not_hang(guest: Guest) -> None:
    entries = logged(guest, guest.pick(python="t = later('x')\nt.close()", javascript="later('x', 500); 1"))
    entries[0]["code"] = guest.pick(python="await later('x')", javascript="await later('x', 500); 1")
    with back(guest, entries) as session:
        assert outcomes(session) == ["drift"]


@pytest.mark.spec("B20.2")
def test_branches_of_one_log_get_random_numbers_of_their_own(guest: Guest) -> None:
    entries = logged(guest, guest.pick(python="import random; a = random.random()", javascript="let a = Math.random()"))
    more = guest.pick(python="a, random.random()", javascript="[a, Math.random()]")
    values = []
    for reseed in (True, True, False, False):
        with back(guest, entries, reseed=reseed) as session:
            # Also where the session has been brought back to its checkpoint in between.
            session.run(guest.spin_that_cannot_be_asked, limits=Limits(script_ms=30))
            values.append(list(session.run(more).value))
    assert len({first for first, _ in values}) == 1
    assert len({second for _, second in values}) == 3


@pytest.mark.spec("B4.1")
def test_modes(guest: Guest) -> None:
    entries = logged(guest, guest.assign("x", "5"))
    for mode, there in (("resume", True), ("fork", True), ("fresh", False)):
        with back(guest, entries, mode=mode) as session:
            assert session.hydration is not None
            assert session.hydration.mode == mode
            assert session.run("x").ok == there
    with pytest.raises(ValueError, match="mode is one of resume, fork, fresh, not 'other'"):
        back(guest, entries, mode="other")


@pytest.mark.spec("B4.2")
def test_a_live_session_is_not_forked_by_its_log(guest: Guest) -> None:
    with guest.runtime() as parent:
        parent.run(guest.assign("x", "5"))
        with guest.runtime.from_log(parent, mode="fork") as session:
            assert session.hydration is not None
            assert session.hydration.mode == "fresh"
            assert "cannot be forked by its log" in session.hydration.notes[0]
            assert not session.run("x").ok
        with parent.fork()[0] as branch:
            assert branch.run("x").value == 5


@pytest.mark.spec("B4.1")
def test_a_log_goes_on(guest: Guest, driver: Driver, tmp_path: Path) -> None:
    """One file over three lives of a session; the cells are numbered as in one."""
    path = tmp_path / "log"
    for life in range(3):
        with guest.runtime.from_log(path, log=path) if life else guest.runtime(log=path) as session:
            if life:
                assert outcomes(session) == ["ok"] * life
            driver.value(session, guest.assign(f"x{life}", str(life)))
    assert [json.loads(line)["cell"] for line in path.read_text().split("\n") if line] == [1, 2, 3]
    with guest.runtime.from_log(path) as session:
        assert [session.run(f"x{life}").value for life in range(3)] == [0, 1, 2]


@pytest.mark.spec("B4.1")
def test_a_new_log_has_what_was_replayed(guest: Guest) -> None:
    entries = logged(guest, guest.assign("x", "5"))
    own = ReplayLog()
    with back(guest, entries, log=own) as session:
        session.run(guest.assign("y", "6"))
    with guest.runtime.from_log(own) as session:
        assert session.run("x + y").value == 11


def test_after_a_reset_nothing_of_before_comes_back(guest: Guest, driver: Driver) -> None:
    log = ReplayLog()
    with guest.runtime(log=log) as session:
        driver.run(session, guest.assign("x", "5"))
        driver.reset(session)
        driver.run(session, guest.assign("y", "6"))
    with guest.runtime.from_log(log) as again:
        assert outcomes(again) == ["ok"]
        assert not again.run("x").ok
        assert again.run("y").value == 6


def test_what_cannot_be_run_again_is_skipped_and_named(guest: Guest) -> None:
    log = ReplayLog()
    world = World()
    with guest.runtime(capabilities=world.capabilities(), approve=lambda _: Suspend(), log=log) as session:
        session.run(guest.spin, limits=Limits(script_ms=20))
        session.run(guest.spin_that_cannot_be_asked, limits=Limits(script_ms=20))
        asks = guest.pick(python="await later('x')", javascript="await later('x')")
        assert session.run(asks).status == "suspended"
        call = session.pending_approvals[0].call_id
        assert session.resume_blocking(approvals={call: Allow()}).ok
        session.run(guest.assign("x", "5"))
    with guest.runtime.from_log(log, **options(World())) as again:
        assert again.hydration is not None
        assert [(cell.outcome, cell.detail.split(",")[0]) for cell in again.hydration.cells] == [
            ("skipped", "it was stopped"),
            ("skipped", "it was restored"),
            ("skipped", "it was resumed"),
            ("ok", ""),
        ]
        assert again.run("x").value == 5


def test_a_session_that_came_from_a_snapshot_says_so(guest: Guest) -> None:
    with guest.runtime() as session:
        session.run(guest.assign("x", "5"))
        snapshot = session.snapshot()
    log = ReplayLog()
    with guest.runtime.restore(snapshot, log=log) as session:
        session.run(guest.assign("y", "6"))
    with guest.runtime.from_log(log) as again:
        assert again.hydration is not None
        assert "begins with a snapshot" in again.hydration.notes[0]
        assert not again.hydration.ok
        assert again.run("y").value == 6


def test_branches_do_not_write_into_the_log(guest: Guest) -> None:
    log = ReplayLog()
    with guest.runtime(log=log) as session:
        session.run(guest.assign("x", "5"))
        with session.fork()[0] as branch:
            branch.run(guest.assign("x", "6"))
    assert len(log.lines) == 1


def test_sleeping_cells_are_not_waited_for(guest: Guest) -> None:
    """An hour, which the test does not have."""
    entries = logged(
        guest,
        guest.pick(
            python="import asyncio\nawait asyncio.sleep(0.01)\ndone = True",
            javascript="await new Promise(r => setTimeout(r, 10)); var done = true",
        ),
    )
    entries[0]["code"] = entries[0]["code"].replace("0.01", "3600").replace("r, 10)", "r, 3600000)")
    clock = entries[0]["course"]["clock"]
    entries[0]["course"]["clock"] = [*clock[:-1], clock[-1] + 3_600_000_000_000]
    with back(guest, entries) as session:
        assert outcomes(session) == ["ok"]
        assert session.run("done").value is True


@pytest.mark.spec("B18.2")
def test_tools_of_the_guest_come_back_with_what_their_handlers_did(guest: Guest) -> None:
    log = ReplayLog()
    register = guest.pick(
        python="seen = []\ndef note(arguments):\n    seen.append(arguments['x'])\n    return len(seen)\n"
        "registerTool('note', 'notes', {'type': 'object'}, note)",
        javascript="const seen = []; registerTool('note', 'notes', {type: 'object'}, "
        "({x}) => { seen.push(x); return seen.length }); 0",
    )
    with guest.runtime(**options(World()), log=log) as session:
        session.run(register)
        assert session.call_tool_blocking("note", {"x": 5}).value == 1
        again = guest.pick(
            python="await tools.eval_registered__note.start(x=6)",
            javascript="await tools.eval_registered__note({x: 6})",
        )
        assert session.run(again).value == 2
    world = World()
    with guest.runtime.from_log(log, **options(world)) as session:
        assert outcomes(session) == ["ok"] * 3, session.hydration
        assert session.run("seen").value == [5, 6]
        assert [tool["name"] for tool in session.registered_tools] == ["note"]
        assert session.call_tool_blocking("note", {"x": 7}).value == 3


def test_typescript() -> None:
    log = ReplayLog()
    with TypeScriptRuntime(log=log) as session:
        session.run("enum Colour { Red, Green }\nconst c: Colour = Math.random() < 2 ? Colour.Green : Colour.Red")
    with TypeScriptRuntime.from_log(log) as session:
        assert outcomes(session) == ["ok"]
        assert session.run("Colour[c as number]").value == "Green"
    with pytest.raises(ReplayError, match="is 'typescript', and this is javascript"):
        GUESTS["javascript"].runtime.from_log(log)


@pytest.mark.spec("D9.1")
def test_the_trace_tells_of_it(guest: Guest) -> None:
    entries = logged(guest, COUNT[guest.name], guest.pick(python="1 / 0", javascript="null.x"))
    events: list[dict[str, Any]] = []
    with back(guest, entries, trace=events.append):
        told = [(event["cell"], event["outcome"]) for event in events if event["event"] == "replay"]
        assert told == [(1, "ok"), (2, "threw")]
        assert [event["event"] for event in events if event["event"].startswith("call")] == []


# ---- files ---------------------------------------------------------------------------------------------------------


@pytest.mark.spec("S16")
def test_a_file_is_for_its_owner_alone(guest: Guest, tmp_path: Path) -> None:
    path = tmp_path / "log"
    with guest.runtime(log=path) as session:
        session.run("1")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_link_is_not_followed(guest: Guest, tmp_path: Path) -> None:
    (tmp_path / "log").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic links"):
        guest.runtime(log=tmp_path / "log")


def test_a_line_that_a_crash_has_cut_is_left_out(guest: Guest, tmp_path: Path) -> None:
    path = tmp_path / "log"
    with guest.runtime(log=path) as session:
        session.run(guest.assign("x", "5"))
        session.run(guest.assign("x", "6"))
    data = path.read_bytes()
    for cut in (1, 2, 10, 100):
        path.write_bytes(data[:-cut])
        with guest.runtime.from_log(path) as session:
            assert session.run("x").value == (6 if cut == 1 else 5)
    # And a session that goes on with the file does not lose its own lines in the cut one.
    with guest.runtime.from_log(path, log=path) as session:
        session.run(guest.assign("y", "7"))
    with guest.runtime.from_log(path) as session:
        assert session.run("y").value == 7


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_full_disk_costs_no_result(guest: Guest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log"
    log = ReplayLog(path)
    with guest.runtime(log=log) as session:
        full = os.open("/dev/full", os.O_WRONLY)
        real = os.dup(log._descriptor)
        os.dup2(full, log._descriptor)
        result = session.run("1 + 1")
        assert result.value == 2
        assert "could not be written to the replay log" in result.notes[-1]
        os.dup2(real, log._descriptor)
        os.close(real)
        os.close(full)
        assert session.run(guest.assign("x", "5")).notes == ()
    log.close()
    with guest.runtime.from_log(path) as session:
        assert session.hydration is not None
        assert session.hydration.notes == ["a cell could not be written to the log, so what it did is missing"]
        assert session.run("x").value == 5


def test_a_closed_log_costs_no_result(guest: Guest, tmp_path: Path) -> None:
    log = ReplayLog(tmp_path / "log")
    with guest.runtime(log=log) as session:
        log.close()
        log.close()
        result = session.run("1 + 1")
        assert result.value == 2
        assert "is closed" in result.notes[-1]


# ---- hostile logs --------------------------------------------------------------------------------------------------

BAD_LINES = {
    "no JSON": "{",
    "no object": "[]",
    "no format": "{}",
    "format of tomorrow": '{"format":2}',
    "nothing in it": '{"format":1}',
    "code is no text": '{"format":1,"cell":1,"language":"python","code":1,"ended":"done","calls":[]}',
    "cell zero": '{"format":1,"cell":0,"language":"python","code":"1","ended":"done","calls":[]}',
    "cell too large": '{"format":1,"cell":99999999999,"language":"python","code":"1","ended":"done","calls":[]}',
    "calls of nothing": '{"format":1,"cell":1,"language":"python","code":"1","ended":"done","calls":[1]}',
    "deep": '{"format":' + "[" * 100_000,
    "long number": '{"format":' + "1" * 10_000 + "}",
}


@pytest.mark.parametrize("line", BAD_LINES.values(), ids=BAD_LINES)
def test_a_line_that_is_none(line: str, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text(line + "\n")
    with pytest.raises(ReplayError, match="line 1 of the log: "):
        GUESTS["python"].runtime.from_log(path)


def _course(**parts: Any) -> dict[str, Any]:
    return {"seed": "00" * 32, "guestSeed": None, "clock": [], "requests": [], "events": [], **parts}


BAD_COURSES: dict[str, Any] = {
    "no object": 1,
    "short seed": _course(seed="00"),
    "seed no text": _course(seed=5),
    "no clock": _course(clock=None),
    "clock of texts": _course(clock=["1"]),
    "clock too large": _course(clock=[1 << 70]),
    "requests no list": _course(requests={}),
    "request of no kind": _course(requests=[["jump", None, ""]]),
    "request too short": _course(requests=[["start"]]),
    "start of nothing": _course(requests=[["start", None, ""]]),
    "cancel of something": _course(requests=[["cancel", ["a", "b", 1], ""]]),
    "name no text": _course(requests=[["start", [1, "b", 1], ""]]),
    "reply no text": _course(requests=[["tool", None, 5]]),
    "reply not base64": _course(requests=[["tool", None, {"base64": "!"}]]),
    "reply not ASCII": _course(requests=[["tool", None, "ä"]]),
    "event no JSON": _course(events=["x"]),
    "event no object": _course(events=["[]"]),
    "event brings nothing": _course(events=['{"settle":[1]}']),
    "event without number": _course(events=['{"settle":[["1",true,2]]}']),
    "event with another tail": _course(events=['{"settle":5}']),
    "frame cut": _course(events=[{"base64": "V0hQMQEAAAA="}]),
}


@pytest.mark.parametrize("course", BAD_COURSES.values(), ids=BAD_COURSES)
def test_a_course_that_is_none(course: Any) -> None:
    entry = {"format": 1, "cell": 1, "language": "python", "code": "1", "ended": "done", "calls": [], "course": course}
    with pytest.raises(ReplayError, match="line 1 of the log: "):
        back(GUESTS["python"], [entry])


def test_a_log_of_another_language() -> None:
    entries = logged(GUESTS["python"], "1")
    with pytest.raises(ReplayError, match="cell 1 of the log is 'python', and this is javascript"):
        back(GUESTS["javascript"], entries)


HOSTILE: dict[str, tuple[str, Any]] = {
    "reply no JSON": ("requests", [["blocking", None, "]["]]),
    "reply empty": ("requests", [["blocking", None, ""]]),
    "reply of zeros": ("requests", [["blocking", None, {"base64": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}]]),
    "no requests": ("requests", []),
    "events for nobody": ("events", ['{"settle":[[99,true,1]]}'] * 50),
    "cancel": ("events", ['{"cancel":{"type":"X","message":"y"}}']),
    "handlers that are not there": ("events", ['{"run":[[7,"nobody",{}]]}'] * 3),
    "settled with nonsense": ("events", ['{"settle":[[1,"yes",{"$wasmhost":"bytes","at":7}]]}']),
    "no clock": ("clock", []),
    "clock that goes back": ("clock", [1 << 60, 0, -5, 1 << 62, -(1 << 62)] * 20),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_what_a_forged_log_says_hurts_the_guest_at_most(guest: Guest, what: str) -> None:
    cell = guest.pick(
        python="import time, asyncio\nt = time.time()\na = next_number()\nawait asyncio.sleep(0.001)\nb = "
        "await later('x')",
        javascript="const t = Date.now(), a = await next_number(); "
        "await new Promise(r => setTimeout(r, 1)); const b = await later('x')",
    )
    entries = logged(guest, cell)
    course = entries[0]["course"]
    part, value = HOSTILE[what]
    if part == "requests":
        first = course["requests"][0]
        value = [[first[0], first[1], value[0][2]], *course["requests"][1:]] if value else []
    course[part] = value
    world = World()
    with back(guest, entries, capabilities=world.capabilities(), limits=Limits(script_ms=2000)) as session:
        assert session.hydration is not None
        assert world.asked == 0
        session.reset_blocking()
        assert session.run("1 + 1").value == 2


# ---- from results alone --------------------------------------------------------------------------------------------


def without_course(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in entry.items() if key != "course"} for entry in entries]


BY_RESULTS = {
    "python": "import asyncio\na = next_number()\nb = await asyncio.gather(later('x', 2), later('y'))\n"
    "try:\n    c = fails_at_times(2)\nexcept Exception as e:\n    c = str(e)\nd = blob(3)",
    "javascript": "const a = await next_number(), b = await Promise.all([later('x', 2), later('y')]); let c; "
    "try { c = await fails_at_times(2) } catch (e) { c = e.message } const d = await blob(3)",
}


@pytest.mark.spec("B18.2")
@pytest.mark.parametrize("offered", [True, False], ids=["offered", "offered with other schemas"])
def test_results_are_enough_where_nothing_else_is_there(guest: Guest, offered: bool) -> None:
    entries = without_course(logged(guest, BY_RESULTS[guest.name]))
    world = World()
    probe = guest.pick(python="a, b, c, d", javascript="[a, b, c, d]")
    with back(guest, entries, capabilities=world.capabilities()) as session:
        assert outcomes(session) == ["ok"], session.hydration
        assert list(session.run(probe).value) == [17, ["x2", "y3"], "luck at 2, 4", bytes([5, 6, 7])]
        assert world.asked == 0


@pytest.mark.spec("B19.2")
@pytest.mark.parametrize(
    ("old", "new", "detail"),
    [
        ("next_number()", "blob(9)", "call 1: next_number with {} then, blob with"),
        ("later('y')", "later('z')", 'call 3: later with {"name":"y","turns":0} then, later with'),
        ("blob(3)", "5", 'call 5: blob with {"size":3} then, nothing more now'),
    ],
)
def test_results_alone_drift_too(guest: Guest, old: str, new: str, detail: str) -> None:
    entries = edited(without_course(logged(guest, BY_RESULTS[guest.name])), old, new)
    with back(guest, entries) as session:
        assert session.hydration is not None
        assert session.hydration.cells[0].outcome == "drift"
        assert session.hydration.cells[0].detail.startswith(detail)


def test_results_that_were_cut_are_not_made_up(guest: Guest) -> None:
    cell = guest.pick(python="b = blob(5000)", javascript="const b = await blob(5000)")
    entries = without_course(logged(guest, cell))
    with back(guest, entries) as session:
        assert session.hydration is not None
        assert session.hydration.cells[0].outcome == "skipped"
        assert "the answer of call c1.1 is not in the log" in session.hydration.cells[0].detail


# ---- what is kept of one cell is bounded ---------------------------------------------------------------------------

MANY_READINGS = {
    "python": "import time\nfor _ in range(70_000): time.time()\nx = 1",
    "javascript": "for (let i = 0; i < 70_000; i++) Date.now(); var x = 1",
}


def test_a_cell_that_reads_the_clock_without_end_is_not_kept_whole(guest: Guest) -> None:
    log = ReplayLog()
    with guest.runtime(log=log, limits=Limits(script_ms=20_000)) as session:
        assert session.run(MANY_READINGS[guest.name]).ok
        assert session._instance is not None
        assert len(session._instance.source.readings) < 70_000
        # It can be gone back to all the same: by a checkpoint.
        session.run(guest.spin_that_cannot_be_asked, limits=Limits(script_ms=30))
        assert session.run("x").value == 1
    with guest.runtime.from_log(log) as again:
        assert outcomes(again)[0] == "skipped"
