"""What a case expects of a result: the fields of the format, each checked by itself."""

import re
from typing import Any

from tests.support import strict_json
from wasmhost import RuntimeFailure, RuntimeSuccess

Result = RuntimeSuccess | RuntimeFailure

_FIELDS = {
    "ok",
    "value",
    "value_in",
    "value_not",
    "value_text_contains",
    "value_text_regex",
    "truncated",
    "stdout",
    "stderr",
    "stdout_contains",
    "stdout_not_contains",
    "stdout_count",
    "stderr_contains",
    "stderr_or_notes_contains",
    "error_type",
    "error_contains",
    "error_contains_any",
    "error_not_contains",
    "timed_out",
    "min_wall_s",
    "max_wall_s",
    "strict_json_reply",
    "note",
    "value_note",
}


def value_of(result: Result) -> Any:
    """The value as a case writes it: JSON without our tags."""
    return _untagged(result.value)


def _untagged(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [_untagged(item) for item in value]
    if isinstance(value, dict):
        return {key: _untagged(item) for key, item in value.items()}
    return value


def problems(result: Result, expect: dict[str, Any]) -> list[str]:
    """What is not as expected."""
    unknown = expect.keys() - _FIELDS
    assert not unknown, f"fields that the runner does not know: {unknown}"
    found: list[str] = []

    def check(holds: bool, what: str) -> None:
        if not holds:
            found.append(what)

    if expect.get("ok") is not None:
        check(result.ok is expect["ok"], f"ok is {result.ok}: {result.error}")
    value, text, error = value_of(result), result.value_text, result.error or ""
    stderr_or_notes = result.stderr + "\n".join(result.notes)
    for key, wanted in expect.items():
        match key:
            case "value":
                check(_same(value, wanted), f"value is {value!r}, not {wanted!r}")
            case "value_in":
                choices = [*wanted, None] if "undefined" in wanted else wanted
                check(any(_same(value, one) for one in choices), f"value is {value!r}, none of {wanted!r}")
            case "value_not":
                check(not any(_same(value, one) for one in wanted), f"value is {value!r}")
            case "value_text_contains":
                check(all(part in text for part in wanted), f"value_text is {text!r}, without all of {wanted}")
            case "value_text_regex":
                check(re.search(wanted, text) is not None, f"value_text is {text!r}, not like {wanted}")
            case "truncated":
                check(result.value_truncated is wanted, f"value_truncated is {result.value_truncated}")
            case "stdout" | "stderr":
                check(getattr(result, key) == wanted, f"{key} is {getattr(result, key)!r}, not {wanted!r}")
            case "stdout_contains":
                check(all(part in result.stdout for part in wanted), f"stdout is {result.stdout!r}")
            case "stdout_not_contains":
                check(not any(part in result.stdout for part in wanted), f"stdout is {result.stdout!r}")
            case "stdout_count":
                check(
                    all(result.stdout.count(part) == count for part, count in wanted.items()),
                    f"stdout is {result.stdout!r}",
                )
            case "stderr_contains":
                check(all(part in result.stderr for part in wanted), f"stderr is {result.stderr!r}")
            case "stderr_or_notes_contains":
                check(all(part in stderr_or_notes for part in wanted), f"stderr and notes are {stderr_or_notes!r}")
            case "error_type":
                check(result.error_type in wanted, f"error_type is {result.error_type!r}, none of {wanted}")
            case "error_contains":
                check(all(part in error for part in wanted), f"error is {error!r}, without all of {wanted}")
            case "error_contains_any":
                check(any(part.lower() in error.lower() for part in wanted), f"error is {error!r}, none of {wanted}")
            case "error_not_contains":
                check(not any(part in error for part in wanted), f"error is {error!r}")
            case "timed_out":
                check((result.stop is not None) is wanted, f"stop is {result.stop}")
            case "min_wall_s":
                check(result.wall_ms >= wanted * 1000, f"took {result.wall_ms} ms")
            case "max_wall_s":
                check(result.wall_ms <= wanted * 1000, f"took {result.wall_ms} ms")
    strict_json.loads(result.to_json())
    return found


def _same(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, bool) or isinstance(value, bool):
        return value is wanted
    if isinstance(wanted, list):
        return isinstance(value, list) and len(value) == len(wanted) and all(map(_same, value, wanted))
    if isinstance(wanted, dict):
        return (
            isinstance(value, dict)
            and value.keys() == wanted.keys()
            and all(_same(value[k], wanted[k]) for k in wanted)
        )
    return bool(value == wanted)
