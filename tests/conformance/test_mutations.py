"""The places of `scripts/mutate`, which CI does not run: they follow the code."""

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MUTATIONS: list[dict[str, str]] = tomllib.loads((Path(__file__).parent / "mutations.toml").read_text(encoding="utf-8"))[
    "mutation"
]


@pytest.mark.parametrize("one", MUTATIONS, ids=lambda one: f"{one['clause']} {one['file']}")
def test_a_mutation_changes_one_place_of_the_code(one: dict[str, str]) -> None:
    text = (ROOT / one["file"]).read_text(encoding="utf-8")
    assert text.count(one["old"]) == 1, one["old"]
    assert one["new"] != one["old"]
