"""Hooks that are programs: what they are told, what they may answer, and that whatever else they do denies."""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.drivers import Driver
from tests.support.guests import Guest
from tests.support.tools import call, caught
from wasmhost import Allow, ApprovalRequest, CapabilityDefinitionError, CommandHook, Hooks, Policy, capability

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="commands as hooks need a POSIX system"),
    pytest.mark.spec("S13"),
]


@capability(name="notes.write")
def write(text: str | bytes, times: int = 1) -> str:
    """Writes a note."""
    made.append((text, times))
    if text == "fail":
        raise ValueError("no room")
    return f"wrote {text!r} {times}"


made: list[Any] = []


@pytest.fixture(autouse=True)
def _empty() -> None:
    made.clear()


class Program:
    """A little program of Python, and what it was told."""

    def __init__(self, folder: Path, body: str) -> None:
        self.told = folder / "told"
        self.path = folder / "hook.py"
        head = f"#!{sys.executable} -IS\nimport json, os, sys, time\ntold = sys.stdin.read()\n"
        head += f"open({str(self.told)!r}, 'a').write(told)\ncall = json.loads(told)\n"
        self.path.write_text(f"{head}{body}\n")
        self.path.chmod(0o700)

    def hook(self, **options: Any) -> CommandHook:
        return CommandHook([self.path], **{"timeout": 20, **options})

    @property
    def calls(self) -> list[Any]:
        return [json.loads(line) for line in self.told.read_text().splitlines()] if self.told.exists() else []


def answers(folder: Path, reply: Any) -> Program:
    return Program(folder, f"print({json.dumps(reply)!r})")


def session_with(guest: Guest, hooks: Hooks, **options: Any) -> Any:
    return guest.runtime(capabilities=[write], hooks=hooks, **{"policy": "allow", **options})


def outcome(guest: Guest, hooks: Hooks, text: str = "a", **options: Any) -> tuple[Any, Any]:
    """What the guest got, and the record."""
    with session_with(guest, hooks, **options) as session:
        result = session.run(caught(guest, call(guest, "notes.write", sync=True, text=text)))
    assert result.ok, result.error
    (record,) = result.calls
    return result.value, record


@pytest.mark.spec("B10.4")
def test_a_command_sees_each_event_of_a_call(guest: Guest, driver: Driver, tmp_path: Path) -> None:
    program = answers(tmp_path, {})
    hook = program.hook()
    hooks = Hooks(pre=hook, post=hook, failure=hook, timeout=30)
    with session_with(guest, hooks) as session:
        assert driver.value(session, call(guest, "notes.write", sync=True, text="a")) == "wrote 'a' 1"
        driver.value(session, caught(guest, call(guest, "notes.write", sync=True, text="fail")))
    first, second, third, fourth = program.calls
    common = {"version": 1, "id": first["id"], "name": "notes.write", "input": {"text": "a", "times": 1}}
    assert first == {**common, "event": "pre"}
    assert second == {**common, "event": "post", "result": "wrote 'a' 1"}
    assert (third["event"], fourth["event"]) == ("pre", "failure")
    assert fourth["error"] == {"type": "ValueError", "message": "no room"}


@pytest.mark.spec("B10.4")
def test_a_command_denies_with_its_reason(guest: Guest, driver: Driver, tmp_path: Path) -> None:
    program = answers(tmp_path, {"decision": "deny", "reason": "not\non Sundays", "note": "rule 7"})
    with session_with(guest, Hooks(pre=program.hook(), timeout=30)) as session:
        result = driver.run(session, caught(guest, call(guest, "notes.write", sync=True, text="a")))
    assert result.value == ["PermissionError", "notes.write was denied: not\\x0aon Sundays"]
    assert (result.calls[0].state, result.calls[0].notes) == ("denied", ["rule 7"])
    assert made == []


@pytest.mark.spec("B10.4", "B10.5")
def test_a_command_allows_or_has_a_person_asked(guest: Guest, tmp_path: Path) -> None:
    program = answers(tmp_path, {"decision": "allow"})
    assert outcome(guest, Hooks(pre=program.hook(), timeout=30), policy=None)[0] == "wrote 'a' 1"
    denied = outcome(guest, Hooks(pre=program.hook(), timeout=30), policy=Policy(deny=["*"]))
    assert denied[0][0] == "PermissionError"
    asked: list[str] = []

    def ask(request: ApprovalRequest) -> Allow:
        asked.append(request.reason)
        return Allow()

    program = answers(tmp_path, {"decision": "ask"})
    assert outcome(guest, Hooks(pre=program.hook(), timeout=30), approve=ask)[0] == "wrote 'a' 1"
    assert asked == ["a hook asks"]


@pytest.mark.spec("B10.4")
def test_a_command_rewrites_the_input_and_it_is_validated_again(guest: Guest, tmp_path: Path) -> None:
    program = answers(tmp_path, {"input": {"text": "b", "times": 3}})
    value, record = outcome(guest, Hooks(pre=program.hook(), timeout=30))
    assert value == "wrote 'b' 3"
    assert record.input == {"text": "b", "times": 3}
    program = answers(tmp_path, {"input": {"text": "b", "times": "many"}})
    (kind, message), _ = outcome(guest, Hooks(pre=program.hook(), timeout=30))
    assert (kind, "as a hook rewrote it" in message) == ("TypeError", True)


@pytest.mark.spec("B10.4")
def test_values_that_json_does_not_have_go_there_and_back(guest: Guest, tmp_path: Path) -> None:
    program = Program(tmp_path, "call['input']['times'] += 1\nprint(json.dumps({'input': call['input']}))")
    with session_with(guest, Hooks(pre=program.hook(), timeout=30)) as session:
        text = guest.pick(python="b'\\xff\\0'", javascript="new Uint8Array([255, 0])")
        value = session.run(
            f"tools.notes.write({text})" if guest.name == "python" else f"await tools.notes.write({text})"
        )
    assert value.value == "wrote b'\\xff\\x00' 2"
    assert program.calls[0]["input"]["text"] == {"$wasmhost": "bytes", "v": "/wA="}


@pytest.mark.spec("B10.9")
def test_a_command_replaces_or_withholds_a_result(guest: Guest, driver: Driver, tmp_path: Path) -> None:
    program = answers(tmp_path, {"result": {"kept": [1, None]}, "note": "cleaned"})
    with session_with(guest, Hooks(post=program.hook(), timeout=30)) as session:
        result = driver.run(session, call(guest, "notes.write", sync=True, text="a"))
    assert result.value == {"kept": [1, None]}
    assert result.calls[0].notes == ["cleaned"]
    program = answers(tmp_path, {"decision": "deny", "reason": "it has a key in it"})
    (kind, message), record = outcome(guest, Hooks(post=program.hook(), timeout=30))
    assert kind == "PermissionError"
    assert message == "notes.write was made, but its result is withheld: it has a key in it"
    assert (record.state, record.executed) == ("completed", True)


BAD = {
    "exit code": "print('{}'); sys.exit(3)",
    "signal": "print('{}', flush=True); os.kill(os.getpid(), 9)",
    "nothing": "",
    "no JSON": 'print(\'{"decision": "allow"\')',
    "two texts": "print('{} {}')",
    "a list": "print('[]')",
    "a word": "print('\"allow\"')",
    "unknown key": 'print(\'{"decison": "deny"}\')',
    "unknown decision": 'print(\'{"decision": "perhaps"}\')',
    "decision of another type": 'print(\'{"decision": ["allow"]}\')',
    "reason alone": 'print(\'{"reason": "x"}\')',
    "reason of another type": 'print(\'{"decision": "allow", "reason": 7}\')',
    "input of another type": "print('{\"input\": [1]}')",
    "result before the call": "print('{\"result\": 1}')",
    "unknown tag": 'print(\'{"input": {"text": {"$wasmhost": "opaque", "v": 1}}}\')',
    "damaged tag": 'print(\'{"input": {"text": {"$wasmhost": "bytes", "v": 1}}}\')',
    "damaged base64": 'print(\'{"input": {"text": {"$wasmhost": "bytes", "v": "*"}}}\')',
    "huge integer": 'print(\'{"input": {"times": {"$wasmhost": "int", "v": "\' + \'9\' * 100000 + \'"}}}\')',
    "huge number": "print('{\"input\": {\"times\": ' + '9' * 100000 + '}}')",
    "NaN": 'print(\'{"input": {"times": NaN}}\')',
    "deep": "print('{\"input\": ' + '[' * 200000 + ']' * 200000 + '}')",
    "not UTF-8": 'sys.stdout.buffer.write(b\'{"note": "\\xff"}\')',
    "too much": "while True: print(' ' * 100000)",
    "too much and silent": "print(' ' * 1048576 + '{}')",
}


@pytest.mark.spec("B10.4", "B10.9")
@pytest.mark.parametrize("name", BAD)
def test_whatever_else_a_command_does_fails_closed(python_guest: Guest, tmp_path: Path, name: str) -> None:
    program = Program(tmp_path, BAD[name])
    (kind, message), record = outcome(python_guest, Hooks(pre=program.hook(), timeout=30))
    assert kind == "PermissionError"
    assert message.startswith("notes.write was denied: a hook command ")
    assert str(tmp_path) not in message
    assert made == []
    if name == "result before the call":
        return
    (kind, message), record = outcome(python_guest, Hooks(post=program.hook(), timeout=30))
    assert kind == "PermissionError"
    assert "its result is withheld: a hook command " in message
    assert (record.state, made) == ("completed", [("a", 1)])


@pytest.fixture
def python_guest() -> Guest:
    from tests.support.guests import GUESTS

    return GUESTS["python"]


@pytest.mark.spec("B10.4")
@pytest.mark.parametrize("body", ["time.sleep(600)", "os.close(1); os.close(2); time.sleep(600)", "while True: pass"])
def test_a_command_that_does_not_answer_is_ended(guest: Guest, driver: Driver, tmp_path: Path, body: str) -> None:
    program = Program(tmp_path, f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\n{body}")
    with session_with(guest, Hooks(pre=program.hook(timeout=1), timeout=30)) as session:
        result = driver.run(session, caught(guest, call(guest, "notes.write", sync=True, text="a")))
    assert result.value == ["PermissionError", "notes.write was denied: a hook command did not answer within 1 s"]
    assert is_gone(int((tmp_path / "pid").read_text()))


@pytest.mark.spec("B10.4")
def test_what_a_command_leaves_behind_is_ended_and_not_waited_for(guest: Guest, tmp_path: Path) -> None:
    script = tmp_path / "hook.sh"
    script.write_text(f'#!/bin/sh\nsleep 600 &\necho $! > {tmp_path}/pid\necho \'{{"note": "fine"}}\'\n')
    script.chmod(0o700)
    value, record = outcome(guest, Hooks(pre=CommandHook([script], timeout=20), timeout=30))
    assert value == "wrote 'a' 1"
    assert record.notes == ["fine"]
    assert is_gone(int((tmp_path / "pid").read_text()))


def is_gone(pid: int) -> bool:
    """Whether a process ends; a zombie that nobody reaps counts as ended."""
    for _ in range(200):
        try:
            os.kill(pid, 0)
            if Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].startswith("Z"):
                return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.spec("B10.4")
def test_stderr_is_cut_and_only_in_the_notes(guest: Guest, tmp_path: Path) -> None:
    body = "sys.stderr.write('\\x1b[2Jlook out\\n' + 'x' * 1000000); sys.stderr.flush(); print('{}')"
    value, record = outcome(guest, Hooks(pre=Program(tmp_path, body).hook(), timeout=30))
    assert value == "wrote 'a' 1"
    (note,) = record.notes
    assert note.startswith("stderr: \\x1b[2Jlook out\\x0axxx")
    assert note.endswith("x [cut here]")
    assert len(note) < 5_000
    failing = Program(tmp_path, "sys.stderr.write('because'); sys.exit(2)")
    (_, message), record = outcome(guest, Hooks(pre=failing.hook(), timeout=30))
    assert message == "notes.write was denied: a hook command ended with exit code 2"
    assert record.notes == ["stderr: because"]


@pytest.mark.spec("B10.4")
def test_a_command_need_not_read_what_it_is_told(guest: Guest, tmp_path: Path) -> None:
    script = tmp_path / "hook.sh"
    script.write_text("#!/bin/sh\necho '{}'\n")
    script.chmod(0o700)
    hooks = Hooks(pre=CommandHook([script], timeout=20), timeout=30)
    code = guest.pick(
        python="len(tools.notes.write('x' * 4_000_000))",
        javascript="(await tools.notes.write('x'.repeat(4_000_000))).length",
    )
    with session_with(guest, hooks) as session:
        result = session.run(code)
    assert result.value == 4_000_010, result.error


@pytest.mark.spec("B10.4")
def test_environment_folder_and_arguments_are_those_given(
    guest: Guest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_THE_HOST", "s")
    body = (
        "alone = os.getsid(0) == os.getpid()\n"
        "print(json.dumps({'note': json.dumps([sorted(os.environ), os.getcwd(), sys.argv[1:], alone])}))"
    )
    program = Program(tmp_path, body)
    _, record = outcome(guest, Hooks(pre=CommandHook([program.path, "a b", "$HOME; id"], timeout=20), timeout=30))
    names, folder, arguments, alone = json.loads(record.notes[0])
    assert set(names) <= {"LC_CTYPE"}  # Python itself sets it
    assert (folder, arguments, alone) == ("/", ["a b", "$HOME; id"], True)
    hook = program.hook(env={"MODE": "strict"}, cwd=tmp_path)
    _, record = outcome(guest, Hooks(pre=hook, timeout=30))
    names, folder, _, _ = json.loads(record.notes[0])
    assert ("MODE" in names, folder) == (True, str(tmp_path.resolve()))


@pytest.mark.spec("B10.4")
def test_events_and_names_choose_what_it_is_asked_about(guest: Guest, tmp_path: Path) -> None:
    program = answers(tmp_path, {"decision": "deny"})
    for options in ({"events": ["post"]}, {"names": ["fs.*", "notes.read"]}):
        assert outcome(guest, Hooks(pre=program.hook(**options), timeout=30))[0] == "wrote 'a' 1"
    assert program.calls == []
    assert outcome(guest, Hooks(pre=program.hook(names=["notes.*"]), timeout=30))[0][0] == "PermissionError"


@pytest.mark.spec("B10.4")
def test_a_program_that_goes_away_denies(guest: Guest, tmp_path: Path) -> None:
    program = answers(tmp_path, {})
    hook = program.hook()
    program.path.unlink()
    (kind, message), _ = outcome(guest, Hooks(pre=hook, timeout=30))
    assert (kind, "could not be started" in message) == ("PermissionError", True)
    assert str(tmp_path) not in message


def test_commands_that_are_none(tmp_path: Path) -> None:
    program = answers(tmp_path, {})
    plain = tmp_path / "plain"
    plain.write_text("")
    bad: list[tuple[Any, dict[str, Any]]] = [
        ("/bin/true", {}),
        ([], {}),
        (["true"], {}),
        (["./hook"], {}),
        ([plain], {}),
        ([tmp_path], {}),
        ([tmp_path / "none"], {}),
        ([program.path], {"timeout": 0}),
        ([program.path], {"events": "pre"}),
        ([program.path], {"events": ["before"]}),
        ([program.path], {"names": "notes.*"}),
    ]
    for argv, options in bad:
        with pytest.raises(CapabilityDefinitionError):
            CommandHook(argv, **options)
    with pytest.raises(CapabilityDefinitionError, match="has 20 s"):
        Hooks(pre=program.hook())
