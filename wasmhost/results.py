"""What a cell gives back: one of two classes, told apart by ``ok``."""

from .protocol.frames import ErrorFrame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal, NoReturn

    from .limits import Limits
    from .media import Media
    from .protocol.frames import Done


class Stop:
    """Which limit ended a cell. ``limit``: script, wall, fuel, memory, stack, cancelled, interrupted or closed;
    ``layer``: ``soft`` (the session kept its state) or ``hard``; ``used``: milliseconds, for fuel its units, for
    memory bytes."""

    __slots__ = ("layer", "limit", "used")

    def __init__(self, limit: str, layer: str, used: float) -> None:
        self.limit: str = limit
        self.layer: str = layer
        self.used: float = used

    def __repr__(self) -> str:
        return f"Stop(limit={self.limit!r}, layer={self.layer!r}, used={self.used!r})"


# Set on every result, in the order of the JSON form.
_FIELDS = (
    "status",
    "stdout",
    "stderr",
    "value",
    "has_value",
    "value_text",
    "value_truncated",
    "error",
    "error_type",
    "error_message",
    "error_frames",
    "duration_ms",
    "fuel",
    "script_ms",
    "wall_ms",
    "stop",
    "state",
    "calls",
    "registered_tools",
    "media",
    "background_stdout",
    "background_stderr",
    "notes",
    "elided_stdout",
    "elided_stderr",
    "text_limit",
)


class _Result:
    """The fields that both kinds of result have. Frozen once it has become one of the two."""

    __slots__ = _FIELDS

    status: "Literal['done', 'suspended']"
    stdout: str
    stderr: str
    value: "Any"
    has_value: bool
    value_text: str
    value_truncated: bool
    error_type: str | None
    error_message: str | None
    error_frames: "Sequence[ErrorFrame]"
    duration_ms: float
    fuel: int
    script_ms: float
    wall_ms: float
    stop: Stop | None
    state: "Literal['kept', 'restored', 'lost']"
    calls: "Sequence[Any]"
    registered_tools: "Sequence[Any]"
    media: "Sequence[Media]"
    background_stdout: str
    background_stderr: str
    notes: "Sequence[str]"
    elided_stdout: int
    elided_stderr: int
    text_limit: int

    @property
    def background(self) -> "dict[str, str]":
        """What was printed while the cell waited by what earlier cells have left: timers, tasks, callbacks. Bounded as
        the cell's own output is."""
        return {"stdout": self.background_stdout, "stderr": self.background_stderr}

    @property
    def output_elided(self) -> "dict[str, int]":
        """Bytes of each stream that were left out of ``stdout`` and ``stderr``."""
        return {"stdout": self.elided_stdout, "stderr": self.elided_stderr}

    def to_dict(self) -> "dict[str, Any]":
        """The result as JSON has it: camelCase names, strict values (``docs/values.md``)."""
        from .protocol.json_text import clean, jsonable

        made: dict[str, Any] = {
            "ok": self.ok,  # type: ignore[attr-defined]
            "status": self.status,
            "stdout": clean(self.stdout),
            "stderr": clean(self.stderr),
        }
        if self.has_value:
            made["value"] = jsonable(self.value)
        made["valueText"] = clean(self.value_text)
        made["valueTruncated"] = self.value_truncated
        if isinstance(self, RuntimeFailure):
            made["error"] = clean(self.error)
            made["errorType"] = clean(self.error_type or "")
            made["errorMessage"] = clean(self.error_message or "")
            made["errorFrames"] = [
                {
                    "cell": f.cell,
                    "line": f.line,
                    "column": f.column,
                    "function": clean(f.function),
                    "source": clean(f.source),
                }
                for f in self.error_frames
            ]
        stop = self.stop
        made |= {
            "durationMs": round(self.duration_ms, 3),
            "fuel": self.fuel,
            "scriptMs": round(self.script_ms, 3),
            "wallMs": round(self.wall_ms, 3),
            "stop": None if stop is None else {"limit": stop.limit, "layer": stop.layer, "used": stop.used},
            "state": self.state,
            "calls": [call.to_dict() for call in self.calls],
            "registeredTools": list(self.registered_tools),
            "media": [media.to_dict() for media in self.media],
            "background": {key: clean(text) for key, text in self.background.items()},
            "notes": [clean(note) for note in self.notes],
            "outputElided": self.output_elided,
        }
        return made

    def to_json(self) -> str:
        """:meth:`to_dict` as one line of ASCII JSON."""
        from .protocol.json_text import dumps

        return dumps(self.to_dict())

    def content(self, format: str = "anthropic", *, text_chars: int | None = None) -> "list[dict[str, Any]]":
        """What a model is shown of it, as content blocks of an API: text, then images and PDFs
        (``docs/transcripts.md``).

        Args:
            format: ``"anthropic"`` or ``"openai"``.
            text_chars: most characters of text; by default ``Limits.text_chars`` of the cell.

        Raises:
            ValueError: another format, or fewer than 1,000 characters.
        """
        from .transcript import content

        return content(self, format, text_chars=text_chars)  # type: ignore[arg-type]

    def messages(
        self,
        format: str = "anthropic",
        *,
        code: str | None = None,
        id: str = "cell",
        tool: str = "execute",
        text_chars: int | None = None,
    ) -> "list[dict[str, Any]]":
        """The calls of the cell as paired messages of an API, and with ``code`` the cell itself as the call that they
        belong to (``docs/transcripts.md``).

        Args:
            format: ``"anthropic"`` or ``"openai"`` (Chat Completions).
            code: source of the cell; None leaves the cell itself out.
            id, tool: of the call that ran the cell, where ``code`` is given.
            text_chars: most characters of text in all; by default ``Limits.text_chars`` of the cell.

        Raises:
            ValueError: another format, fewer than 1,000 characters, or an id or name that the APIs do not take.
        """
        from .transcript import messages

        return messages(self, format, code=code, id=id, tool=tool, text_chars=text_chars)  # type: ignore[arg-type]

    def tool_definitions(self, format: str = "anthropic", *, text_chars: int | None = None) -> "list[dict[str, Any]]":
        """The tools that the cell has registered, as an API is told of tools. Those that do not fit into
        ``text_chars`` characters together are left out; ``registered_tools`` has them all.

        Raises:
            ValueError: another format, or fewer than 1,000 characters.
        """
        from .transcript import tool_definitions

        return tool_definitions(self, format, text_chars=text_chars)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        shown = ", ".join(
            f"{name}={_shown(getattr(self, name))}"
            for name in ("stdout", "stderr", "value", "error", "stop")
            if getattr(self, name, None) not in ("", None)
        )
        return f"{type(self).__name__}({shown})"

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: object) -> "Any":
        from pydantic_core import core_schema

        return core_schema.is_instance_schema(
            cls, serialization=core_schema.plain_serializer_function_ser_schema(lambda result: result.to_dict())
        )

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: object, handler: object) -> "dict[str, Any]":
        from .protocol.result_schema import schema_of

        return schema_of(cls is RuntimeSuccess)


def _shown(value: object) -> str:
    """repr, whatever a guest has put into a value: Python refuses the digits of a huge integer."""
    try:
        return repr(value)
    except (ValueError, RecursionError):
        return f"<{type(value).__name__} that is too large to be shown>"


class MutableResult(_Result):
    """A result under construction: filled by plain assignment, then turned into one of the two below by
    :meth:`finish`."""

    __slots__ = ("error",)

    error: str | None

    def finish(self) -> "RuntimeSuccess | RuntimeFailure":
        self.__class__ = RuntimeSuccess if self.error is None else RuntimeFailure  # type: ignore[assignment]
        return self  # type: ignore[return-value]


_FROZEN = "a result cannot be changed"


class RuntimeSuccess(_Result):
    """A cell that ended well. ``value`` is the Python object (``docs/values.md``), ``value_text`` what a REPL
    would show of it."""

    __slots__ = ("error",)

    error: None

    def __setattr__(self, name: str, value: object) -> "NoReturn":
        raise AttributeError(_FROZEN)

    def __delattr__(self, name: str) -> "NoReturn":
        raise AttributeError(_FROZEN)

    @property
    def ok(self) -> "Literal[True]":
        return True


class RuntimeFailure(_Result):
    """A cell that failed: whatever its code did, or a limit. ``error`` is the text a person reads, with the frames
    of the guest's own code."""

    __slots__ = ("error",)

    error: str

    def __setattr__(self, name: str, value: object) -> "NoReturn":
        raise AttributeError(_FROZEN)

    def __delattr__(self, name: str) -> "NoReturn":
        raise AttributeError(_FROZEN)

    @property
    def ok(self) -> "Literal[False]":
        return False


RuntimeResult = RuntimeSuccess | RuntimeFailure


def cut_and_media(made: MutableResult, answer: "Done", limits: "Limits") -> list[str]:
    """Fills in the media of a value that has bytes in it; notes of what was cut and left out."""
    notes = []
    if answer.truncated:
        notes.append(
            f"value_text was cut to {limits.text_chars} characters"
            if made.has_value
            else f"the value has more than {limits.value_bytes} bytes and stayed in the sandbox; value_text shows at "
            f"most {limits.text_chars} characters of it"
        )
    if answer.attachments:
        from .media import of_value

        made.media, left_out = of_value(answer.attachments)
        notes += left_out
    return notes


def cut_error(made: MutableResult) -> list[str]:
    """Keeps the beginning and the end of an error's text, with a notice between them, where the guest has not cut it
    itself."""
    text, most = made.error or "", made.text_limit
    if len(text) > most:
        notice = f"\n[{len(text) - most} characters and more are left out]\n"
        room = most - len(notice)
        head = room * 3 // 4
        made.error = text[:most] if room < 0 else text[:head] + notice + text[len(text) - (room - head) :]
    return [f"error was cut to {most} characters"]
