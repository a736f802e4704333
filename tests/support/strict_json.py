"""A JSON reader that takes nothing beyond the standard: no NaN, no lone surrogate, no key twice, no inexact number."""

import json
from typing import Any


def _constant(word: str) -> Any:
    raise ValueError(f"{word} is no JSON")


def _number(text: str) -> int:
    value = int(text)
    if int(float(value)) != value:
        raise ValueError(f"{text} does not fit a double")
    return value


def _float(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"{text} does not fit a double")
    return value


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key stands twice")
    return made


def _walk(value: Any) -> None:
    if isinstance(value, str):
        value.encode()
    elif isinstance(value, list):
        for item in value:
            _walk(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            key.encode()
            _walk(item)


def loads(text: str | bytes) -> Any:
    """
    Raises:
        ValueError: not strict JSON.
    """
    if isinstance(text, bytes):
        text = text.decode()
    value = json.loads(text, parse_constant=_constant, parse_int=_number, parse_float=_float, object_pairs_hook=_pairs)
    _walk(value)
    return value
