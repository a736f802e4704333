"""Events of sessions as OpenTelemetry spans: the extra ``wasmhost-runtime[otel]`` (``docs/trace.md``)."""

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

from .protocol.harmless import harmless

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.trace import Span, TracerProvider
    from opentelemetry.util.types import AttributeValue

    from .trace import Event

# Attributes of the GenAI conventions. The package of constants marks them as moved, so they are written here.
_OPERATION, _TOOL, _CALL_ID, _TYPE = (
    "gen_ai.operation.name",
    "gen_ai.tool.name",
    "gen_ai.tool.call.id",
    "gen_ai.tool.type",
)
_ARGUMENTS, _RESULT = "gen_ai.tool.call.arguments", "gen_ai.tool.call.result"

_STEPS = {"decision": ("decision",), "hook": ("hook", "outcome"), "call.step": ("step", "outcome"), "call.execute": ()}
_OF_CELLS = {
    "stop": ("limit", "layer", "used", "state"),
    "checkpoint": ("bytes", "ms"),
    "state": ("state",),
    "cell.resume": ("fuel",),
}
_NAME_CHARS = 200


class OpenTelemetry:
    """A sink for :class:`~wasmhost.trace.Trace` that makes spans: one for each cell, with one below it for each call.

    A cell's span is a child of the span that is current where the cell is started.

    Args:
        provider: by default the global one.
        content: also record arguments and results of calls (``gen_ai.tool.call.arguments``, ``.result``); the
            conventions want this to be asked for.

    Raises:
        ImportError: the API of OpenTelemetry is not installed.
    """

    def __init__(self, provider: "TracerProvider | None" = None, *, content: bool = False) -> None:
        try:
            from opentelemetry import trace
        except ImportError:
            raise ImportError(
                "spans need the API of OpenTelemetry: pip install 'wasmhost-runtime[otel]'", name="opentelemetry"
            ) from None
        from . import __version__

        self._api = trace
        self._tracer = trace.get_tracer("wasmhost", __version__, provider)
        self._content = content
        self._cells: dict[tuple[str, int], Span] = {}
        self._calls: dict[tuple[str, str], Span] = {}
        self._of_session: dict[str, tuple[str, str]] = {}

    def __call__(self, event: "Event") -> None:
        """Takes one event."""
        kind, session = event["event"], event["session"]
        at = int(datetime.fromisoformat(event["time"]).timestamp() * 1e6) * 1_000
        if kind == "session.begin":
            label = event["label"]
            self._of_session[session] = (event["language"], label if isinstance(label, str) else "")
        elif kind in ("cell.begin", "cell.resume"):
            self._begin_cell(event, session, at)
        elif kind == "call.begin":
            self._call(event, session, at)
        elif kind in _STEPS:
            span = self._calls.get((session, event["call"]))
            if span is not None:
                span.add_event(f"wasmhost.{kind}", _attributes(event, _STEPS[kind]), at)
        elif kind in ("call.end", "call.suspend"):
            self._end_call(event, session, at)
        elif kind in ("cell.end", "cell.abandon", "cell.undo"):
            self._end_cell(event, session, at)
        elif kind == "session.close":
            self._of_session.pop(session, None)
        if kind in _OF_CELLS:
            span = self._cells.get((session, event.get("cell", -1)))
            if span is not None:
                span.add_event(f"wasmhost.{kind}", _attributes(event, _OF_CELLS[kind]), at)

    # ---- cells ----

    def _begin_cell(self, event: "Event", session: str, at: int) -> None:
        language, label = self._of_session.get(session, ("", ""))
        attributes: dict[str, AttributeValue] = {
            "wasmhost.session.id": session,
            "wasmhost.cell": event["cell"],
            "wasmhost.language": language,
        }
        if label:
            attributes["wasmhost.session.label"] = harmless(label)
        span = self._tracer.start_span("wasmhost.cell", attributes=attributes, start_time=at)
        self._cells[session, event["cell"]] = span

    def _end_cell(self, event: "Event", session: str, at: int) -> None:
        span = self._cells.pop((session, event["cell"]), None)
        if span is None:
            return
        names = ("status", "state", "fuel", "script_ms", "wall_ms")
        span.set_attributes(_attributes(event, tuple(name for name in names if name in event)))
        if event["event"] != "cell.end":
            self._failed(span, event["event"], "")
        elif not event["ok"] and event["status"] != "suspended":
            self._failed(span, event["error_type"], event["error"])
        span.end(at)

    # ---- calls ----

    def _call(self, event: "Event", session: str, at: int) -> "Span":
        name = harmless(event["name"])[:_NAME_CHARS]
        cell = self._cells.get((session, event["cell"]))
        context: Context | None = None if cell is None else self._api.set_span_in_context(cell)
        attributes = {_OPERATION: "execute_tool", _TOOL: name, _CALL_ID: event["call"], _TYPE: "function"}
        span = self._tracer.start_span(f"execute_tool {name}", context, attributes=attributes, start_time=at)
        self._calls[session, event["call"]] = span
        return span

    def _end_call(self, event: "Event", session: str, at: int) -> None:
        # A call of a cell that went on elsewhere began there.
        span = self._calls.pop((session, event["call"]), None) or self._call(event, session, at)
        self._calls.pop((session, event["call"]), None)
        if event["event"] == "call.suspend":
            span.set_attribute("wasmhost.call.state", "suspended")
            span.end(at)
            return
        span.set_attributes(
            {
                "wasmhost.call.state": event["state"],
                "wasmhost.call.permission": event["permission"] or "",
                "wasmhost.call.executed": event["executed"],
            }
        )
        if self._content:
            span.set_attribute(_ARGUMENTS, _json(event["input"]))
            if "result" in event:
                span.set_attribute(_RESULT, _json(event["result"]))
        if "error_type" in event:
            self._failed(span, event["error_type"], event["error"])
        span.end(at)

    def _failed(self, span: "Span", kind: str, text: Any) -> None:
        span.set_attribute("error.type", harmless(kind)[:_NAME_CHARS] or "_OTHER")
        described = text if isinstance(text, str) else text["cut"]
        span.set_status(self._api.StatusCode.ERROR, harmless(described) or None)


def _attributes(event: "Event", names: tuple[str, ...]) -> "dict[str, AttributeValue]":
    return {f"wasmhost.{name}": _plain(event[name]) for name in names}


def _plain(value: Any) -> "AttributeValue":
    return (
        harmless(value) if isinstance(value, str) else value if isinstance(value, (bool, int, float)) else _json(value)
    )


def _json(value: Any) -> str:
    return json.dumps(value, allow_nan=False, separators=(",", ":"))
