"""Chats in their folder."""

import os
import stat
from pathlib import Path

import pytest

from wasmhost.chat import chats as module
from wasmhost.chat.chats import ChatError, Chats, Stored, Taken
from wasmhost.chat.conversation import Turn

TURNS = [Turn("sum?", "1 + 1", '{"ok":true,"valueText":"2"}'), Turn("grüße \u2028", "x\ny", '{"ok":false}')]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where chats are, with a key beside it."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / ".code-sessions"


def stored(id: str = "one", snapshot: bytes | None = b"\nWH\n\0") -> Stored:
    return Stored(id, "python", "small", list(TURNS), snapshot)


@pytest.mark.spec("A12.1")
def test_a_chat_is_a_file_for_its_owner(folder: Path, tmp_path: Path) -> None:
    chats = Chats(folder)
    assert not folder.exists()
    assert chats.ids() == []
    chats.save(stored())
    chats.save(stored("two", None))
    assert sorted(os.listdir(folder)) == [".gitignore", "one.chat", "two.chat"]
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for path in (folder / "one.chat", tmp_path / "state" / "wasmhost" / "chat-key"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    again = Chats(folder)
    assert again.ids() == ["one", "two"]
    found = again.load("one")
    assert (found.id, found.language, found.model, found.turns) == ("one", "python", "small", TURNS)
    assert found.snapshot == b"\nWH\n\0"
    assert again.load("two").snapshot is None
    found.turns.append(TURNS[0])
    again.save(found)
    assert Chats(folder).load("one").turns == [*TURNS, TURNS[0]]


@pytest.mark.spec("A12.3", "S16")
def test_every_byte_that_is_changed_is_noticed(folder: Path) -> None:
    chats = Chats(folder)
    chats.save(stored())
    path = folder / "one.chat"
    whole = path.read_bytes()
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises(ChatError, match=r"is damaged, or was not written by you|is no chat of this version"):
            chats.load("one")
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        with pytest.raises(ChatError):
            chats.load("one")
    path.write_bytes(whole)
    assert chats.load("one").turns == TURNS


@pytest.mark.spec("A12.3", "S16")
def test_what_somebody_else_has_written_is_refused(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Chats(folder).save(stored())
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "other"))
    with pytest.raises(ChatError, match="was not written by you on this machine"):
        Chats(folder).load("one")


@pytest.mark.spec("A12.3")
def test_a_file_under_another_name_is_refused(folder: Path) -> None:
    chats = Chats(folder)
    chats.save(stored())
    os.rename(folder / "one.chat", folder / "two.chat")
    with pytest.raises(ChatError, match="it is the chat one"):
        chats.load("two")


@pytest.mark.spec("A12.3")
@pytest.mark.parametrize("id", ["", ".", "..", ".hidden", "../one", "a/b", "a\0b", "x" * 65, "a b", "\x1b[2J"])
def test_ids_that_are_none(folder: Path, id: str) -> None:
    chats = Chats(folder)
    chats.save(stored())
    with pytest.raises(ChatError, match="is no id of a chat") as told:
        chats.load(id)
    assert str(told.value).isprintable()


def test_a_chat_that_is_not_there_names_those_that_are(folder: Path) -> None:
    chats = Chats(folder)
    with pytest.raises(ChatError, match="there are none"):
        chats.load("none")
    chats.save(stored())
    with pytest.raises(ChatError, match="the newest there: one"):
        chats.load("none")


@pytest.mark.spec("A12.3")
def test_a_folder_that_is_not_the_users_own_is_refused(folder: Path, tmp_path: Path) -> None:
    chats = Chats(folder)
    chats.save(stored())
    folder.chmod(0o755)
    with pytest.raises(ChatError, match=r"is open to others \(mode 755\): chmod 700"):
        chats.load("one")
    with pytest.raises(ChatError, match="is open to others"):
        chats.save(stored())
    folder.chmod(0o700)
    os.rename(folder, tmp_path / "elsewhere")
    os.symlink(tmp_path / "elsewhere", folder)
    with pytest.raises(ChatError):
        chats.load("one")
    with pytest.raises(ChatError):
        chats.save(stored())


@pytest.mark.spec("A12.3")
@pytest.mark.parametrize("kind", ["pipe", "folder", "link", "large"])
def test_files_that_are_none(folder: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    chats = Chats(folder)
    chats.save(stored("other"))
    path = folder / "one.chat"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "link":
        path.symlink_to(folder / "other.chat")
    else:
        monkeypatch.setattr(module, "_MAX_TEXT", 100)
        monkeypatch.setattr(module, "MAX_SNAPSHOT", 100)
        path.write_bytes(bytes(1000))
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(ChatError):
        chats.load("one")
    assert len(os.listdir("/proc/self/fd")) == before


def test_two_who_go_on_with_the_same_chat_do_not_overwrite_each_other(folder: Path) -> None:
    first, second = Chats(folder), Chats(folder)
    first.save(stored())
    mine, theirs = first.load("one"), second.load("one")
    theirs.turns.append(TURNS[0])
    second.save(theirs)
    with pytest.raises(Taken, match="another process has gone on with the chat one"):
        first.save(mine)
    second.save(theirs)
    with pytest.raises(Taken):
        Chats(folder).save(stored())


def test_a_folder_that_cannot_be_written_is_told(folder: Path) -> None:
    folder.write_text("a file")
    with pytest.raises(ChatError, match="cannot be stored in"):
        Chats(folder).save(stored())


@pytest.mark.parametrize("content", [b"", b"short", bytes(33)])
def test_a_key_that_is_damaged_is_told(folder: Path, tmp_path: Path, content: bytes) -> None:
    Chats(folder)
    key = tmp_path / "state" / "wasmhost" / "chat-key"
    key.write_bytes(content)
    with pytest.raises(ChatError, match="is damaged"):
        Chats(folder)
    key.chmod(0o644)
    with pytest.raises(ChatError, match="is open to others"):
        Chats(folder)


def test_no_place_for_a_key_is_told(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    with pytest.raises(ChatError, match="there is no place for the key of chats"):
        Chats(folder)


def test_only_the_newest_turns_are_stored(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_TURNS", 2)
    chats = Chats(folder)
    many = [Turn(f"{n}", "x", "{}") for n in range(5)]
    chats.save(Stored("one", "python", "small", many, None))
    assert chats.load("one").turns == many[3:]
    monkeypatch.setattr(module, "MAX_STORED_CHARS", 5)
    chats.save(Stored("one", "python", "small", many, None))
    assert chats.load("one").turns == many[4:]
