"""A change that makes the host's way or a guest dearer is seen, also on a machine whose clock says nothing."""

import pytest

from .kept import image_of, jumps, measured, read, version

FIX = "if that is meant: scripts/performance writes the figures anew"


@pytest.fixture(scope="module")
def found() -> dict[str, dict[str, int]]:
    return measured()


@pytest.mark.spec("D3")
def test_guests_need_no_more_fuel_pages_and_crossings_than_they_did(found: dict[str, dict[str, int]]) -> None:
    kept = read()
    table = dict(kept[image_of(kept, found["image"]["functions"])])
    del table["functions"]
    told = jumps(table, found["guests"])
    assert not told, "\n".join([*told, FIX])


def test_the_host_executes_and_imports_no_more_than_it_did(found: dict[str, dict[str, int]]) -> None:
    kept = dict(read()["host"])
    if kept.pop("python") != version():
        pytest.skip("the figures are those of another version of Python")
    told = jumps(kept, found["host"])
    assert not told, "\n".join([*told, FIX])


def test_a_jump_is_told_and_a_little_more_is_not() -> None:
    assert jumps({"a": 100, "b": 1, "c": 40}, {"a": 105, "b": 1, "c": 20}) == []
    assert jumps({"a": 100, "b": 1}, {"a": 106, "b": 2}) == [
        "a: 106 instead of 100 (+6.0%)",
        "b: 2 instead of 1 (+100.0%)",
    ]
    assert jumps({"modules": 100}, {"modules": 101}) == ["modules: 101 instead of 100 (+1.0%)"]
    assert jumps({"a": 1}, {"b": 1}) == ["a: not measured", "b: not kept"]


def test_the_nearest_image_is_the_one_that_is_meant() -> None:
    kept = {"full": {"functions": 9302}, "fast": {"functions": 10640}}
    assert image_of(kept, 9300) == "full"
    assert image_of(kept, 10900) == "fast"
