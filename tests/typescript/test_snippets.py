"""Snippets give what they give as the TypeScript compiler translates them to node (`scripts/typescript-expected`)."""

import json
from typing import Any

import pytest

from tests.typescript.snippets import EXPECTED, snippets
from wasmhost import TypeScriptRuntime

SNIPPETS = snippets()
WANTED: dict[str, dict[str, Any]] = json.loads(EXPECTED.read_text(encoding="utf-8"))


def test_there_is_an_expectation_for_each_snippet() -> None:
    assert SNIPPETS.keys() == WANTED.keys()
    assert len(SNIPPETS) >= 200


@pytest.mark.spec("A5.1", "A5.2")
@pytest.mark.parametrize("name", SNIPPETS)
def test_snippet(name: str) -> None:
    with TypeScriptRuntime() as session:
        result = session.run(SNIPPETS[name])
        assert result.ok, result.error
        assert {"stdout": result.stdout, "value": result.value} == WANTED[name]
