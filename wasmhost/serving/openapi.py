"""The description of the HTTP interface, for tools that make clients of it."""

from typing import Any

from .. import __version__
from ..protocol.result_schema import schema_of
from ..settings import LANGUAGES
from .jsonrpc import Json

_NAME = {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$", "default": "main"}
_LANGUAGE = {"type": "string", "enum": list(LANGUAGES)}
_WHICH = {"session": _NAME, "language": _LANGUAGE}
_CAPABILITY = {
    "type": "object",
    "required": ["name"],
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string"},
        "description": {"type": "string"},
        "inputSchema": {"type": "object"},
        "outputSchema": {"type": "object"},
        "decision": {"type": "string", "enum": ["allow", "ask", "deny"], "default": "allow"},
        "timeoutMs": {"type": "number", "exclusiveMinimum": 0},
        "readOnly": {"type": "boolean"},
        "idempotent": {"type": "boolean"},
        "exclusive": {"type": "boolean"},
        "isolation": {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
    },
}
_STATE = {
    "type": "object",
    "required": ["name", "language", "state", "cells", "idleSeconds"],
    "properties": {
        "name": {"type": "string"},
        "language": _LANGUAGE,
        "state": {"type": "string", "enum": ["starting", "idle", "running", "ended"]},
        "cells": {"type": "integer"},
        "idleSeconds": {"type": "number"},
        "reason": {"type": "string"},
    },
}
_TEXT = {"type": "string"}

# Parameters (with those that are needed) and result of each method.
METHODS: dict[str, tuple[str, Json, list[str], Json]] = {
    "info": (
        "Version, languages and limits of the server.",
        {},
        [],
        {"name": _TEXT, "version": _TEXT, "protocol": {"type": "integer"}, "languages": {"type": "array"}},
    ),
    "create": (
        "Makes a session with functions of the client; one that the name had ends.",
        {
            **_WHICH,
            "capabilities": {"type": "array", "items": _CAPABILITY, "maxItems": 500},
            "approvals": {"type": "boolean", "default": False},
        },
        [],
        {"session": _TEXT, "language": _LANGUAGE},
    ),
    "execute": (
        "Runs a cell. With `output`, the server tells of output as it comes.",
        {
            "code": {"type": "string", "maxLength": 8 << 20},
            **_WHICH,
            "timeoutMs": {"type": "number", "exclusiveMinimum": 0},
            "output": {"type": "boolean", "default": False},
        },
        ["code"],
        {},
    ),
    "reset": (
        "Ends a session, or all of a name.",
        _WHICH,
        [],
        {"ended": {"type": "array", "items": _STATE}},
    ),
    "sessions": ("What there is, and why some have ended.", {}, [], {"sessions": {"type": "array", "items": _STATE}}),
    "describe": ("The variables of a session.", _WHICH, [], {"variables": {"type": "array"}}),
    "instructions": (
        "What a model should be told of a session.",
        {**_WHICH, "form": {"type": "string", "enum": ["short", "full"], "default": "short"}},
        [],
        {"text": _TEXT},
    ),
    "snapshot": ("The state of a session.", _WHICH, [], {"snapshot": _TEXT, "language": _LANGUAGE}),
    "restore": (
        "A session from a snapshot, in place of the one of that name.",
        {**_WHICH, "snapshot": {"type": "string", "contentEncoding": "base64"}},
        ["snapshot"],
        {"session": _TEXT, "language": _LANGUAGE},
    ),
    "cancel": (
        "Cancels a request that is being worked on.",
        {"id": {"oneOf": [{"type": "string"}, {"type": "integer"}]}},
        ["id"],
        {"cancelled": {"type": "boolean"}},
    ),
}


def description() -> Json:
    """The document of ``/openapi.json``: OpenAPI 3.1."""
    schemas: Json = {
        "Error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {"code": {"type": "integer"}, "message": _TEXT, "data": {}},
        },
        "ErrorResponse": {
            "type": "object",
            "required": ["jsonrpc", "id", "error"],
            "properties": {
                "jsonrpc": {"const": "2.0"},
                "id": {"type": ["string", "integer", "null"]},
                "error": {"$ref": "#/components/schemas/Error"},
            },
        },
        "Answer": {
            "description": "The response of the client to `call` or `approve`.",
            "type": "object",
            "required": ["jsonrpc", "id"],
            "properties": {"jsonrpc": {"const": "2.0"}, "id": _TEXT, "result": {}, "error": {"type": "object"}},
        },
        "RuntimeResult": {"oneOf": [schema_of(True), schema_of(False)]},
    }
    requests = [{"$ref": "#/components/schemas/Answer"}]
    results: list[Any] = []
    for name, (what, properties, required, result) in METHODS.items():
        title = name.capitalize()
        params: Json = {"type": "object", "properties": properties, "additionalProperties": False}
        if required:
            params["required"] = required
        schemas[f"{title}Request"] = {
            "description": what,
            "type": "object",
            "required": ["jsonrpc", "method", *(["params"] if required else [])],
            "properties": {
                "jsonrpc": {"const": "2.0"},
                "id": {"type": ["string", "integer"]},
                "method": {"const": name},
                "params": params,
            },
        }
        schemas[f"{title}Result"] = (
            {"$ref": "#/components/schemas/RuntimeResult"}
            if name == "execute"
            else {"type": "object", "required": list(result), "properties": result}
        )
        requests.append({"$ref": f"#/components/schemas/{title}Request"})
        results.append({"$ref": f"#/components/schemas/{title}Result"})
    schemas["Response"] = {
        "type": "object",
        "required": ["jsonrpc", "id", "result"],
        "properties": {
            "jsonrpc": {"const": "2.0"},
            "id": {"type": ["string", "integer"]},
            "result": {"anyOf": results},
        },
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "wasmhost",
            "version": __version__,
            "description": "Sessions of sandboxed code, by JSON-RPC.",
        },
        "security": [{"token": []}],
        "paths": {
            "/v1/clients": {
                "post": {
                    "operationId": "beginClient",
                    "summary": "Begins a client, whose sessions end with it.",
                    "responses": {
                        "201": _json(
                            "The client.",
                            {
                                "type": "object",
                                "required": ["client", "goneSeconds"],
                                "properties": {"client": _TEXT, "goneSeconds": {"type": "number"}},
                            },
                        ),
                        "503": {"description": "Too many clients."},
                    },
                }
            },
            "/v1/clients/{client}": {
                "parameters": [_CLIENT],
                "delete": {
                    "operationId": "endClient",
                    "summary": "Ends a client and its sessions.",
                    "responses": {"204": {"description": "Ended."}, "404": {"description": "No such client."}},
                },
            },
            "/v1/clients/{client}/rpc": {
                "parameters": [_CLIENT],
                "post": {
                    "operationId": "rpc",
                    "summary": "One message. With `Accept: text/event-stream` what comes of it is events.",
                    "requestBody": {"required": True, "content": {"application/json": {"schema": {"anyOf": requests}}}},
                    "responses": {
                        "200": _json(
                            "The response.",
                            {
                                "oneOf": [
                                    {"$ref": "#/components/schemas/Response"},
                                    {"$ref": "#/components/schemas/ErrorResponse"},
                                ]
                            },
                        ),
                        "202": {"description": "A notification, or an answer of the client, was taken."},
                        "404": {"description": "No such client."},
                        "413": {"description": "The body is too large."},
                    },
                },
            },
        },
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}, "schemas": schemas},
    }


_CLIENT = {"name": "client", "in": "path", "required": True, "schema": _TEXT}


def _json(what: str, schema: Json) -> Json:
    return {"description": what, "content": {"application/json": {"schema": schema}}}
