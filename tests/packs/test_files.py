"""The files pack as guests use it."""

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.support.drivers import Driver
from tests.support.guests import Guest
from wasmhost import Capability
from wasmhost.packs import files

from .conftest import Open


@pytest.fixture(autouse=True)
def _both_ways(walker: str) -> None:
    """Every test here runs with both."""


@pytest.mark.spec("B9.1")
def test_a_file_is_read_written_and_edited(opened: Open, root: Path) -> None:
    ask = opened(files(root, write=True))
    assert ask("Read", path="docs/a.txt") == "alpha\nbeta\ngamma\n"
    assert ask("Write", path="new/deep/b.txt", content="über\n") == {
        "path": "new/deep/b.txt",
        "bytes": 6,
        "created": True,
    }
    assert (root / "new/deep/b.txt").read_text() == "über\n"
    assert ask("Write", path="new/deep/b.txt", content="x\ny\n")["created"] is False
    assert ask("Edit", path="new/deep/b.txt", old="x", new="z") == {"path": "new/deep/b.txt", "replaced": 1}
    assert ask("Read", path="new/deep/b.txt") == "z\ny\n"
    assert sorted(os.listdir(root / "new/deep")) == ["b.txt"]


@pytest.mark.spec("B9.1")
def test_bytes_are_written_as_they_are(opened: Open, root: Path, guest: Guest) -> None:
    ask = opened(files(root, write=True))
    code = guest.pick(
        python="tools.Write('b.bin', bytes([0, 255, 10]))",
        javascript="await tools.Write({ path: 'b.bin', content: new Uint8Array([0, 255, 10]) })",
    )
    assert ask.session.run(code).value == {"path": "b.bin", "bytes": 3, "created": True}
    assert (root / "b.bin").read_bytes() == b"\x00\xff\n"


@pytest.mark.spec("B9.1")
@pytest.mark.parametrize(
    ("offset", "limit", "text"),
    [
        (1, 1, "alpha\n"),
        (2, None, "beta\ngamma\n"),
        (None, 2, "alpha\nbeta\n"),
        (2, 1, "beta\n"),
        (3, 10, "gamma\n"),
        (4, None, ""),
        (10**9, 10**9, ""),
    ],
)
def test_a_part_of_a_file_is_read_by_lines(
    opened: Open, root: Path, offset: int | None, limit: int | None, text: str
) -> None:
    given: dict[str, Any] = {name: v for name, v in (("offset", offset), ("limit", limit)) if v is not None}
    assert opened(files(root))("Read", path="docs/a.txt", **given) == text


def test_lines_across_blocks(opened: Open, root: Path) -> None:
    (root / "long.txt").write_text("".join(f"{number:07}\n" for number in range(100_000)))
    ask = opened(files(root, read_bytes=100))
    assert ask("Read", path="long.txt", offset=32_768, limit=2) == "0032767\n0032768\n"
    assert ask("Read", path="long.txt", offset=99_999) == "0099998\n0099999\n"
    assert ask.refused("Read", path="long.txt", offset=2)[0] == "ValueError"


@pytest.mark.parametrize(("offset", "limit"), [(0, None), (-1, None), (None, 0), (None, -5)])
def test_lines_count_from_one(opened: Open, root: Path, offset: int | None, limit: int | None) -> None:
    given: dict[str, Any] = {name: v for name, v in (("offset", offset), ("limit", limit)) if v is not None}
    kind, message = opened(files(root)).refused("Read", path="docs/a.txt", **given)
    assert kind == "TypeError"
    assert "greater than or equal to 1" in message


@pytest.mark.spec("B9.1")
def test_an_edit_says_what_is_wrong_and_changes_nothing_then(opened: Open, root: Path) -> None:
    ask = opened(files(root, write=True, write_bytes=1_000))
    (root / "e.txt").write_text("a b a\r\n")
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"old": "x", "new": "y"}, "does not have the old text"),
        ({"old": "a", "new": "y"}, "2 times"),
        ({"old": "", "new": "y"}, "old is empty"),
        ({"old": "a", "new": "a"}, "the same"),
        ({"old": "a", "new": "y" * 999, "all": True}, "more than 1000 bytes"),
    ]
    for arguments, told in wrong:
        kind, message = ask.refused("Edit", path="e.txt", **arguments)
        assert kind == "ValueError"
        assert told in message
    assert (root / "e.txt").read_bytes() == b"a b a\r\n"
    assert ask("Edit", path="e.txt", old="a", new="c", all=True)["replaced"] == 2
    assert (root / "e.txt").read_bytes() == b"c b c\r\n"


@pytest.mark.spec("B9.1")
@pytest.mark.parametrize(
    ("pattern", "path", "found"),
    [
        ("*.md", ".", ["README.md"]),
        ("*", ".", [".hidden", "README.md"]),
        ("**", "src", ["src/lib/util.js", "src/lib/util.py", "src/main.py"]),
        ("**/*.py", ".", ["src/lib/util.py", "src/main.py"]),
        ("src/**/*.{py,js}", ".", ["src/lib/util.js", "src/lib/util.py", "src/main.py"]),
        ("src/**/util.py", ".", ["src/lib/util.py"]),
        ("s?c/m*n.[o-q]y", ".", ["src/main.py"]),
        ("[!s]*/*", ".", ["docs/a.txt"]),
        ("lib/*.js", "src", ["src/lib/util.js"]),
        ("*/", ".", ["docs", "src"]),
        ("**/", ".", ["docs", "src", "src/lib"]),
        (".git/*", ".", [".git/config"]),
        ("*", ".git", [".git/config"]),
        ("nothing/*", ".", []),
        ("{docs,src/lib}/*", ".", ["docs/a.txt", "src/lib/util.js", "src/lib/util.py"]),
        ("*.MD", ".", []),
        ("./src//main.py", ".", ["src/main.py"]),
    ],
)
def test_paths_are_found_by_pattern(opened: Open, root: Path, pattern: str, path: str, found: list[str]) -> None:
    assert opened(files(root))("Glob", pattern=pattern, path=path) == found


@pytest.mark.spec("B9.1")
def test_lines_are_found_in_order(opened: Open, root: Path) -> None:
    ask = opened(files(root))
    found = ask("Grep", pattern=r"old\.call\(\d\)$")
    assert found == {
        "matches": [
            {"path": "src/lib/util.js", "line": 1, "text": "old.call(3)"},
            {"path": "src/lib/util.py", "line": 2, "text": "    return old.call(2)"},
            {"path": "src/main.py", "line": 2, "text": "old.call(1)"},
        ],
        "files": ["src/lib/util.js", "src/lib/util.py", "src/main.py"],
        "truncated": False,
    }


@pytest.mark.spec("B9.1")
@pytest.mark.parametrize(
    ("arguments", "paths", "truncated"),
    [
        ({"pattern": "OLD"}, [], False),
        ({"pattern": "OLD", "ignore_case": True, "path": "src/main.py"}, ["src/main.py"], False),
        ({"pattern": "old", "glob": "*.py"}, ["src/lib/util.py", "src/main.py"], False),
        ({"pattern": "old", "glob": "src/*"}, ["src/main.py"], False),
        ({"pattern": "old", "path": "src", "glob": "lib/*.{js,ts}"}, ["src/lib/util.js"], False),
        ({"pattern": "old", "path": ".git"}, [".git/config"], False),
        ({"pattern": "old", "limit": 1}, [".hidden"], True),
        ({"pattern": "hidden|read me", "limit": 2}, [".hidden", "README.md"], False),
        ({"pattern": "^last$"}, ["src/lib/util.js"], False),
        (
            {"pattern": r"\Aread|me\z|(?-m:^alpha$)", "files_only": True},
            ["README.md", "docs/a.txt"],
            False,
        ),
    ],
)
def test_what_is_searched_can_be_narrowed(
    opened: Open, root: Path, arguments: dict[str, Any], paths: list[str], truncated: bool
) -> None:
    found = opened(files(root))("Grep", **arguments)
    assert (found["files"], found["truncated"]) == (paths, truncated)


def test_files_alone(opened: Open, root: Path) -> None:
    found = opened(files(root))("Grep", pattern="old", files_only=True, limit=2)
    assert found == {"matches": [], "files": [".hidden", "src/lib/util.js"], "truncated": True}


def test_a_long_line_is_cut_visibly_and_told_once(opened: Open, root: Path) -> None:
    (root / "long.txt").write_text("first\n" + "ab" * 300_000 + "\nend\n")
    found = opened(files(root))("Grep", pattern="ab|end", path="long.txt")
    assert [match["line"] for match in found["matches"]] == [2, 3]
    assert found["matches"][0]["text"].startswith("abab")
    assert "more characters]" in found["matches"][0]["text"]
    assert len(found["matches"][0]["text"]) < 1_100


def test_what_is_no_text_is_not_searched_and_not_read(opened: Open, root: Path) -> None:
    (root / "a.bin").write_bytes(b"old.call\n\0\n")
    (root / "latin.txt").write_bytes(b"old.call caf\xe9\n")
    ask = opened(files(root))
    assert "a.bin" not in ask("Grep", pattern="old")["files"]
    assert ask("Grep", pattern="caf.$")["files"] == ["latin.txt"]
    kind, message = ask.refused("Read", path="latin.txt")
    assert kind == "ValueError"
    assert "is not text: UTF-8 ends at byte 12" in message


@pytest.mark.spec("B9.1")
@pytest.mark.parametrize(
    ("tool", "arguments", "kind", "told"),
    [
        ("Read", {"path": "no.txt"}, "FileNotFoundError", "'no.txt' is not there"),
        ("Read", {"path": "src"}, "IsADirectoryError", "'src' is a folder"),
        ("Read", {"path": "."}, "IsADirectoryError", "'.' is a folder"),
        ("Read", {"path": "README.md/x"}, "NotADirectoryError", "'README.md' is no folder"),
        ("Read", {"path": ""}, "ValueError", "path is empty"),
        ("Write", {"path": "src", "content": ""}, "IsADirectoryError", "'src' is a folder"),
        ("Write", {"path": ".", "content": ""}, "IsADirectoryError", "'.' is a folder"),
        ("Write", {"path": "README.md/x", "content": ""}, "NotADirectoryError", "no folder"),
        ("Edit", {"path": "no.txt", "old": "a", "new": "b"}, "FileNotFoundError", "not there"),
        ("Glob", {"pattern": "*", "path": "no"}, "FileNotFoundError", "'no' is not there"),
        ("Glob", {"pattern": "*", "path": "README.md"}, "NotADirectoryError", "no folder"),
        ("Grep", {"pattern": "a", "path": "no"}, "FileNotFoundError", "'no' is not there"),
        ("Grep", {"pattern": "(a"}, "ValueError", "unclosed group"),
        ("Grep", {"pattern": "(?=a)"}, "ValueError", "look-around"),
        ("Grep", {"pattern": "a{"}, "ValueError", "no repetition"),
        ("Glob", {"pattern": ""}, "ValueError", "is empty"),
    ],
)
def test_errors_name_the_path_and_what_is_wrong(
    opened: Open, root: Path, tool: str, arguments: dict[str, Any], kind: str, told: str
) -> None:
    ask = opened(files(root, write=True))
    found, message = ask.refused(tool, **arguments)
    assert (found, told in message) == (kind, True), message
    assert str(root) not in message


def test_without_write_nothing_can_be_written(opened: Open, root: Path) -> None:
    pack = files(root)
    assert [one.name for one in pack] == ["Read", "Glob", "Grep"]
    assert all(one.read_only for one in pack)
    assert "cannot be written" in " ".join(pack.guide)
    assert [one.name for one in files(root, write=True) if not one.read_only] == ["Write", "Edit"]
    # Reading is allowed by the default policy, writing is asked about.
    ask = opened(files(root, write=True), policy=None)
    assert ask("Read", path="README.md") == "read me\n"
    assert ask.refused("Write", path="README.md", content="")[0] == "PermissionError"
    assert (root / "README.md").read_text() == "read me\n"


@pytest.mark.spec("B13")
def test_the_native_timeout_is_ten_seconds(root: Path) -> None:
    def timeouts(pack: Any) -> set[float | None]:
        return {one.timeout for one in pack if isinstance(one, Capability)}

    assert timeouts(files(root, write=True)) == {10}
    assert timeouts(files(root, timeout=2)) == {2}


def test_files_work_with_every_driver(opened: Open, root: Path, driver: Driver) -> None:
    ask = opened(files(root, write=True), driver=driver)
    ask("Write", path="d.txt", content=driver.name)
    assert ask("Read", path="d.txt") == driver.name
    assert ask("Glob", pattern="d.*") == ["d.txt"]
    assert ask("Grep", pattern=driver.name)["files"] == ["d.txt"]


def test_a_file_that_is_replaced_keeps_its_mode(opened: Open, root: Path) -> None:
    script = root / "run.sh"
    script.write_text("old")
    script.chmod(0o754)
    ask = opened(files(root, write=True))
    ask("Write", path="run.sh", content="new")
    assert stat.S_IMODE(script.stat().st_mode) == 0o754
    ask("Edit", path="run.sh", old="new", new="newer")
    assert stat.S_IMODE(script.stat().st_mode) == 0o754
    script.chmod(0o4755)
    ask("Write", path="run.sh", content="evil")
    assert stat.S_IMODE(script.stat().st_mode) == 0o755
    ask("Write", path="plain.txt", content="new")
    reference = root / "reference.txt"
    reference.write_text("")
    assert (root / "plain.txt").stat().st_mode == reference.stat().st_mode


@pytest.mark.spec("B9.2")
def test_rules_about_paths_see_one_spelling(opened: Open, root: Path) -> None:
    from wasmhost import Policy, Rule

    policy = Policy([Rule("Read", "deny", {"path": "docs/*"})], allow=["*"])
    ask = opened(files(root), policy=policy)
    for path in ("docs/a.txt", "./docs//a.txt", "src/../docs/a.txt", "docs/./x/../a.txt"):
        assert ask.refused("Read", path=path)[0] == "PermissionError"
    result = ask.session.run(ask.expression("Read", path="src/lib/../main.py"))
    assert result.calls[0].input["path"] == "src/main.py"
    assert ask("Read", path="src/main.py/") == "import old\nold.call(1)\n"


def test_parallel_edits_do_not_undo_each_other(opened: Open, root: Path, guest: Guest) -> None:
    (root / "list.txt").write_text("".join(f"<{number}>" for number in range(40)))
    ask = opened(files(root, write=True))
    code = guest.pick(
        python="import asyncio\nawait asyncio.gather(*(tools.Edit.start('list.txt', f'<{n}>', f'[{n}]')"
        " for n in range(40)))\n1",
        javascript="await Promise.all(Array.from({ length: 40 }, (_, n) =>"
        " tools.Edit({ path: 'list.txt', old: `<${n}>`, new: `[${n}]` }))); 1",
    )
    assert ask.session.run(code).ok
    assert (root / "list.txt").read_text() == "".join(f"[{number}]" for number in range(40))


def test_misuse_of_the_function_raises(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        files(tmp_path / "no")
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError):
        files(tmp_path / "file")
    with pytest.raises(ValueError, match="read_bytes is a number above 0"):
        files(tmp_path, read_bytes=0)


def test_the_root_stays_the_same_folder(opened: Open, root: Path) -> None:
    import shutil

    ask = opened(files(root))
    moved = root.rename(root.parent / "moved")
    root.symlink_to(root.parent / "outside")
    assert ask("Read", path="README.md") == "read me\n"
    assert ask.refused("Read", path="secret.txt")[0] == "FileNotFoundError"
    shutil.rmtree(moved)
    kind, message = ask.refused("Read", path="README.md")
    assert (kind, message) == ("FileNotFoundError", "the root folder was removed")
