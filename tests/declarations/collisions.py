"""Capabilities whose names are those of types, keywords, or of what a declaration uses itself."""

import datetime
from typing import Any

from pydantic import BaseModel

from wasmhost import Capability


class Read(BaseModel):
    date: datetime.date
    time: datetime.time | None
    list: list[int]


class Tool(BaseModel):
    str: str


def _named(name: str) -> Capability:
    async def function(
        text: str, day: datetime.date, many: list[str], table: dict[str, int], any: Any = None, read: Read | None = None
    ) -> list[dict[str, Read | Tool]]:
        """Does something."""
        return []

    return Capability.of(function, name=name)


def _schema(**properties: Any) -> Capability:
    schema = {"type": "object", "properties": properties, "$defs": {"Status": {"enum": ["a", "b"]}}}
    return Capability.from_json_schema("odd", lambda **given: None, schema, output_schema=schema)


COLLISIONS = {
    "builtins": [_named(name) for name in ("list", "str", "dict", "int", "bool")],
    "imported": [_named(name) for name in ("date", "time.date", "Any", "overload", "Literal", "TypedDict")],
    "ours": [_named(name) for name in ("Tools", "Tool", "sync_tool", "async_tool", "Read", "tools", "self")],
    "namespaces": [_named(name) for name in ("notes.list", "notes.get", "a.b.list", "a.b.str", "list_.x", "x.list")],
    "schema": [
        _schema(**{
            "Status": {"$ref": "#/$defs/Status"},
            "other": {"type": "object", "properties": {"Status": {"$ref": "#/$defs/Status"}, "__x": {}, "int": {}}},
            "self": {"type": "integer"}, "more": {"type": "string"}, "__y": {"type": "string"}, "a b": {}, "": {},
            "def": {"type": "object", "properties": {"": {"type": "integer"}, "`": {}, "'\"\\": {}}},
            "args": {"type": "array"}, "kwargs": {"type": "object"}, "this": {}, "arguments": {}, "async": {},
        })
    ],
}  # fmt: skip
