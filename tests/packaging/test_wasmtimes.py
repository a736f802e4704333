"""Taking a new wasmtime changes the pins, the code and the metadata together."""

import re
import tomllib

import pytest
import wasmtimes
from report import BuildError

from wasmhost.sandbox._wasmtime import SUPPORTED_MAJORS

TEXTS = wasmtimes.files()
NEWEST = SUPPORTED_MAJORS[-1]
HASHES = ["ab" * 32, "cd" * 32]


def test_two_majors_are_supported_pinned_and_allowed() -> None:
    assert wasmtimes.majors() == SUPPORTED_MAJORS
    assert len(SUPPORTED_MAJORS) == 2
    assert wasmtimes.newest_pinned().startswith(f"{NEWEST}.")
    others = [name for name in TEXTS if re.fullmatch(r"requirements/wasmtime-\d+\.txt", name)]
    assert others == [f"requirements/wasmtime-{major}.txt" for major in SUPPORTED_MAJORS[:-1]]
    for major in SUPPORTED_MAJORS[:-1]:
        assert wasmtimes.newest_pinned(TEXTS[f"requirements/wasmtime-{major}.txt"]).startswith(f"{major}.")
    dependencies = tomllib.loads(TEXTS["pyproject.toml"])["project"]["dependencies"]
    assert f"wasmtime>={SUPPORTED_MAJORS[0]},<{NEWEST + 1}" in dependencies


def test_a_release_of_the_same_major_changes_pins_only() -> None:
    version = f"{NEWEST}.9.9"
    changed = wasmtimes.bumped(TEXTS, version, HASHES)
    assert set(changed) == {"requirements/runtime.in", "requirements/runtime.txt", "requirements/dev.txt"}
    for name in ("requirements/runtime.txt", "requirements/dev.txt"):
        text = changed[name]
        assert text is not None
        assert wasmtimes.newest_pinned(text) == version
        assert all(f"--hash=sha256:{digest}" in text for digest in HASHES)
        # Everything else stays.
        assert wasmtimes.BLOCK.sub("", text) == wasmtimes.BLOCK.sub("", TEXTS[name])


def test_a_new_major_drops_the_oldest_and_keeps_the_one_before() -> None:
    version = f"{NEWEST + 1}.0.0"
    changed = wasmtimes.bumped(TEXTS, version, HASHES)
    assert changed[f"requirements/wasmtime-{SUPPORTED_MAJORS[0]}.txt"] is None
    kept = changed[f"requirements/wasmtime-{NEWEST}.txt"]
    assert kept is not None
    assert kept in TEXTS["requirements/runtime.txt"]
    facade, project = changed["wasmhost/sandbox/_wasmtime.py"], changed["pyproject.toml"]
    assert facade is not None
    assert project is not None
    assert wasmtimes.majors(facade) == (NEWEST, NEWEST + 1)
    assert f'"wasmtime>={NEWEST},<{NEWEST + 2}"' in project


def test_the_version_that_is_pinned_changes_nothing() -> None:
    block = wasmtimes.BLOCK.search(TEXTS["requirements/runtime.txt"])
    assert block is not None
    hashes = re.findall(r"sha256:([0-9a-f]{64})", block["hashes"])
    assert wasmtimes.bumped(TEXTS, wasmtimes.newest_pinned(), hashes) == {}


@pytest.mark.parametrize("version", ["1.0.0", "51", "51.0.0rc1", "latest"])
def test_what_is_no_newer_version_is_refused(version: str) -> None:
    with pytest.raises(BuildError):
        wasmtimes.bumped(TEXTS, version, HASHES)
