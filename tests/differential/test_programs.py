"""The guests do with small programs what the native interpreters do (`scripts/differential` records what that is)."""

import pytest

from tests.differential.programs import HERE, LANGUAGES, Language, differences, read, recorded, wanted

PROGRAMS = [
    pytest.param(language, name, id=f"{language.name}-{name}")
    for language in LANGUAGES.values()
    for name in language.programs()
]


@pytest.mark.spec("A4", "A6", "C10", "C11")
@pytest.mark.parametrize(("language", "name"), PROGRAMS)
def test_program(language: Language, name: str) -> None:
    path = language.programs()[name]
    assert language.on_guest(path) == read(wanted(path))


def test_there_are_many_programs_and_each_has_been_recorded() -> None:
    assert len(PROGRAMS) >= 300
    for language in LANGUAGES.values():
        programs = language.programs()
        there = {path.name.removesuffix(".guest.out").removesuffix(".out") for path in language.folder.glob("*.out")}
        assert there == programs.keys()
        assert all(recorded(path).exists() for path in programs.values())


def test_differences_are_few_and_each_has_its_cause() -> None:
    allowed = differences()
    for language in LANGUAGES.values():
        differing = {path.name.removesuffix(".guest.out") for path in language.folder.glob("*.guest.out")}
        assert differing == allowed[language.name].keys()
        assert all(len(cause) > 20 for cause in allowed[language.name].values())
        assert len(differing) <= 15
        for name in differing:
            path = language.programs()[name]
            assert read(wanted(path)) != read(recorded(path))
    limitations = " ".join((HERE.parents[1] / "docs" / "limitations.md").read_text(encoding="utf-8").split())
    for causes in allowed.values():
        for cause in causes.values():
            assert " ".join(cause.split()) in limitations
