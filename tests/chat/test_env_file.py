"""The reader of `.env` files."""

import os
from pathlib import Path

import pytest

from wasmhost import SettingsError
from wasmhost.chat.env_file import MAX_BYTES, read_env_file


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A=1", {"A": "1"}),
        ("\ufeffA=1\r\nB=2\r\n", {"A": "1", "B": "2"}),
        ("# nothing\n\n  A = 1  \nexport B=two words\n", {"A": "1", "B": "two words"}),
        ("A=1 # why\nB=#\nC=a#b\nD=", {"A": "1", "B": "", "C": "a#b", "D": ""}),
        ("A='a \\n $B # c' # why", {"A": "a \\n $B # c"}),
        ('A="a\\n\\"b\\" \\$C # d"', {"A": 'a\n"b" $C # d'}),
        ("A=$HOME\nB=`id`", {"A": "$HOME", "B": "`id`"}),
        ("A=1\nA=2", {"A": "2"}),
        ("URL=https://x/y?a=b=c", {"URL": "https://x/y?a=b=c"}),
        ("", {}),
    ],
)
def test_what_is_read(tmp_path: Path, text: str, found: dict[str, str]) -> None:
    (tmp_path / ".env").write_bytes(text.encode())
    assert read_env_file(tmp_path / ".env") == found


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"A=1\nsecret", "line 2: not NAME=value"),
        (b"=secret", "line 1: not NAME=value"),
        (b"A-B=secret", "line 1: not NAME=value"),
        (b"A='secret", "line 1: the closing quote is missing"),
        (b"A='secret' secret", "line 1: there is more behind the closing quote"),
        (b'A="\\x secret"', "line 1: there is no escape \\x"),
        (b'A="secret\\', "line 1: there is no escape"),
        (b"A=sec'ret", "line 1: a quote in the middle"),
        (b"A=secret\0", "line 1: a NUL character"),
        (b"A=\xffsecret", "not UTF-8"),
        (b"#" * (MAX_BYTES + 1), "larger than"),
    ],
)
def test_what_is_refused_and_never_with_a_value(tmp_path: Path, data: bytes, says: str) -> None:
    (tmp_path / ".env").write_bytes(data)
    with pytest.raises(SettingsError) as told:
        read_env_file(tmp_path / ".env")
    assert says in str(told.value)
    assert "secret" not in str(told.value)


def test_files_that_are_none(tmp_path: Path) -> None:
    assert read_env_file(tmp_path / "none") is None
    with pytest.raises(SettingsError):
        read_env_file(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SettingsError, match="not a regular file"):
        read_env_file(tmp_path / "pipe")


def test_nothing_goes_into_the_environment(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("WASMHOST_CHAT_TEST=1")
    read_env_file(tmp_path / ".env")
    assert "WASMHOST_CHAT_TEST" not in os.environ
