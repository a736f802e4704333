"""The state machine of a cell: what it asks for, and the result it makes of what it is told. No guest, no clock."""

import pytest

from wasmhost import Limits
from wasmhost.protocol.frames import START_LIVE, START_SEED
from wasmhost.sandbox.instance import Broken, Frame
from wasmhost.sandbox.meter import UNLIMITED_FUEL, Meter
from wasmhost.session.cell import FINISH, CellRun, Resume, Start, Wait
from wasmhost.session.output import CellOutput

MS = 1_000_000


def cell(limits: Limits | None = None) -> CellRun:
    limits = limits or Limits()
    meter = Meter(0, int(limits.script_ms * MS), int(limits.wall_ms * MS), UNLIMITED_FUEL)
    return CellRun(3, limits, meter, CellOutput(limits.stdout_bytes, limits.stderr_bytes, limits.console_bytes))


def frame(status: int, head: bytes, flags: int = 0) -> Frame:
    return Frame(status, flags, head, [])


def test_a_start_carries_the_number_the_limits_and_the_source() -> None:
    effect = cell(Limits(value_bytes=7, value_depth=8, text_chars=9)).start(b"code", bytes(32), True)
    assert isinstance(effect, Start)
    assert effect.source == b"code"
    assert int.from_bytes(effect.head[:4], "little") == 3
    assert effect.head[4] == START_SEED | START_LIVE
    assert [int.from_bytes(effect.head[at : at + 4], "little") for at in (40, 44, 48, 52)] == [7, 8, 9, 4]
    assert cell().start(b"", None, False).head[4] == 0


@pytest.mark.spec("A2")
def test_a_cell_that_ends_well() -> None:
    run = cell()
    run.output.write(1, b"out")
    run.output.write(2, b"err")
    run.meter.start(1 * MS)
    run.meter.stop(3 * MS)
    run.meter.fuel_used = 77
    assert run.answered(frame(0, b'{"v": [1], "t": "[1]", "notes": ["n"]}', 2)) is FINISH
    result = run.result(5 * MS, None, None)
    assert result.ok
    assert (result.value, result.has_value, result.value_text, result.value_truncated) == ([1], True, "[1]", True)
    assert (result.stdout, result.stderr, result.fuel) == ("out", "err", 77)
    assert (result.script_ms, result.wall_ms, result.duration_ms) == (2.0, 5.0, 5.0)
    assert (result.stop, result.state, result.error) == (None, "kept", None)
    assert list(result.notes) == [f"value_text was cut to {Limits().text_chars} characters", "n"]


@pytest.mark.spec("C11")
def test_a_cell_that_fails() -> None:
    run = cell()
    head = (
        b'{"e": {"type": "T", "message": "m", "text": "T: m\\n at", "frames": [{"cell": 1, "line": 2, "column": 3}]}}'
    )
    assert run.answered(frame(1, head)) is FINISH
    result = run.result(0, None, None)
    assert not result.ok
    assert (result.error_type, result.error_message, result.error) == ("T", "m", "T: m\n at")
    assert [(f.cell, f.line, f.column) for f in result.error_frames] == [(1, 2, 3)]
    assert (result.value, result.has_value, result.value_text) == (None, False, "")


def test_a_cell_that_waits_is_resumed_and_told_why_it_must_end() -> None:
    run = cell(Limits(script_ms=50))
    effect = run.answered(frame(2, b'{"timer": 5000}'))
    assert isinstance(effect, Wait)
    assert effect.nanoseconds == 5000
    plain = run.waited(None)
    assert isinstance(plain, Resume)
    assert (plain.events, plain.stopping) == (None, None)
    stopping = run.waited("script")
    assert isinstance(stopping, Resume)
    assert stopping.stopping == "script"
    assert stopping.events == (b'{"cancel":{"type":"TimeoutError","message":"script time of 50 ms is spent"}}')


@pytest.mark.spec("A7")
def test_waiting_for_nothing_is_a_failure_at_once() -> None:
    run = cell()
    assert run.answered(frame(2, b'{"timer": null, "pending": 1}')) is FINISH
    result = run.result(0, None, None)
    assert result.error_type == "DeadlockError"
    assert run.lost


@pytest.mark.spec("C4.4", "C8")
@pytest.mark.parametrize("layer", ["soft", "hard"])
@pytest.mark.parametrize("limit", ["script", "wall", "fuel", "memory", "stack", "cancelled", "interrupted", "closed"])
def test_the_hosts_own_state_outweighs_what_a_guest_says(limit: str, layer: str) -> None:
    run = cell()
    run.answered(frame(0, b'{"v": 1, "t": "1"}'))
    result = run.result(9 * MS, limit, layer)
    assert not result.ok
    assert result.stop is not None
    assert (result.stop.limit, result.stop.layer) == (limit, layer)
    assert (result.value, result.has_value, result.value_text) == (None, False, "")
    assert result.error_type
    assert result.error_message
    assert result.error.startswith(f"{result.error_type}: {result.error_message}")
    assert limit in repr(result.stop)


@pytest.mark.spec("C11")
def test_a_stopped_cell_keeps_the_frames_of_the_code_that_was_running() -> None:
    run = cell()
    frames = b'[{"cell": 3, "line": 2, "column": null, "function": "f", "source": ""}, {"cell": null, "line": 9}]'
    run.answered(frame(1, b'{"e": {"type": "X", "message": "m", "text": "t", "frames": %s}}' % frames))
    result = run.result(0, "script", "soft")
    assert not result.ok
    assert [f.line for f in result.error_frames] == [2, 9]
    assert "at f (cell 3, line 2)" in result.error
    assert "at line 9" in result.error


def test_a_broken_guest() -> None:
    run = cell()
    assert run.broke(Broken("the guest crashed: x")) is FINISH
    run.state = "restored"
    result = run.result(0, None, None)
    assert not result.ok
    assert (result.error_type, result.state) == ("GuestCrash", "restored")
    assert "state before this cell" in result.notes[-1]
    assert run.lost
    run = cell()
    run.broke(Broken("out of memory", "memory"))
    limited = run.result(0, None, None)
    assert limited.stop is not None
    assert (limited.stop.limit, limited.stop.layer) == ("memory", "hard")


def test_code_that_is_not_worth_entering_the_guest_for() -> None:
    run = cell()
    assert run.refuse("SyntaxError", "empty") is FINISH
    result = run.result(0, None, None)
    assert (result.error_type, result.error_message, run.lost) == ("SyntaxError", "empty", False)


@pytest.mark.spec("B1.2")
def test_the_note_of_a_cut_limit_is_in_the_result() -> None:
    run = cell(Limits(script_ms=10**9))
    run.answered(frame(0, b'{"notes": ["of the guest"]}'))
    notes = list(run.result(0, None, None).notes)
    assert len(notes) == 2
    assert "cut to 600000" in notes[0]
