"""The open cases: programs that broke other systems, each reported by its id. The format stands in ``FORMAT.md``."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.cases.expectation import problems, value_of
from tests.cases.tools import ERROR_WILL_DO, OF_CASE, Tools
from tests.support.drivers import DRIVERS, Driver
from tests.support.guests import GUESTS
from wasmhost import JavaScriptRuntime, Limits, PythonRuntime, TypeScriptRuntime

HERE = Path(__file__).parent
CASES: dict[str, dict[str, Any]] = {
    case["id"]: case for case in map(json.loads, (HERE / "open.jsonl").read_text().splitlines())
}
WAITING: dict[str, str] = tomllib.loads((HERE / "waiting.toml").read_text())["waiting"]
RUNTIMES = {"python": PythonRuntime, "javascript": JavaScriptRuntime, "typescript": TypeScriptRuntime}
LANGUAGES = {"py": "python", "js": "javascript", "ts": "typescript"}


def run(case: dict[str, Any], driver: Driver) -> list[str]:
    """What is not as the case expects."""
    language = LANGUAGES.get(case["lang"])
    if language is None:
        return [f"no runtime for {case['lang']}"]
    tools = OF_CASE[case["id"]]() if case["tools"] else Tools()
    given = case.get("limits") or {}
    limits = Limits(
        script_ms=given.get("script_timeout_s", 5) * 1000,
        wall_ms=given.get("wall_timeout_s", 60) * 1000,
        memory_bytes=given.get("memory_mb", 256) << 20,
        parallel_calls=given.get("max_parallel_tool_calls"),
    )
    found = []
    results = []
    options = {"capabilities": tools.capabilities, **tools.options} if case["tools"] else {}
    with RUNTIMES[language](limits=limits, **options) as session:
        for number, (code, expect) in enumerate(zip(case["cells"], case["expect"], strict=True), 1):
            result = driver.run(session, code)
            results.append(result)
            told = ERROR_WILL_DO.get((case["id"], number))
            if told is not None and not result.ok and told in (result.error or ""):
                continue
            found += [f"cell {number}: {text}" for text in problems(result, expect)]
    return found + tools._checks(results)


# Strict: one that passes all the same is an error.
PARAMETERS = [
    pytest.param(name, marks=pytest.mark.xfail(strict=True, reason=WAITING[name])) if name in WAITING else name
    for name in CASES
]


@pytest.mark.parametrize("name", PARAMETERS)
def test_case(name: str, driver: Driver) -> None:
    assert run(CASES[name], driver) == [], f"{name}, {CASES[name]['title']}"


def test_every_case_that_waits_is_a_case() -> None:
    assert WAITING.keys() <= CASES.keys()
    assert all(WAITING.values())


@pytest.mark.spec("B20")
def test_host_08_draws_differ_in_every_column() -> None:
    (code,) = CASES["host-08"]["cells"]
    rows = []
    for driver in [*DRIVERS.values()] * 3:
        with GUESTS["python"].runtime() as session:
            result = driver.run(session, code)
            assert result.ok, result.error
            rows.append(value_of(result))
    for column in zip(*rows, strict=True):
        assert len(set(column)) == len(rows)


def test_py_19_a_fresh_session_shows_no_names_of_the_machinery() -> None:
    with GUESTS["python"].runtime() as session:
        assert session.run(CASES["py-19"]["cells"][0]).value == []


def test_py_21_the_clock_is_now() -> None:
    import time

    with GUESTS["python"].runtime() as session:
        assert abs(session.run(CASES["py-21"]["cells"][-1]).value - time.time()) < 5


def test_js_07_part_of_a_buffer_is_that_part() -> None:
    with GUESTS["javascript"].runtime() as session:
        assert session.run("new Uint8Array([0, 1, 2, 250]).subarray(1, 4)").value == b"\x01\x02\xfa"
