"""The files pack against guests, and against whoever else changes the tree meanwhile."""

import errno
import os
import shutil
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from bench.grep import HOSTILE
from tests.support.guests import Guest
from wasmhost.errors import CapabilityError
from wasmhost.packs import files, tree
from wasmhost.packs.glob import Glob
from wasmhost.packs.pattern import MAX_SIZE, MAX_STEPS, LinePattern, _Cost

from .conftest import SECRET, Open

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")


@pytest.fixture(autouse=True)
def _both_ways(walker: str) -> None:
    """Every test here runs with both."""


OUT = [
    "../outside/secret.txt",
    "src/../../outside/secret.txt",
    "src/lib/../../../outside/secret.txt",
    "./../outside/secret.txt",
    "..",
    "../",
    "/etc/passwd",
    "//etc/passwd",
    "/",
    "src/../..",
]


@pytest.mark.spec("B9.2", "S11")
@pytest.mark.parametrize("path", OUT)
def test_no_path_leads_out(opened: Open, root: Path, path: str) -> None:
    ask = opened(files(root, write=True))
    for tool, arguments in [
        ("Read", {"path": path}),
        ("Write", {"path": path, "content": "x"}),
        ("Edit", {"path": path, "old": "secret", "new": "x"}),
        ("Glob", {"pattern": "*", "path": path}),
        ("Grep", {"pattern": "secret", "path": path}),
    ]:
        kind, message = ask.refused(tool, **arguments)
        assert kind == "PermissionError"
        assert "leads out of the root" in message or "absolute" in message
    assert (root.parent / "outside/secret.txt").read_text() == SECRET


@pytest.mark.spec("B9.2", "S11")
@pytest.mark.parametrize("pattern", ["../*", "../outside/*", "src/../../*", "/etc/*", "{../outside,src}/*", "**/../**"])
def test_no_pattern_leads_out(opened: Open, root: Path, pattern: str) -> None:
    ask = opened(files(root))
    assert ask.refused("Glob", pattern=pattern)[0] == "ValueError"
    assert ask.refused("Grep", pattern="secret", glob=pattern)[0] == "ValueError"


@pytest.mark.spec("B9.2", "S11")
def test_no_link_is_followed(opened: Open, root: Path) -> None:
    outside = root.parent / "outside"
    (root / "out").symlink_to(outside)
    (root / "relative").symlink_to("../outside")
    (root / "secret.txt").symlink_to(outside / "secret.txt")
    (root / "inside").symlink_to("src")
    (root / "inside.py").symlink_to("src/main.py")
    (root / "loop").symlink_to("loop")
    (root / "dangling").symlink_to(outside / "new.txt")
    ask = opened(files(root, write=True))
    for path in (
        "out/secret.txt",
        "relative/secret.txt",
        "secret.txt",
        "inside/main.py",
        "inside.py",
        "loop",
        "loop/x",
    ):
        kind, message = ask.refused("Read", path=path)
        assert (kind, "symbolic link" in message) == ("PermissionError", True), (path, message)
    for path in ("out/secret.txt", "out/new.txt", "out/deep/new.txt", "secret.txt", "dangling", "inside.py", "loop/x"):
        for tool, arguments in (("Write", {"content": "x"}), ("Edit", {"old": "secret", "new": "x"})):
            kind, message = ask.refused(tool, path=path, **arguments)
            assert (kind, "symbolic link" in message) == ("PermissionError", True), (path, message)
    assert ask.refused("Glob", pattern="*", path="out")[0] == "PermissionError"
    assert ask.refused("Grep", pattern="secret", path="out")[0] == "PermissionError"
    assert ask.refused("Grep", pattern="secret", path="secret.txt")[0] == "PermissionError"
    found = ask("Glob", pattern="**")
    assert not {path.partition("/")[0] for path in found} & {
        "out",
        "relative",
        "secret.txt",
        "inside",
        "loop",
        "dangling",
    }
    assert ask("Glob", pattern="{out,relative,inside}/**") == []
    assert ask("Grep", pattern="secret")["files"] == []
    assert sorted(os.listdir(outside)) == ["secret.txt"]
    assert (outside / "secret.txt").read_text() == SECRET


@LINUX
@pytest.mark.spec("B9.2", "S11")
def test_magic_links_are_links(opened: Open) -> None:
    ask = opened(files(f"/proc/{os.getpid()}"))
    for path in ("root/etc/passwd", "cwd/README.md", "fd/0", "exe", "task/../root/etc/passwd"):
        kind, message = ask.refused("Read", path=path)
        assert kind == "PermissionError", message


@LINUX
@pytest.mark.spec("B9.2", "S11")
def test_other_file_systems_are_not_entered(opened: Open) -> None:
    if os.stat("/proc").st_dev == os.stat("/").st_dev:
        pytest.skip("/proc is no file system of its own here")
    ask = opened(files("/"))
    assert "another file system" in ask.refused("Read", path="proc/version")[1]
    assert ask("Glob", pattern="proc/*") == []


@LINUX
@pytest.mark.spec("B9.3")
def test_bytes_are_counted_as_they_are_read(opened: Open) -> None:
    assert os.stat("/proc/self/limits").st_size == 0
    ask = opened(files("/proc/self", read_bytes=100, search_bytes=100))
    assert "more than 100 bytes" in ask.refused("Read", path="limits")[1]
    assert "more than 100 bytes" in ask.refused("Read", path="limits", offset=2)[1]
    assert ask("Grep", pattern="no such text", path="limits")["truncated"] is True


@pytest.mark.spec("B9.3")
def test_a_file_that_grows_while_it_is_read(opened: Open, root: Path) -> None:
    grows = root / "grows.txt"
    grows.write_bytes(b"x" * 1_000)
    stop, begun = threading.Event(), threading.Event()

    def grow() -> None:
        with grows.open("ab", buffering=0) as file:
            while not stop.is_set() and file.tell() < 64 << 20:
                file.write(b"y" * 65_536)
                begun.set()

    ask = opened(files(root, read_bytes=2_000, search_bytes=1 << 20))
    thread = threading.Thread(target=grow)
    thread.start()
    try:
        assert begun.wait(10)
        assert "more than 2000 bytes" in ask.refused("Read", path="grows.txt", offset=1)[1]
        ask("Grep", pattern="z", path="grows.txt")
    finally:
        stop.set()
        thread.join()


@pytest.mark.spec("B9.3")
def test_sparse_files(opened: Open, root: Path) -> None:
    with (root / "huge").open("wb") as file:
        file.write(b"old.call here\n")
        file.truncate(1 << 40)
    ask = opened(files(root, write=True, timeout=5))
    assert "more than 4194304 bytes" in ask.refused("Read", path="huge")[1]
    assert "more than 4194304 bytes" in ask.refused("Read", path="huge", offset=2)[1]
    assert "more than 4194304 bytes" in ask.refused("Edit", path="huge", old="old", new="x")[1]
    assert ask("Read", path="huge", limit=1) == "old.call here\n"
    # A NUL ends the text.
    assert "huge" not in ask("Grep", pattern="old.call", glob="huge")["files"]


@pytest.mark.spec("B9.3")
def test_too_much_to_write_is_refused_and_leaves_nothing(opened: Open, root: Path) -> None:
    ask = opened(files(root, write=True, write_bytes=10))
    assert "more than 10 bytes" in ask.refused("Write", path="new/a.txt", content="x" * 11)[1]
    assert "more than 10 bytes" in ask.refused("Write", path="b.txt", content="é" * 6)[1]
    assert not (root / "new").exists()
    assert not (root / "b.txt").exists()


@pytest.mark.spec("B9.2", "S11")
def test_only_regular_files(opened: Open, root: Path) -> None:
    os.mkfifo(root / "fifo")
    with socket.socket(socket.AF_UNIX) as sock:
        here = os.getcwd()
        os.chdir(root)  # the path of a socket is short
        try:
            sock.bind("socket")
        finally:
            os.chdir(here)
        ask = opened(files(root, write=True))
        for path in ("fifo", "socket"):
            for tool, arguments in (
                ("Read", {}),
                ("Write", {"content": "x"}),
                ("Edit", {"old": "a", "new": "b"}),
                ("Grep", {"pattern": "x"}),
            ):
                kind, message = ask.refused(tool, path=path, **arguments)
                assert (kind, message) == ("PermissionError", f"'{path}' is no regular file")
        assert not {"fifo", "socket"} & set(ask("Glob", pattern="*"))
        assert ask("Grep", pattern="read me")["files"] == ["README.md"]


@pytest.mark.spec("B9.2", "S11")
def test_devices(opened: Open) -> None:
    ask = opened(files("/dev", write=True))
    for path in ("zero", "null", "tty"):
        assert ask.refused("Read", path=path)[0] == "PermissionError"
        assert ask.refused("Write", path=path, content="x")[0] == "PermissionError"
    assert "zero" not in ask("Glob", pattern="z*")


@pytest.mark.spec("B9.2", "S11")
def test_a_file_with_several_names_is_not_written(opened: Open, root: Path) -> None:
    outside = root.parent / "outside" / "secret.txt"
    os.link(outside, root / "linked.txt")
    ask = opened(files(root, write=True))
    for tool, arguments in (("Write", {"content": "x"}), ("Edit", {"old": "secret", "new": "x"})):
        kind, message = ask.refused(tool, path="linked.txt", **arguments)
        assert kind == "PermissionError"
        assert "2 names (hard links)" in message
    assert outside.read_text() == SECRET


def test_a_read_only_file_is_not_replaced(opened: Open, root: Path) -> None:
    (root / "README.md").chmod(0o444)
    ask = opened(files(root, write=True))
    for tool, arguments in (("Write", {"content": "x"}), ("Edit", {"old": "read", "new": "x"})):
        assert ask.refused(tool, path="README.md", **arguments) == ("PermissionError", "'README.md' is read-only")
    assert (root / "README.md").read_text() == "read me\n"


@pytest.mark.spec("B9.2", "S11")
@pytest.mark.parametrize(
    "path", [".git/config", ".git/hooks/post-checkout", ".GIT/config", "src/.git/config", ".git", ".hg/x"]
)
def test_nothing_is_written_where_tools_outside_run_it(opened: Open, root: Path, path: str) -> None:
    ask = opened(files(root, write=True))
    kind, message = ask.refused("Write", path=path, content="[core]\nfsmonitor = evil\n")
    assert kind == "PermissionError"
    assert "nothing is written" in message
    assert ask.refused("Edit", path=path, old="old", new="evil")[0] == "PermissionError"
    assert (root / ".git/config").read_text() == "old.call in git\n"
    assert not (root / "src/.git").exists()


HOSTILE_NAMES = [
    "new\nline.txt",
    "tab\tand\rreturn.txt",
    "\x1b[31mred\x1b[0m.txt",
    "bidi\u202egnp.txt",
    " spaces ",
    "-rf",
    "quote'\"`$(x).txt",
    "*",
    "[a]",
    "{a,b}",
    "é" * 100,
    "x" * 255,
    "back\\slash",
    "...",
    "\x7f",
]


@pytest.mark.spec("B9.4")
@pytest.mark.parametrize("name", HOSTILE_NAMES, ids=ascii)
def test_hostile_names_are_names(opened: Open, root: Path, name: str) -> None:
    ask = opened(files(root, write=True))
    assert ask("Write", path=f"odd/{name}", content="needle\n")["path"] == f"odd/{name}"
    assert os.listdir(root / "odd") == [name]
    assert ask("Read", path=f"odd/{name}") == "needle\n"
    assert ask("Glob", pattern="odd/*") == [f"odd/{name}"]
    assert ask("Grep", pattern="needle")["matches"] == [{"path": f"odd/{name}", "line": 1, "text": "needle"}]
    (root / "odd" / name).unlink()
    _, message = ask.refused("Read", path=f"odd/{name}")
    # What people read: in one line, and nothing in it that a terminal obeys.
    assert message.isprintable()


@LINUX
@pytest.mark.spec("B9.4")
def test_names_that_are_not_utf8_are_left_out(opened: Open, root: Path) -> None:
    for name in (b"caf\xe9.txt", b"\xff"):
        try:
            with open(os.path.join(os.fsencode(root), name), "w") as file:
                file.write("needle\n")
        except OSError:
            pytest.skip("this file system takes UTF-8 only")
    os.mkdir(os.path.join(os.fsencode(root), b"d\xfe"))
    ask = opened(files(root))
    assert ask("Grep", pattern="needle")["files"] == []
    assert all(path.isascii() for path in ask("Glob", pattern="**"))


@pytest.mark.spec("B9.4")
@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("a\0b", "ValueError"),
        ("README.md\0.txt", "ValueError"),
        ("x" * 256, "OSError"),
        ("x/" * 101 + "y", "OSError"),
        ("x" * 5_000, "OSError"),
        ("d/" * 50_000, "OSError"),
    ],
    ids=ascii,
)
def test_paths_that_no_system_takes(opened: Open, root: Path, path: str, kind: str) -> None:
    ask = opened(files(root, write=True))
    for tool, arguments in (("Read", {}), ("Write", {"content": ""}), ("Grep", {"pattern": "a"})):
        found, message = ask.refused(tool, path=path, **arguments)
        assert found == kind
        assert len(message) < 400
    assert "x" not in os.listdir(root)


@pytest.mark.spec("B9.3")
def test_huge_trees_are_bounded(opened: Open, root: Path) -> None:
    for number in range(300):
        (root / f"many{number:03}.txt").write_text("needle\n")
    ask = opened(files(root, entries=100))
    assert "more than 100 files and folders" in ask.refused("Glob", pattern="**")[1]
    assert ask("Grep", pattern="needle")["truncated"] is True
    ask = opened(files(root, results=100))
    assert "more than 100 paths fit" in ask.refused("Glob", pattern="many*")[1]
    found = ask("Grep", pattern="needle", limit=10**9)
    assert found["files"] == [f"many{number:03}.txt" for number in range(100)]
    assert found["truncated"] is True


@pytest.mark.spec("B9.3")
def test_deep_trees_are_bounded(opened: Open, root: Path) -> None:
    descriptor = os.open(root, os.O_RDONLY)
    for _ in range(150):
        os.mkdir("d", dir_fd=descriptor)
        inner = os.open("d", os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = inner
    os.close(descriptor)
    before = len(os.listdir("/dev/fd"))
    ask = opened(files(root))
    assert "deeper than 100" in ask.refused("Glob", pattern="**")[1]
    assert ask("Grep", pattern="old")["truncated"] is True
    assert len(os.listdir("/dev/fd")) <= before + 5


@pytest.mark.spec("B9.3")
def test_time_is_bounded(opened: Open, root: Path) -> None:
    (root / "text").write_text("some words and no end\n" * 200_000)
    ask = opened(files(root, timeout=0.001))
    kind, message = ask.refused("Grep", pattern=r"(\w+ ?)+z", path="text")
    assert (kind, message) == ("TimeoutError", "Grep was stopped after 0.001 s")


def test_no_descriptor_is_left_open(opened: Open, root: Path) -> None:
    (root / "link").symlink_to("src")
    ask = opened(files(root, write=True))

    def use() -> None:
        ask("Read", path="README.md")
        ask("Write", path="w.txt", content="x")
        ask("Edit", path="w.txt", old="x", new="y")
        ask("Glob", pattern="**")
        ask("Grep", pattern="old")
        for path in ("no", "link/x", "src", "README.md/x"):
            ask.refused("Read", path=path)
            ask.refused("Write", path=path if path != "no" else ".git/x", content="")

    use()
    before = len(os.listdir("/dev/fd"))
    use()
    assert len(os.listdir("/dev/fd")) <= before


# ---- patterns ------------------------------------------------------------------------------------------------------


@pytest.mark.spec("B9.5", "S10")
def test_hostile_patterns_of_lines(opened: Open, root: Path) -> None:
    (root / "a.txt").write_text("a" * 300_000 + "\n" + ("a" * 30 + "!\n") * 10_000)
    (root / "u.txt").write_text("éא字" * 20_000 + "\n" + "words of text\n" * 1_000)
    ask = opened(files(root))
    for pattern in [
        *HOSTILE,
        "(" * 900,
        "[" * 900,
        "a" * 1_001,
        "a{1000000000}",
        "(?x) a {500}",
        "\\",
        "a**",
        "{",
        "(?P<",
    ]:
        for glob in ("a.txt", "u.txt"):
            code = ask.expression("Grep", pattern=pattern, glob=glob, files_only=True)
            result = ask.session.run(code)
            assert result.ok or "the pattern" in result.error, (pattern, result)


@pytest.mark.spec("B9.5", "S10")
@pytest.mark.parametrize(
    ("pattern", "least"),
    [
        ("a{7}", 7),
        ("(ab){5}", 10),
        ("((a{3}){4}){5}", 60),
        ("a{2,9}b", 10),
        ("a{5,}", 5),
        ("(?:a|bc){10}", 30),
        ("[a-z]{20}", 20),
        ("[]a{9}]{20}", 20),
        ("[^]]{8}", 8),
        ("[[:alpha:]x]{8}", 8),
        (r"[\]]{8}", 8),
        (r"\x{41}{8}", 8),
        (r"\p{Greek}{8}", 80),
        (r"[x\W]{8}", 80),
        (r"(?P<name>ab){8}", 16),
        (r"(?i)(?-i:ab){8}", 16),
        (r"a{3}{4}", 12),
        ("a{ 3 , 9 }", 9),
        ("(a)(?i){9}", 0),
        ("(a", 1),
    ],
)
def test_the_cost_of_a_pattern_is_never_less_than_what_it_stands_for(pattern: str, least: int) -> None:
    steps, size = _Cost(pattern).whole()
    assert least <= steps <= 4 * least + 20
    assert size >= steps or size >= MAX_SIZE


def test_usual_patterns_are_not_refused() -> None:
    for pattern in (
        r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
        r"\b\w{3,16}\b@\w+\.\w{2,6}",
        r"^\s*(def|class)\s+(\w+)\s*\(",
        r"(\d{1,3}\.){3}\d{1,3}",
        r"\bhttps?://[^\s\"'<>]{1,300}",
        r"(?i)todo|fixme",
        r"\p{Lu}\p{Ll}{1,30}",
    ):
        LinePattern(pattern, True)
    assert MAX_STEPS >= 1_000


@pytest.mark.spec("B9.5", "S10")
def test_hostile_patterns_of_paths(opened: Open, root: Path) -> None:
    (root / ("a" * 250)).write_text("")
    ask = opened(files(root))
    assert ask("Glob", pattern="*a" * 100 + "b") == []
    assert ask("Glob", pattern="**/" * 300 + "b") == []
    assert ask("Glob", pattern="{" * 499) == []
    assert ask("Glob", pattern="[" * 999) == []
    assert ask("Glob", pattern="{" * 100 + "a" + "}" * 100) == []
    assert "more than 100 patterns" in ask.refused("Glob", pattern="{a,b}" * 20)[1]
    assert "more than 50 braces" in ask.refused("Glob", pattern="{a,b}" * 60)[1]
    assert "more than 1000" in ask.refused("Glob", pattern="*" * 1_001)[1]


@pytest.mark.parametrize(
    ("pattern", "fits", "others"),
    [
        ("a*b*c", ["abc", "aXbYc", "abbc"], ["ab", "acb"]),
        ("[]x]", ["]", "x"], ["[", "y"]),
        ("[!]]", ["x"], ["]"]),
        ("[a-c-]", ["a", "c", "-"], ["d"]),
        ("a[", ["a["], ["a"]),
        ("{a}", ["{a}"], ["a"]),
        ("{a,{b,c}d}", ["a", "bd", "cd"], ["b", "d"]),
        ("{,x}y", ["y", "xy"], ["x"]),
        ("a{b", ["a{b"], ["ab"]),
        ("a},b", ["a},b"], ["a"]),
        ("{[,],b}", [",", "b"], ["["]),
        ("***", ["", "x"], []),
        ("a**b", ["ab", "axb"], ["a"]),
        ("é?", ["éx", "é\u202e"], ["é"]),
    ],
)
def test_patterns_of_names(pattern: str, fits: list[str], others: list[str]) -> None:
    glob = Glob(pattern)
    assert [name for name in fits + others if glob.matches(glob.start(), name)] == fits


# ---- spelling ------------------------------------------------------------------------------------------------------


@pytest.mark.spec("B9.2", "S11")
def test_a_path_counts_only_as_it_is_spelled_on_disk(opened: Open, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # As on systems whose file systems may fold names: what is on disk decides.
    monkeypatch.setattr(tree, "_MAY_FOLD", True)
    ask = opened(files(root, write=True))
    assert ask("Read", path="src/lib/util.py").startswith("def util")
    ask("Write", path="src/New.txt", content="x")
    ask("Edit", path="src/New.txt", old="x", new="y")
    with pytest.raises(CapabilityError, match="spelled otherwise"):
        tree.Root(root).spelled(["src", "LIB"])


@pytest.mark.spec("B9.2", "S11")
def test_case_is_no_way_around_a_rule_on_a_file_system_that_folds_it(opened: Open, root: Path) -> None:
    if not (root / "SRC").exists():
        pytest.skip("this file system tells upper case from lower case")
    ask = opened(files(root, write=True))
    assert "spelled otherwise" in ask.refused("Read", path="SRC/main.py")[1]
    assert "spelled otherwise" in ask.refused("Write", path="src/MAIN.py", content="")[1]


@pytest.mark.spec("B9.2", "S11")
def test_two_names_of_one_file_that_differ_in_case_are_both_there(opened: Open, root: Path) -> None:
    try:
        os.link(root / "docs/a.txt", root / "docs/A.txt")
    except FileExistsError:
        pytest.skip("this file system folds case")
    ask = opened(files(root))
    assert ask("Read", path="docs/A.txt") == ask("Read", path="docs/a.txt")


# ---- races ---------------------------------------------------------------------------------------------------------

RACE_SECONDS = 1.5


@contextmanager
def swapping(*steps: Callable[[], object]) -> Iterator[None]:
    """Another thread takes these steps over and over."""
    stop = threading.Event()
    failed: list[BaseException] = []

    def work() -> None:
        try:
            while not stop.is_set():
                for step in steps:
                    step()
        except OSError as error:
            # A folder that was made anew meanwhile, by a Write.
            if error.errno not in (errno.EEXIST, errno.ENOTEMPTY, errno.EISDIR):
                failed.append(error)
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
    assert not failed


def loop(guest: Guest, body: str) -> str:
    """A cell that makes calls for a while, and gives how they came out."""
    if guest.name == "python":
        return (
            f"out = set()\nfor i in range(150):\n    try: out.add({body})\n"
            "    except Exception as e: out.add(type(e).__name__)\nsorted(out)"
        )
    return (
        f"var out = new Set(); for (let i = 0; i < 150; i++) {{ try {{ out.add(await {body}) }}"
        " catch (e) { out.add(e.name) } } [...out].sort()"
    )


@pytest.mark.spec("B9.2", "S11")
def test_a_folder_and_a_link_that_change_places(opened: Open, root: Path, guest: Guest) -> None:
    """Rule 11: the attacker swaps while the guest reads and writes; nothing from outside is ever seen or touched."""
    outside = root.parent / "outside"
    (root / "d").mkdir()
    (root / "d/secret.txt").write_text("mine")
    (root / "link").symlink_to(outside)
    here, away, link = str(root / "d"), str(root / "away"), str(root / "link")
    ask = opened(files(root, write=True))
    read, write, search = (
        guest.pick(python="tools.Read('d/secret.txt')", javascript="tools.Read('d/secret.txt')"),
        guest.pick(
            python="str(tools.Write('d/w.txt', 'w')['bytes'])", javascript="tools.Write('d/w.txt', 'w').then(String)"
        ),
        guest.pick(
            python="''.join(m['text'] for m in tools.Grep('secret|mine', 'd')['matches'])",
            javascript="tools.Grep('secret|mine', 'd').then((f) => f.matches.map((m) => m.text).join(''))",
        ),
    )
    seen: set[str] = set()
    with swapping(
        lambda: os.rename(here, away),
        lambda: os.rename(link, here),
        lambda: os.rename(here, link),
        lambda: os.rename(away, here),
    ):
        until = time.monotonic() + RACE_SECONDS
        while time.monotonic() < until:
            for body in (read, write, search):
                seen |= set(ask.session.run(loop(guest, body)).value)
    assert not any(SECRET in text for text in seen), seen
    assert seen <= {
        "mine",
        "",
        "1",
        "[object Object]",
        "PermissionError",
        "FileNotFoundError",
        "NotADirectoryError",
        "OSError",
    }
    assert sorted(os.listdir(outside)) == ["secret.txt"]
    assert (outside / "secret.txt").read_text() == SECRET


@pytest.mark.spec("B9.2", "S11")
def test_a_file_and_a_link_that_change_places(opened: Open, root: Path, guest: Guest) -> None:
    outside = root.parent / "outside"
    link, target, mine = str(root / "link"), str(root / "f.txt"), str(root / "mine")

    def put_link() -> None:
        os.symlink(outside / "secret.txt", link)
        os.replace(link, target)

    def put_file() -> None:
        Path(mine).write_text("mine")
        os.replace(mine, target)

    put_file()
    ask = opened(files(root, write=True))
    read = "tools.Read('f.txt')"
    edit = guest.pick(
        python="str(tools.Edit('f.txt', 'e', 'E', True)['replaced'])",
        javascript="tools.Edit('f.txt', 'e', 'E', true).then(String)",
    )
    seen: set[str] = set()
    with swapping(put_link, put_file):
        until = time.monotonic() + RACE_SECONDS
        while time.monotonic() < until:
            for body in (read, edit):
                seen |= set(ask.session.run(loop(guest, body)).value)
    assert not any(SECRET in text for text in seen), seen
    assert (outside / "secret.txt").read_text() == SECRET
    assert sorted(os.listdir(outside)) == ["secret.txt"]


@pytest.mark.spec("B9.2", "S11")
def test_a_tree_that_is_removed_and_made_while_it_is_searched(opened: Open, root: Path, guest: Guest) -> None:
    def remove() -> None:
        shutil.rmtree(root / "t", ignore_errors=True)

    def make() -> None:
        for number in range(5):
            (root / "t" / str(number)).mkdir(parents=True, exist_ok=True)
            (root / "t" / str(number) / "x").write_text("mine\n")

    ask: Any = opened(files(root))
    with swapping(make, remove):
        until = time.monotonic() + RACE_SECONDS / 2
        while time.monotonic() < until:
            for found in (ask("Glob", pattern="t/**"), ask("Grep", pattern="mine", glob="t/**")["files"]):
                assert found == sorted(found)
