"""Chats in a folder: a file for each, with the turns and, where it could be had, the state of the session."""

import hmac
import json
import os
import secrets
import stat
import time
from typing import Any

from ..capabilities.approval import printable
from ..errors import WasmhostError
from ..protocol.json_read import NotStrict, loads
from ..stores import replace, write_new
from .conversation import MAX_QUESTION_CHARS, Turn

FOLDER = ".code-sessions"
_SUFFIX = ".chat"
_MAGIC = b"wasmhost-chat 1 "
_HEAD = len(_MAGIC) + 64 + 1
_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
_MAX_ID = 64
_KEY_BYTES = 32
# Without waiting: it may be a pipe.
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)

MAX_SNAPSHOT = 64 << 20
_MAX_TEXT = 64 << 20
# What is older is not stored.
MAX_TURNS = 10_000
MAX_STORED_CHARS = 8 << 20
_MAX_CHARS = 1 << 20


class ChatError(WasmhostError):
    """A chat cannot be stored or gone on with; the text says why and what to do."""


class Taken(ChatError):
    """Another process has written the file of the chat since it was read here."""


class Stored:
    """What a file has of a chat."""

    def __init__(self, id: str, language: str, model: str, turns: list[Turn], snapshot: bytes | None) -> None:
        self.id: str = id
        self.language: str = language
        self.model: str = model
        self.turns: list[Turn] = turns
        self.snapshot: bytes | None = snapshot


class Chats:
    """The chats of a folder. A file is signed with a key of the user, kept outside of it: what came into the folder in
    another way, such as with a repository, is refused. Needs a POSIX system.

    Args:
        folder: made, for its owner only (0700), with the first chat.

    Raises:
        ChatError: there is no key, and none can be made.
    """

    def __init__(self, folder: "str | os.PathLike[str]" = FOLDER) -> None:
        self.path: str = os.fspath(folder)
        if not hasattr(os, "O_NOFOLLOW") or os.open not in os.supports_dir_fd:
            raise ChatError("chats are kept on POSIX systems only")
        self.key: bytes = _user_key()
        # The signature that each chat had when it was last read or written here.
        self._seen: dict[str, bytes] = {}

    @staticmethod
    def new_id() -> str:
        """Sorts by time."""
        return f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(3)}"

    def ids(self) -> list[str]:
        """Those that are there, the newest last."""
        try:
            folder = self._open()
        except FileNotFoundError:
            return []
        try:
            names = os.listdir(folder)
        finally:
            os.close(folder)
        return sorted(name.removesuffix(_SUFFIX) for name in names if name.endswith(_SUFFIX) and _is_id(name[:-5]))

    def save(self, chat: Stored) -> None:
        """Makes or replaces the file of a chat, atomically.

        Raises:
            Taken: another process has gone on with the chat meanwhile.
            ChatError: it cannot be written.
        """
        turns = [[turn.question, turn.code, turn.observation] for turn in _newest(chat.turns)]
        head = {"id": chat.id, "language": chat.language, "model": chat.model, "turns": turns}
        body = _dumps(head) + b"\n" + (chat.snapshot or b"")
        signature = hmac.digest(self.key, body, "sha256").hex().encode()
        temporary = f".{chat.id}.{secrets.token_hex(6)}.new"
        try:
            folder = self._open(make=True)
            try:
                self._check_mine(folder, chat.id)
                write_new(folder, temporary, _MAGIC + signature + b"\n" + body)
                replace(folder, temporary, chat.id + _SUFFIX)
            finally:
                os.close(folder)
        except OSError as error:
            raise ChatError(f"the chat cannot be stored in {self.path}: {error.strerror or error}") from None
        self._seen[chat.id] = signature

    def _check_mine(self, folder: int, id: str) -> None:
        try:
            file = os.open(id + _SUFFIX, _READ, dir_fd=folder)
        except FileNotFoundError:
            return
        if _content(file, _HEAD)[len(_MAGIC) : -1] != self._seen.get(id):
            raise Taken(f"another process has gone on with the chat {id}")

    def load(self, id: str) -> Stored:
        """A chat by its id.

        Raises:
            ChatError: there is none, or its file is damaged, or was not written by this user.
        """
        if not _is_id(id):
            raise ChatError(f"{printable(id[:80])!r} is no id of a chat")
        shown = os.path.join(self.path, id + _SUFFIX)
        try:
            data = self._read(id)
        except FileNotFoundError:
            newest = self.ids()[-10:]
            there = f"the newest there: {', '.join(newest)}" if newest else "there are none"
            raise ChatError(f"there is no chat {id} in {self.path}; {there}") from None
        except OSError as error:
            raise ChatError(f"{shown} cannot be read: {error.strerror or error}") from None
        head, body = data[:_HEAD], data[_HEAD:]
        if not head.startswith(_MAGIC) or head[-1:] != b"\n":
            raise ChatError(f"{shown} is no chat of this version of wasmhost")
        signature = head[len(_MAGIC) : -1]
        if not hmac.compare_digest(signature, hmac.digest(self.key, body, "sha256").hex().encode()):
            raise ChatError(f"{shown} is damaged, or was not written by you on this machine; it is not used")
        text, _, snapshot = body.partition(b"\n")
        try:
            made = _stored(loads(text), id, snapshot or None)
        except (NotStrict, ValueError) as error:
            raise ChatError(f"{shown} is damaged: {error}") from None
        self._seen[id] = signature
        return made

    def _read(self, id: str) -> bytes:
        folder = self._open()
        try:
            file = os.open(id + _SUFFIX, _READ, dir_fd=folder)
        finally:
            os.close(folder)
        most = _HEAD + _MAX_TEXT + MAX_SNAPSHOT
        data = _content(file, most + 1)
        if len(data) > most:
            raise ChatError(f"{os.path.join(self.path, id + _SUFFIX)} is too large")
        return data

    def _open(self, make: bool = False) -> int:
        """The folder, which must be the user's own."""
        if make:
            try:
                os.mkdir(self.path, 0o700)
            except FileExistsError:
                make = False
        folder = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            _check_owned(os.fstat(folder), self.path, "700")
            if make:
                # What code has seen and printed does not belong into a repository.
                write_new(folder, ".gitignore", b"*\n")
        except BaseException:
            os.close(folder)
            raise
        return folder


def _newest(turns: list[Turn]) -> list[Turn]:
    room = MAX_STORED_CHARS
    kept = 0
    for turn in reversed(turns[-MAX_TURNS:]):
        room -= len(turn.question) + len(turn.code) + len(turn.observation)
        if room < 0:
            break
        kept += 1
    return turns[len(turns) - kept :]


def _dumps(head: dict[str, Any]) -> bytes:
    return json.dumps(head, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _is_id(id: str) -> bool:
    return 0 < len(id) <= _MAX_ID and _WORD.issuperset(id) and not id.startswith(".")


def _stored(head: Any, id: str, snapshot: bytes | None) -> Stored:
    if type(head) is not dict or [type(head.get(name)) for name in ("id", "language", "model", "turns")] != [
        str,
        str,
        str,
        list,
    ]:
        raise ValueError("what is in it is not what should be")
    if head["id"] != id:
        raise ValueError(f"it is the chat {printable(head['id'][:_MAX_ID])}")
    turns = []
    for number, turn in enumerate(head["turns"], 1):
        if type(turn) is not list or [type(part) for part in turn] != [str, str, str]:
            raise ValueError(f"turn {number} is not what it should be")
        if len(turn[0]) > MAX_QUESTION_CHARS + 1_000 or max(map(len, turn)) > _MAX_CHARS or number > MAX_TURNS:
            raise ValueError(f"turn {number} is too long, or there are too many")
        turns.append(Turn(*turn))
    return Stored(id, head["language"], head["model"], turns, snapshot)


def _check_owned(found: os.stat_result, path: str, mode: str) -> None:
    if found.st_uid != os.geteuid():
        raise ChatError(f"{path} belongs to another user")
    if found.st_mode & 0o077:
        raise ChatError(f"{path} is open to others (mode {found.st_mode & 0o777:o}): chmod {mode} {path}")


def _content(file: int, most: int, owned: str = "") -> bytes:
    """What a regular file has, at most so many bytes; closes it.

    Args:
        owned: how it is called, where it must be the user's own.
    """
    try:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(None, "it is not a regular file")
        if owned:
            _check_owned(found, owned, "600")
        with open(file, "rb", closefd=False) as opened:
            return opened.read(most)
    finally:
        os.close(file)


def _user_key() -> bytes:
    """The key with which this user's chats are signed; made at first use."""
    state = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    path = os.path.join(state, "wasmhost")
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            return _read_key(folder, path)
        finally:
            os.close(folder)
    except OSError as error:
        raise ChatError(f"there is no place for the key of chats, {path}: {error.strerror or error}") from None


def _read_key(folder: int, path: str) -> bytes:
    name = "chat-key"
    temporary = f".{name}.{secrets.token_hex(6)}"
    try:
        file = os.open(name, _READ, dir_fd=folder)
    except FileNotFoundError:
        write_new(folder, temporary, secrets.token_bytes(_KEY_BYTES))
        try:
            # Whole at once, and never in the place of one that another process has just made.
            os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        except FileExistsError:
            pass
        finally:
            os.unlink(temporary, dir_fd=folder)
        file = os.open(name, _READ, dir_fd=folder)
    shown = os.path.join(path, name)
    key = _content(file, _KEY_BYTES + 1, shown)
    if len(key) != _KEY_BYTES:
        raise ChatError(f"{shown} is damaged; without it the chats that it signed cannot be gone on with")
    return key


__all__ = ["FOLDER", "MAX_SNAPSHOT", "ChatError", "Chats", "Stored", "Taken"]
