"""Results and their calls as messages of models' APIs, and such messages read back (``docs/transcripts.md``).

Loaded only where it is used. All that is made here is strict JSON; all that is read is checked.
"""

import json
import re
from base64 import b64decode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeVar

from .capabilities.record import (
    CANCELLED,
    COMPLETED,
    DENIED,
    FAILED,
    NEVER_STARTED,
    RUNNING,
    SUSPENDED,
    UNKNOWN,
    CallRecord,
    NotKept,
)
from .errors import WasmhostError
from .media import MAX_IMAGES, MAX_PDFS, PDF, Budget, Media, kind_of
from .protocol.harmless import harmless
from .protocol.json_read import NotStrict, check_plain, loads, value_of
from .protocol.json_text import clean, jsonable, jsonable_or_text
from .protocol.values import TAG
from .results import RuntimeResult

if TYPE_CHECKING:
    from .session.session import Session
    from .state.replay import ReplayLog

S = TypeVar("S", bound="Session")
Json = dict[str, Any]

ANTHROPIC, OPENAI = "anthropic", "openai"
DEFAULT_TEXT_CHARS = 100_000
LEAST_TEXT_CHARS = 1_000

# What the names and ids of both APIs may be made of.
_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_MAX_NAME = {ANTHROPIC: 128, OPENAI: 64}
_MAX_ID = 64
# Below it a call says nothing any more: then whole calls are left out instead.
_LEAST_SHARE = 200
_NOTICE_CHARS = 100

# How the text of a result begins that is not the value itself. A value whose own text begins so is quoted.
_ERROR, _CUT, _MEDIA, _LEFT_OUT = "error: ", "[cut: ", "[media: ", "[calls left out: "
_SAID = {
    FAILED: "failed",
    DENIED: "denied",
    CANCELLED: "cancelled",
    NEVER_STARTED: "never started",
    UNKNOWN: "unknown, its effect may still happen, do not redo it blindly",
    COMPLETED: "completed, but its result was withheld",
    SUSPENDED: "suspended, it waits for an approval",
    RUNNING: "running, its end is not known yet",
}
_STATES = {said: state for state, said in _SAID.items()}

MAX_MESSAGES = 10_000
MAX_CALLS = 100_000
MAX_CHARS = 64 << 20

# Errors by which the host has ended a cell.
_STOPPED = re.compile(
    r"TimeoutError: (script time|wall time|fuel) of \S+( ms)? is spent"
    r"|MemoryError: the memory limit of \d+ bytes is reached"
    r"|RecursionError: the call stack of \d+ bytes is exhausted"
    r"|(CancelledError|KeyboardInterrupt): (the cell was (cancelled|interrupted)|the session was closed)"
)


class TranscriptError(WasmhostError, ValueError):
    """Messages that are no transcript of cells and calls; the text says where and what is wrong."""


# ---- results as messages -----------------------------------------------------------------------------------------


def content(result: RuntimeResult, format: str = ANTHROPIC, *, text_chars: int | None = None) -> list[Json]:
    """See :meth:`wasmhost.RuntimeSuccess.content`."""
    room = _room(result, format, text_chars)
    made = [_text_block(text) for text in _parts(result, room)]
    return made + [_media_block(media, format, f"{n}") for n, media in enumerate(result.media, 1)]


def messages(
    result: RuntimeResult,
    format: str = ANTHROPIC,
    *,
    code: str | None = None,
    id: str = "cell",
    tool: str = "execute",
    text_chars: int | None = None,
) -> list[Json]:
    """See :meth:`wasmhost.RuntimeSuccess.messages`."""
    room = _room(result, format, text_chars)
    if not id or len(id) > _MAX_ID or not _WORD.issuperset(id) or _is_inner(id):
        raise ValueError(
            f"an id has 1 to {_MAX_ID} letters, digits, _ or - and is not like that of an inner call (c1_2), not "
            f"{id[:80]!r}"
        )
    if api_name(tool, format) != tool:
        raise ValueError(f"a tool's name has letters, digits, _ and -, at most {_MAX_NAME[format]}, not {tool[:150]!r}")
    budget = Budget()
    outer: list[_Use] = []
    parts: list[str] = []
    if code is not None:
        parts = _parts(result, room)
        shown = [media for media in result.media if budget.admit(media)]
        outer.append(_Use(id, tool, {"code": clean(code)}, parts, shown, not result.ok))
    calls, left_out, spent = _calls(result.calls, format, room, sum(map(len, parts)), budget)
    notice = _left_out_notice(left_out)
    if outer:
        outer[0].texts = _parts(result, room - min(spent, room // 2) - len(notice))
    return _paired([*outer, *calls], format, notice)


def tool_definitions(result: RuntimeResult, format: str = ANTHROPIC, *, text_chars: int | None = None) -> list[Json]:
    """See :meth:`wasmhost.RuntimeSuccess.tool_definitions`."""
    left = _room(result, format, text_chars)
    made = []
    for tool in result.registered_tools:
        name = api_name(tool["publicName"], format)
        description = harmless(clean(tool["description"]))
        schema = {"type": "object", **jsonable(tool["schema"])}
        left -= len(name) + len(description) + len(_dumps(schema))
        if left < 0:
            break
        if format == ANTHROPIC:
            made.append({"name": name, "description": description, "input_schema": schema})
        else:
            function = {"name": name, "description": description, "parameters": schema}
            made.append({"type": "function", "function": function})
    return made


def api_name(name: str, format: str = ANTHROPIC) -> str:
    """A tool's name as an API takes it: other characters than letters, digits, ``_`` and ``-`` become ``_``; one that
    is too long ends with a digest of the whole."""
    most = _MAX_NAME[format]
    made = "".join(char if char in _WORD else "_" for char in name) or "_"
    if len(made) <= most:
        return made
    return f"{made[: most - 9]}_{sha256(clean(name).encode()).hexdigest()[:8]}"


@dataclass
class _Use:
    """One call and its answer, in neither API's shape yet."""

    id: str
    name: str
    input: Json
    texts: list[str]
    media: list[Media]
    failed: bool


def _room(result: RuntimeResult, format: str, text_chars: int | None) -> int:
    if format not in _MAX_NAME:
        raise ValueError(f"format is 'anthropic' or 'openai', not {format!r}")
    if text_chars is None:
        return max(LEAST_TEXT_CHARS, result.text_limit)
    if type(text_chars) is not int or text_chars < LEAST_TEXT_CHARS:
        raise ValueError(f"text_chars is a whole number from {LEAST_TEXT_CHARS}, not {text_chars!r}")
    return text_chars


def _parts(result: RuntimeResult, room: int) -> list[str]:
    """The texts of a result. What is needed most is cut last: the error or value, then notes, stderr, stdout, and
    what earlier cells have left."""
    made = [harmless(clean(result.stdout.rstrip("\n")))]
    made.append(f"[stderr]\n{harmless(clean(result.stderr.rstrip()))}" if result.stderr.strip() else "")
    if not result.ok:
        lost = "" if result.state == "kept" else f"\n[variables: {result.state}]"
        made.append(f"[error]\n{harmless(clean(result.error))}{lost}")
    else:
        made.append(harmless(clean(result.value_text)) if result.has_value or result.value_text else "")
    made.append("\n".join(f"[note] {harmless(clean(note))}" for note in result.notes))
    made += [
        f"[background {name}]\n{harmless(clean(text.rstrip()))}" if text.strip() else ""
        for name, text in result.background.items()
    ]
    for at in (2, 3, 1, 0, 5, 4):
        made[at] = _cut(made[at], room)
        room -= len(made[at])
    # An API refuses a text without anything to see.
    return [text for text in made if text.strip()] or ["(no output)"]


def _cut(text: str, room: int) -> str:
    """At most ``room`` characters: the beginning and the end, with a notice between."""
    if len(text) <= room:
        return text
    notice = f"\n[{len(text) - room} characters and more are left out]\n"
    room -= len(notice)
    if room < 0:
        return ""
    head = room * 3 // 4
    return text[:head] + notice + text[len(text) - (room - head) :]


def _calls(
    records: Sequence[CallRecord], format: str, room: int, outer: int, budget: Budget
) -> tuple[list[_Use], list[CallRecord], int]:
    """The calls, those for which there is no room, and the characters that were spent. Calls and the cell itself have
    half of the room each, and what the other does not need."""
    left = max(room - outer, room // 2)
    whole = [(record, *_input_of(record), *_answer_of(record)) for record in records]
    sizes = [len(given) + len(text) for _, _, given, text, _ in whole]
    share = _fair_share(sizes, left)
    if share < _LEAST_SHARE and sum(sizes) > left:
        left -= _NOTICE_CHARS
        taken = 0
        for count, size in enumerate(sizes):
            taken += min(size, _LEAST_SHARE)
            if taken > left:
                whole, sizes = whole[:count], sizes[:count]
                break
        share = _fair_share(sizes, left)
    left_out = list(records[len(whole) :])
    made = []
    spent = 0
    for record, input_, given, text, found in whole:
        if len(given) + len(text) > share:
            kept = max(share - len(text), share // 2)
            if len(given) > kept:
                input_, given = _cut_input(given, kept)
            text = _cut_answer(text, share - len(given))
        spent += len(given) + len(text)
        shown = [media for media in found if budget.admit(media)]
        texts = [text]
        if found and not shown:
            texts = [f"{_media_text(found[0])} [left out: too large, or more than a result has]"]
        use = _Use(_inner_id(record.id), api_name(record.name, format), input_, texts, shown, record.error is not None)
        made.append(use)
    return made, left_out, spent


def _fair_share(sizes: list[int], room: int) -> int:
    """The most that one may have so that all fit: small ones leave what they do not need to large ones."""
    left = len(sizes)
    for size in sorted(sizes):
        if size * left > room:
            return room // left
        room -= size
        left -= 1
    return max(sizes, default=0)


def _left_out_notice(left_out: list[CallRecord]) -> str:
    if not left_out:
        return ""
    counts: dict[str, int] = {}
    for record in left_out:
        counts[record.state] = counts.get(record.state, 0) + 1
    states = ", ".join(f"{count} {state}" for state, count in sorted(counts.items()))
    return f"{_LEFT_OUT}{len(left_out)} ({states})]"


def _inner_id(record_id: str) -> str:
    return record_id.replace(".", "_")


def _is_inner(id: str) -> bool:
    cell, _, number = id[1:].partition("_")
    return id[:1] == "c" and cell.isascii() and cell.isdigit() and number.isascii() and number.isdigit()


def _input_of(record: CallRecord) -> tuple[Json, str]:
    """The input and its JSON text."""
    given = record.input if isinstance(record.input, dict) else {}
    if isinstance(record.input, str):
        return _cut_input(record.input, len(record.input) + 200)
    made = jsonable_or_text(given)
    return made, _dumps(made)


def _cut_input(text: str, room: int) -> tuple[Json, str]:
    """What stands for an input that is too large: an object, since the APIs want one."""
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    made = {TAG: "cut", "characters": len(text), "sha256": digest, "start": ""}
    # JSON text is ASCII here, and to quote it once more takes a backslash for each quotation mark at most.
    made["start"] = clean(text[: max(0, (room - len(_dumps(made))) // 2)])
    return made, _dumps(made)


def _answer_of(record: CallRecord) -> tuple[str, list[Media]]:
    """The text of a call's answer, and the image or PDF that it is."""
    if record.error is not None:
        kind, message = record.error
        said = _SAID.get(record.state, record.state)
        return f"{_ERROR}{said}: {harmless(clean(kind))}: {harmless(clean(message))}", []
    if record.state != COMPLETED:
        return f"{_ERROR}{_SAID.get(record.state, record.state)}: CallError: there is no answer", []
    value = record.result
    if isinstance(value, NotKept):
        return f"{_CUT}{value}]", []
    if isinstance(value, (bytes, bytearray)) and kind_of(bytes(value)) is not None:
        media = Media(bytes(value))
        return _media_text(media), [media]
    if type(value) is str and _plain(value):
        return value, []
    return _dumps(jsonable_or_text(value)), []


def _plain(text: str) -> bool:
    """Whether a text can stand as it is and be read back as the same text."""
    if not text.strip() or text.startswith((_ERROR, _CUT, _MEDIA)) or harmless(clean(text)) != text:
        return False
    # What no JSON text begins with needs no closer look.
    if text.lstrip()[0] not in '"[{-0123456789tfn':
        return True
    try:
        loads(text)
    except NotStrict:
        return True
    return False


def _cut_answer(text: str, room: int) -> str:
    if len(text) <= room:
        return text
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    if text.startswith(_ERROR):
        return text[: max(room - 6, 100)] + " [cut]"
    head = f"{_CUT}{len(text)} characters in all, SHA-256 {digest}]\n"
    return head + text[: max(0, room - len(head))]


def _media_text(media: Media) -> str:
    return f"{_MEDIA}{media.mime}, {len(media)} bytes, SHA-256 {media.sha256}]"


def _dumps(value: Any) -> str:
    return json.dumps(value, allow_nan=False, separators=(",", ":"))


# ---- the shapes of the APIs ------------------------------------------------------------------------------------------


def _text_block(text: str) -> Json:
    return {"type": "text", "text": text}


def _media_block(media: Media, format: str, name: str) -> Json:
    if format == ANTHROPIC:
        source = {"type": "base64", "media_type": media.mime, "data": media.base64}
        return {"type": "document" if media.mime == PDF else "image", "source": source}
    url = f"data:{media.mime};base64,{media.base64}"
    if media.mime == PDF:
        return {"type": "file", "file": {"filename": f"{name}.pdf", "file_data": url}}
    return {"type": "image_url", "image_url": {"url": url}}


def _paired(uses: list[_Use], format: str, notice: str) -> list[Json]:
    """One turn of the model with all calls, and their answers; the notice comes after them."""
    extra = [_text_block(notice)] if notice else []
    if not uses:
        return []
    if format == ANTHROPIC:
        asked: list[Json] = [{"type": "tool_use", "id": use.id, "name": use.name, "input": use.input} for use in uses]
        answered: list[Json] = []
        for use in uses:
            blocks = [_text_block(text) for text in use.texts] + [_media_block(m, format, use.id) for m in use.media]
            made: Json = {"type": "tool_result", "tool_use_id": use.id, "content": blocks}
            if use.failed:
                made["is_error"] = True
            answered.append(made)
        return [{"role": "assistant", "content": asked}, {"role": "user", "content": [*answered, *extra]}]
    calls = [
        {"id": use.id, "type": "function", "function": {"name": use.name, "arguments": _dumps(use.input)}}
        for use in uses
    ]
    turns: list[Json] = [{"role": "assistant", "content": None, "tool_calls": calls}]
    media: list[Json] = []
    for use in uses:
        # A tool's message is text alone there; images follow in one of the user.
        names = [_media_text(one) for one in use.media]
        texts = [text for text in use.texts if text not in names]
        said = "\n".join([*texts, *names])
        if not _is_inner(use.id):
            # The answer of a call says so itself; that of a cell begins with what its code printed.
            said = _ERROR + said if use.failed else f" {said}" if said.startswith(_ERROR) else said
        turns.append({"role": "tool", "tool_call_id": use.id, "content": said})
        for number, one in enumerate(use.media, 1):
            media.append(_text_block(f"{_media_text(one)} of call {use.id}"))
            media.append(_media_block(one, format, f"{use.id}-{number}"))
    media += extra
    return [*turns, {"role": "user", "content": media}] if media else turns


# ---- reading transcripts ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TranscriptCall:
    """One call of a capability in a transcript.

    ``id`` as in the messages (``c1_2``); ``name``; ``input`` by name, None if it was cut; ``state`` as in a record;
    ``result`` of a completed one; ``error``: type and message; ``complete``: whether input and answer are there in
    full, so that the call can be answered from the transcript.
    """

    id: str
    name: str
    input: Json | None
    state: str
    result: Any
    error: tuple[str, str] | None
    complete: bool


@dataclass(frozen=True, slots=True)
class TranscriptCell:
    """One cell in a transcript: its ``code``, whether it ended well, the ``text`` and ``media`` that the model was
    shown, its ``calls`` in order; ``complete``: whether all of them are there, in full."""

    id: str
    code: str
    ok: bool
    text: str
    media: tuple[Media, ...]
    calls: tuple[TranscriptCall, ...]
    complete: bool


@dataclass
class _Answer:
    failed: bool
    texts: list[str]
    media: list[Media]
    by_text: bool  # whether it failed stands in the text alone


@dataclass
class _Asked:
    id: str
    name: str
    input: Json
    where: str
    answer: _Answer | None = None
    inner: "list[_Asked]" = field(default_factory=list)
    left_out: bool = False


def from_messages(
    given: str | bytes | Sequence[Mapping[str, Any]], *, tool: str = "execute", names: Iterable[str] = ()
) -> tuple[TranscriptCell, ...]:
    """The cells and calls of a conversation in the shape of the Anthropic or the OpenAI (Chat Completions) API, as
    :func:`messages` makes it. Other messages and other tools' calls are passed over.

    Args:
        given: the list of messages, or its JSON text.
        tool: name of the tool that runs a cell; its input has the ``code``.
        names: exact names of capabilities, since ``notes.add`` is ``notes_add`` in an API.

    Raises:
        TranscriptError: not such a list, too large, an answer without its call or a call without its answer, an id
            twice, media that are not what they are said to be, damaged JSON.
    """
    cells, unfinished = _read(given, tool, names)
    for asked in unfinished:
        raise TranscriptError(f"{asked.where}: call {asked.id!r} has no answer")
    return cells


def _read(
    given: str | bytes | Sequence[Mapping[str, Any]], tool: str, names: Iterable[str]
) -> "tuple[tuple[TranscriptCell, ...], list[_Asked]]":
    """The cells, and the calls at the end that have no answer; a cell with such a call is not among the cells."""
    exact = _exact_names(names)
    try:
        if isinstance(given, (str, bytes)):
            if len(given) > MAX_CHARS:
                raise TranscriptError(f"a transcript has at most {MAX_CHARS} characters, not {len(given)}")
            given = loads(given)
        turns = _turns(given)
        return _Reader(tool).read(turns, exact)
    except NotStrict as error:
        raise TranscriptError(str(error)) from None


def _exact_names(names: Iterable[str]) -> dict[str, str]:
    exact: dict[str, str] = {}
    for name in names:
        for format in _MAX_NAME:
            short = api_name(name, format)
            other = exact.setdefault(short, name)
            if other != name:
                raise TranscriptError(f"{name!r} and {other!r} are both {short!r} in a transcript")
    return exact


def _turns(given: Any) -> list[Json]:
    if not isinstance(given, (list, tuple)):
        raise TranscriptError(f"a transcript is a list of messages, not {type(given).__name__}")
    if len(given) > MAX_MESSAGES:
        raise TranscriptError(f"a transcript has at most {MAX_MESSAGES} messages, not {len(given)}")
    left = [MAX_CHARS]
    turns = []
    for number, turn in enumerate(given):
        where = f"message {number}"
        if type(turn) is not dict:
            raise TranscriptError(f"{where} is {type(turn).__name__} and no object")
        check_plain(turn, where, left)
        if turn.get("role") not in ("system", "developer", "user", "assistant", "tool"):
            raise TranscriptError(f"{where}: there is no role {_shown(turn.get('role'))}")
        turns.append(turn)
    return turns


class _Reader:
    """Pairs what was asked with what was answered, in either API's shape."""

    def __init__(self, tool: str) -> None:
        self._tool = tool
        self._cells: list[_Asked] = []
        self._open: dict[str, _Asked] = {}
        self._ids: set[str] = set()
        self._by_digest: dict[str, Media] = {}

    def read(self, turns: list[Json], exact: Mapping[str, str]) -> tuple[tuple[TranscriptCell, ...], list[_Asked]]:
        for number, turn in enumerate(turns):
            where = f"message {number}"
            if turn["role"] == "assistant":
                self._all_answered()
                self._asked(turn, where)
            elif turn["role"] == "tool":
                self._answered(turn.get("tool_call_id"), False, turn.get("content"), where, True)
            elif turn["role"] == "user":
                self._user(turn, where)
        cells = [cell for cell in self._cells if all(one.answer is not None for one in (cell, *cell.inner))]
        return tuple(_cell(cell, exact, self._by_digest) for cell in cells), list(self._open.values())

    def _all_answered(self) -> None:
        for asked in self._open.values():
            raise TranscriptError(f"{asked.where}: call {asked.id!r} has no answer")

    def _asked(self, turn: Json, where: str) -> None:
        content = turn.get("content")
        if isinstance(content, list):
            for block in content:
                if _kind(block, where) == "tool_use":
                    self._one_asked(block.get("id"), block.get("name"), block.get("input"), where)
        calls = turn.get("tool_calls") or []
        if type(calls) is not list:
            raise TranscriptError(f"{where}: tool_calls is no list")
        for call in calls:
            if type(call) is dict and type(custom := call.get("custom")) is dict:
                # A tool that takes a text and no arguments.
                self._one_asked(call.get("id"), custom.get("name"), {"code": custom.get("input")}, where)
                continue
            function = call.get("function") if type(call) is dict else None
            if type(function) is not dict:
                raise TranscriptError(f"{where}: a tool call without a function")
            text = function.get("arguments")
            if type(text) is not str:
                raise TranscriptError(f"{where}: the arguments of a call are no JSON text")
            given = loads(text)
            check_plain(given, f"{where}: arguments", [MAX_CHARS])
            self._one_asked(call.get("id"), function.get("name"), given, where)

    def _one_asked(self, id: Any, name: Any, given: Any, where: str) -> None:
        if type(id) is not str or not 0 < len(id) <= 200:
            raise TranscriptError(f"{where}: a call has an id of 1 to 200 characters, not {_shown(id)}")
        if type(name) is not str or len(name) > 300:
            raise TranscriptError(f"{where}: call {id!r} has no name")
        if type(given) is not dict:
            raise TranscriptError(f"{where}: the input of call {id!r} is no object")
        if id in self._ids:
            raise TranscriptError(f"{where}: there are two calls {id!r}")
        if len(self._ids) >= MAX_CALLS:
            raise TranscriptError(f"a transcript has at most {MAX_CALLS} calls")
        self._ids.add(id)
        asked = self._open[id] = _Asked(id, name, given, where)
        if name == self._tool:
            if type(given.get("code")) is not str:
                raise TranscriptError(f"{where}: the input of {self._tool!r} has no text 'code'")
            self._cells.append(asked)
        elif _is_inner(id):
            if not self._cells:
                raise TranscriptError(f"{where}: call {id!r} of a cell comes before any cell")
            self._cells[-1].inner.append(asked)

    def _user(self, turn: Json, where: str) -> None:
        content = turn.get("content")
        if not isinstance(content, list):
            return
        for block in content:
            kind = _kind(block, where)
            if kind == "tool_result":
                self._answered(block.get("tool_use_id"), block.get("is_error"), block.get("content"), where)
            elif kind in ("image_url", "file"):
                media = _openai_media(block, where)
                if media is not None:
                    self._by_digest[media.sha256] = media
            elif kind == "text" and self._cells and str(block.get("text")).startswith(_LEFT_OUT):
                self._cells[-1].left_out = True

    def _answered(self, id: Any, failed: Any, content: Any, where: str, by_text: bool = False) -> None:
        asked = self._open.pop(id, None) if type(id) is str else None
        if asked is None:
            raise TranscriptError(f"{where}: an answer to {_shown(id)}, which was not asked or is answered already")
        if failed not in (None, True, False):
            raise TranscriptError(f"{where}: is_error of {id!r} is neither true nor false")
        answer = asked.answer = _Answer(failed is True, [], [], by_text)
        if content is None:
            return
        if type(content) is str:
            answer.texts.append(content)
            return
        if type(content) is not list:
            raise TranscriptError(f"{where}: the answer to {id!r} is neither text nor a list of blocks")
        for block in content:
            kind = _kind(block, where)
            if kind == "text":
                text = block.get("text")
                if type(text) is not str:
                    raise TranscriptError(f"{where}: a text block without text")
                answer.texts.append(text)
            elif kind in ("image", "document"):
                media = _anthropic_media(block, where)
                if media is not None:
                    answer.media.append(media)


def _kind(block: Any, where: str) -> str:
    kind = block.get("type") if type(block) is dict else None
    if type(kind) is not str:
        raise TranscriptError(f"{where}: a block without a type")
    return kind


def _shown(value: Any) -> str:
    return repr(value)[:100] if isinstance(value, (str, int, float, bool)) else type(value).__name__


def _anthropic_media(block: Json, where: str) -> Media | None:
    source = block.get("source")
    if type(source) is not dict or source.get("type") != "base64":
        return None  # by address or as text: nothing that a cell gave
    return _media(source.get("data"), source.get("media_type"), where)


def _openai_media(block: Json, where: str) -> Media | None:
    inner = block.get(block["type"])
    url = inner.get("url", inner.get("file_data")) if type(inner) is dict else None
    if type(url) is not str or not url.startswith("data:"):
        return None
    mime, found, data = url[5:].partition(";base64,")
    return _media(data, mime, where) if found else None


def _media(data: Any, mime: Any, where: str) -> Media:
    try:
        if type(data) is not str or type(mime) is not str:
            raise ValueError("no base64 text with a MIME type")
        return Media(b64decode(data, validate=True), mime)
    except ValueError as error:
        raise TranscriptError(f"{where}: media: {str(error)[:200]}") from None


def _cell(asked: _Asked, exact: Mapping[str, str], by_digest: Mapping[str, Media]) -> TranscriptCell:
    answer = asked.answer
    assert answer is not None
    texts = list(answer.texts)
    media = list(answer.media)
    failed = answer.failed
    text = "\n".join(texts)
    if answer.by_text and text.startswith(_ERROR):
        failed = True
        text = text.removeprefix(_ERROR)
    while not answer.media and len(media) < MAX_IMAGES + MAX_PDFS:
        before, _, line = text.rpartition("\n")
        found = by_digest.get(_digest_of(line))
        if found is None:
            break
        media.insert(0, found)
        text = before
    calls = tuple(_call(inner, exact, by_digest) for inner in asked.inner)
    complete = not asked.left_out and all(call.complete for call in calls)
    return TranscriptCell(asked.id, asked.input["code"], not failed, text, tuple(media), calls, complete)


def _digest_of(text: str) -> str:
    """The digest in a line that stands for an image or PDF."""
    if not text.startswith(_MEDIA) or not text.endswith("]"):
        return ""
    return text[:-1].rpartition(" ")[2]


def _call(asked: _Asked, exact: Mapping[str, str], by_digest: Mapping[str, Media]) -> TranscriptCall:
    answer = asked.answer
    assert answer is not None
    name = exact.get(asked.name, asked.name)
    complete = asked.input.get(TAG) != "cut"
    given = value_of(asked.input) if complete else None
    text = "\n".join(answer.texts)
    state, result, error = COMPLETED, None, None
    if answer.failed or text.startswith(_ERROR):
        state, error = _read_error(text)
    elif answer.media:
        result = answer.media[0]
    elif text.startswith((_CUT, _MEDIA)):
        result = by_digest.get(_digest_of(text))
        complete = complete and result is not None
    else:
        result = _read_value(text)
    if not isinstance(given, dict):
        given = None
        complete = False
    return TranscriptCall(asked.id, name, given, state, result, error, complete)


def _read_error(text: str) -> tuple[str, tuple[str, str]]:
    said, _, rest = text.removeprefix(_ERROR).partition(": ")
    state = _STATES.get(said)
    if state is None:  # another program's words
        return FAILED, ("Error", text[:10_000])
    kind, found, message = rest.partition(": ")
    return state, (kind, message) if found else ("Error", rest)


def _read_value(text: str) -> Any:
    try:
        value = loads(text)
    except NotStrict:
        return text
    check_plain(value, "an answer", [MAX_CHARS])
    return value_of(value)


# ---- sessions from transcripts ---------------------------------------------------------------------------------------


def to_log(cells: Iterable[TranscriptCell], language: str, *, log: "ReplayLog | None" = None) -> "ReplayLog":
    """The cells of a transcript as a replay log (``docs/replay.md``), for
    :meth:`~wasmhost.session.session.Session.from_log`. It has what the transcript has: code and answers, no random
    numbers and no time.

    Args:
        cells: what :func:`from_messages` gave.
        language: of the sandbox that ran them: ``"python"``, ``"javascript"``, ``"typescript"``.
        log: where to write; by default a new one in memory.

    Raises:
        OSError: the log cannot be written.
    """
    from .state.replay import ReplayLog

    log = ReplayLog() if log is None else log
    number = 0
    for cell in cells:
        number = _number_of(cell, number)
        log.write(
            {
                "format": 1,
                "cell": number,
                "language": language,
                "code": cell.code,
                "ended": "done" if cell.ok else _how_it_ended(cell.text),
                "error": None,
                "calls": [_logged(call) for call in cell.calls],
                "whole": cell.complete or not all(call.complete for call in cell.calls),
            }
        )
    return log


def _number_of(cell: TranscriptCell, before: int) -> int:
    """Its number, which the ids of its calls have if it made any."""
    if cell.calls and _is_inner(cell.calls[0].id):
        digits = cell.calls[0].id[1:].partition("_")[0]
        if len(digits) < 8 and int(digits) > before:
            return int(digits)
    return before + 1


def _how_it_ended(text: str) -> str:
    """What a log says of a cell that failed. Code that prints what a stopped cell would look like is skipped like
    one, and no worse."""
    error = text.rpartition("[error]\n")[2]
    for state in ("restored", "lost"):
        if f"\n[variables: {state}]" in error:
            return state
    if error.startswith("Suspended: "):
        return "suspended"
    return "stopped" if _STOPPED.match(error) else "failed"


def _logged(call: TranscriptCall) -> Json:
    made: Json = {"id": call.id.replace("_", "."), "name": call.name, "state": call.state}
    made["input"] = jsonable_or_text(call.input)
    if call.error is not None:
        made["error"] = {"type": call.error[0], "message": call.error[1]}
    elif call.complete:
        result = call.result
        made["result"] = jsonable_or_text(bytes(result) if isinstance(result, Media) else result)
    return made


def from_transcript(
    kind: "type[S]",
    given: str | bytes | Sequence[Mapping[str, Any]],
    tool: str,
    reseed: bool,
    options: dict[str, Any],
) -> "S":
    """See :meth:`~wasmhost.session.session.Session.from_transcript`."""
    from .state.replay import RESUME, hydrate

    def entries(session: "Session") -> list[Json]:
        capabilities = session._capabilities
        cells, unfinished = _read(given, tool, () if capabilities is None else capabilities.offered)
        if unfinished:
            assert session.hydration is not None
            calls = ", ".join(repr(asked.id) for asked in unfinished[:5])
            session.hydration.notes.append(f"the conversation ends without an answer to {calls}: not run again")
        return to_log(cells, session.language).read()

    return hydrate(kind, RESUME, entries, reseed, options)
