"""Stages: built once, built again when an input changes, never taken half done."""

from collections.abc import Callable
from pathlib import Path

import pytest


def store(root: Path):  # type: ignore[no-untyped-def]
    from report import Reporter
    from stage import Store

    return Store(root, Reporter())


def counting(counts: list[str], name: str) -> Callable[[Path, Path], None]:
    def build(folder: Path, log: Path) -> None:
        assert list(folder.iterdir()) == []
        counts.append(name)
        (folder / "result").write_text(name, encoding="ascii")

    return build


def test_a_result_is_built_once_and_its_needs_before_it(tmp_path: Path) -> None:
    from stage import Key

    counts: list[str] = []
    for _ in range(2):
        keep = store(tmp_path)
        first = keep.stage("first", "", Key().text(1), counting(counts, "first"))
        second = keep.stage("second", "", Key().text(1), counting(counts, "second"), needs=[first])
        keep.run([second])
    assert counts == ["first", "second"]
    changed = keep.stage("first", "", Key().text(2), counting(counts, "first again"))
    assert keep.stage("second", "", Key().text(1), counting(counts, ""), needs=[changed]).key != second.key


def test_an_interrupted_stage_starts_from_nothing(tmp_path: Path) -> None:
    from stage import Key

    counts: list[str] = []

    def stopped(folder: Path, log: Path) -> None:
        (folder / "half").write_text("", encoding="ascii")
        raise KeyboardInterrupt

    keep = store(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        keep.run([keep.stage("one", "", Key(), stopped)])
    again = keep.stage("one", "", Key(), counting(counts, "one"))
    assert not again.done
    keep.run([again])
    assert counts == ["one"]
    assert again.done


def test_a_file_that_changes_meanwhile_spoils_the_result(tmp_path: Path) -> None:
    from report import BuildError
    from stage import Key

    source = tmp_path / "source.c"
    source.write_text("before", encoding="ascii")

    def editing(folder: Path, log: Path) -> None:
        source.write_text("after", encoding="ascii")

    keep = store(tmp_path / "cache")
    stage = keep.stage("one", "", Key().file(source), editing)
    with pytest.raises(BuildError, match=r"source\.c was changed"):
        keep.run([stage])
    assert not stage.done


def test_a_failure_names_the_stage(tmp_path: Path) -> None:
    from report import BuildError
    from stage import Key

    def failing(folder: Path, log: Path) -> None:
        raise BuildError("no luck")

    keep = store(tmp_path)
    with pytest.raises(BuildError, match="one failed: no luck"):
        keep.run([keep.stage("one", "", Key(), failing)])


def test_the_last_lines_of_a_failed_command_are_shown(tmp_path: Path) -> None:
    import process

    log = tmp_path / "log"
    with pytest.raises(process.CommandFailed, match=r"(?s)status 3.*\| forty-two.*whole log"):
        process.run(["sh", "-c", "echo forty-two; exit 3"], log=log)


def test_keys_tell_parts_from_one_another() -> None:
    from stage import Key

    assert Key().text("ab", "c").digest() != Key().text("a", "bc").digest()
