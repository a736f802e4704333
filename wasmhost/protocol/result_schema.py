"""The JSON schema of a result, for models that have one as a field."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_TEXT = {"type": "string"}
_NUMBER = {"type": "number"}
_COUNT = {"type": "integer", "minimum": 0}
_STREAMS = {
    "type": "object",
    "properties": {"stdout": _TEXT, "stderr": _TEXT},
    "required": ["stdout", "stderr"],
    "additionalProperties": False,
}
_COUNTS = {
    "type": "object",
    "properties": {"stdout": _COUNT, "stderr": _COUNT},
    "required": ["stdout", "stderr"],
    "additionalProperties": False,
}
_PLACE = {"anyOf": [{"type": "integer"}, {"type": "null"}]}


def _object(properties: "dict[str, Any]") -> "dict[str, Any]":
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


_STOP = {
    "anyOf": [
        {"type": "null"},
        _object(
            {
                "limit": {"enum": ["script", "wall", "fuel", "memory", "stack", "cancelled", "interrupted", "closed"]},
                "layer": {"enum": ["soft", "hard"]},
                "used": _NUMBER,
            }
        ),
    ]
}
_FRAME = _object({"cell": _PLACE, "line": _PLACE, "column": _PLACE, "function": _TEXT, "source": _TEXT})
_MEDIA = _object(
    {
        "mime": {"enum": ["image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"]},
        "size": _COUNT,
        "sha256": _TEXT,
        "data": _TEXT,
    }
)


def schema_of(success: bool) -> "dict[str, Any]":
    """The schema of a success or of a failure. ``value`` is there only when the cell has one, so it is not required."""
    properties: dict[str, Any] = {
        "ok": {"const": success},
        "status": {"enum": ["done", "suspended"]},
        "stdout": _TEXT,
        "stderr": _TEXT,
    }
    properties |= {"valueText": _TEXT, "valueTruncated": {"type": "boolean"}}
    if not success:
        properties |= {
            "error": _TEXT,
            "errorType": _TEXT,
            "errorMessage": _TEXT,
            "errorFrames": {"type": "array", "items": _FRAME},
        }
    properties |= {
        "durationMs": _NUMBER,
        "fuel": _COUNT,
        "scriptMs": _NUMBER,
        "wallMs": _NUMBER,
        "stop": _STOP,
        "state": {"enum": ["kept", "restored", "lost"]},
        "calls": {"type": "array"},
        "registeredTools": {"type": "array"},
        "media": {"type": "array", "items": _MEDIA},
        "background": _STREAMS,
        "notes": {"type": "array", "items": _TEXT},
        "outputElided": _COUNTS,
    }
    schema = _object(properties)
    schema["properties"]["value"] = {}
    schema["title"] = "RuntimeSuccess" if success else "RuntimeFailure"
    return schema
