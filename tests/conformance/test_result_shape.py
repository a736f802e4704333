"""A2: the shape of every kind of result, against its JSON schema; names exact; no value where there is none."""

import json
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pydantic
import pytest

from tests.support import strict_json
from tests.support.drivers import Driver
from tests.support.guests import Guest
from wasmhost import Limits, RuntimeFailure, RuntimeResult, RuntimeSuccess
from wasmhost.protocol.result_schema import schema_of
from wasmhost.session.session import Session

pytestmark = pytest.mark.spec("A2")

# As contract.md has them; written here again on purpose.
COMMON = {
    "ok",
    "status",
    "stdout",
    "stderr",
    "valueText",
    "valueTruncated",
    "durationMs",
    "fuel",
    "scriptMs",
    "wallMs",
    "stop",
    "state",
    "calls",
    "registeredTools",
    "media",
    "background",
    "notes",
    "outputElided",
}
OF_FAILURES = {"error", "errorType", "errorMessage", "errorFrames"}


def checked(result: RuntimeSuccess | RuntimeFailure) -> dict[str, Any]:
    """The result as JSON, held against schema, names and strictness."""
    text = result.to_json()
    assert text.isascii()
    assert "\n" not in text
    made: dict[str, Any] = strict_json.loads(text)
    assert made == json.loads(json.dumps(result.to_dict()))
    jsonschema.Draft202012Validator(schema_of(result.ok)).validate(made)
    assert made["ok"] is result.ok
    assert set(made) - {"value"} == (COMMON if result.ok else COMMON | OF_FAILURES)
    assert ("value" in made) == result.has_value
    assert made["durationMs"] >= made["scriptMs"] >= 0
    assert made["calls"] == made["registeredTools"] == made["media"] == []
    assert made["background"] == {"stdout": "", "stderr": ""}
    return made


CELLS: dict[str, tuple[str, str, bool]] = {
    "value": ("1 + 1", "1 + 1", True),
    "null": ("[None][0]", "null", True),
    "no value": ("x = 1", "var x = 1", True),
    "undefined": ("None", "undefined", True),
    "output": ("print('a')", "console.log('a')", True),
    "surrogate": ("print('a'); '\\ud800'", "'\\ud800'", True),
    "not a number": ("float('nan')", "NaN", True),
    "large": ("2 ** 200", "2n ** 200n", True),
    "opaque": ("lambda: 1", "() => 1", True),
    "deep": ("x = []\nfor _ in range(500): x = [x]\nx", "let x = []; for (let i = 0; i < 500; i++) x = [x]\nx", True),
    "cycle": ("x = []; x.append(x); x", "const x = []; x.push(x); x", True),
    "throw": ("raise ValueError('no')", "throw new TypeError('no')", False),
    "throw a surrogate": ("raise ValueError('\\ud800')", "throw new Error('\\ud800')", False),
    "throw something odd": ("raise KeyError((1, 2))", "throw {a: 1}", False),
    "syntax": ("(", "(", False),
    "empty": ("", "", False),
    "blank": (" \n\t", " \n\t", False),
    "comment only": ("# nothing", "// nothing", True),
    "surrogate in the source": ("'\ud800'", "'\ud800'", False),
    "nul in the source": ("'a\0b'", "'a\0b' + 1 +", False),
}


@pytest.mark.spec("A2.1", "A2.3")
@pytest.mark.parametrize("name", CELLS)
def test_every_kind_of_result_has_the_shape(session: Session, guest: Guest, driver: Driver, name: str) -> None:
    python, javascript, ok = CELLS[name]
    result = driver.run(session, guest.pick(python=python, javascript=javascript))
    assert result.ok is ok, result.error
    made = checked(result)
    assert made["stop"] is None
    assert made["state"] == "kept"
    assert made["status"] == "done"
    if name in ("no value", "undefined", "comment only"):
        assert "value" not in made
        assert made["valueText"] == ""


STOPS: dict[str, tuple[Limits, str, str]] = {
    "script": (Limits(script_ms=30), "script", "kept"),
    "wall": (Limits(wall_ms=30), "wall", "kept"),
    "fuel": (Limits(fuel=3_000_000), "fuel", "restored"),
}


@pytest.mark.spec("A2.2", "A3.2", "C4.3", "B2.2", "B1")
@pytest.mark.parametrize("name", STOPS)
def test_every_kind_of_stop_has_the_shape(session: Session, guest: Guest, driver: Driver, name: str) -> None:
    limits, limit, state = STOPS[name]
    result = driver.run(session, f"{guest.out('before')}\n{guest.spin}", limits=limits)
    made = checked(result)
    assert made["stop"]["limit"] == limit
    assert made["state"] == state
    assert made["stdout"] == "before\n"
    assert made["errorType"] == "TimeoutError"
    assert driver.run(session, "1 + 1").value == 2


@pytest.mark.spec("A2.1")
def test_python_names_are_those_of_the_contract(session: Session, driver: Driver) -> None:
    result = driver.run(session, "1 + 1")
    assert isinstance(result, RuntimeSuccess)
    assert isinstance(result, RuntimeResult)
    assert (result.ok, result.status, result.value, result.value_text, result.error) == (True, "done", 2, "2", None)
    for name in ("error_type", "error_message", "stop"):
        assert getattr(result, name) is None
    for name in ("calls", "registered_tools", "media", "notes", "error_frames"):
        assert len(getattr(result, name)) == 0
    assert result.background == {"stdout": "", "stderr": ""}
    assert result.output_elided == {"stdout": 0, "stderr": 0}
    assert result.fuel > 0
    assert result.wall_ms >= result.script_ms > 0
    failed = driver.run(session, "(")
    assert isinstance(failed, RuntimeFailure)
    assert failed.error
    assert (failed.value, failed.has_value) == (None, False)


def test_a_result_cannot_be_changed(session: Session) -> None:
    for code in ("1 + 1", "("):
        result = session.run(code)
        for name in ("value", "stdout", "ok", "other"):
            with pytest.raises(AttributeError):
                setattr(result, name, 1)
            with pytest.raises(AttributeError):
                delattr(result, name)


def test_a_result_can_be_shown(session: Session) -> None:
    assert repr(session.run("1 + 1")) == "RuntimeSuccess(value=2)"
    assert repr(session.run("(")).startswith("RuntimeFailure(error=")


@pytest.mark.spec("A2.1")
def test_results_are_told_apart_by_ok_for_a_type_checker(session: Session) -> None:
    result = session.run("1 + 1")
    if result.ok:
        error: None = result.error
        assert error is None
    else:
        text: str = result.error
        raise AssertionError(text)


class Reply(pydantic.BaseModel):
    result: RuntimeSuccess | RuntimeFailure


def test_a_result_can_be_a_field_of_a_model(session: Session) -> None:
    schema = Reply.model_json_schema(mode="serialization")
    for code in ("float('nan')" if session.language == "python" else "NaN", "("):
        result = session.run(code)
        reply = Reply(result=result)
        assert reply.result is result
        dumped = json.loads(reply.model_dump_json())
        assert dumped == {"result": result.to_dict()}
        jsonschema.Draft202012Validator(schema).validate(dumped)


@pytest.mark.spec("A2.2", "C5.1", "D1.5")
def test_elided_output_is_counted_in_the_result(session: Session, guest: Guest, driver: Driver) -> None:
    code = guest.pick(python="print('x' * 1000)", javascript="console.log('x'.repeat(1000))")
    result = driver.run(session, code, limits=Limits(stdout_bytes=100))
    made = checked(result)
    assert made["outputElided"] == {"stdout": 901, "stderr": 0}
    assert "901 bytes left out" in result.stdout
