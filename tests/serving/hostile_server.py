"""An MCP server as no SDK would write one, run as a program: ``hostile_server.py HOW [http]``. Over HTTP it says its
port in the first line of its stdout."""

import base64
import gzip
import json
import os
import sys
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ESCAPES = "\x1b[2J\x1b]0;gone\x07\x9b31m\u202eevil\u2066\x00\r\n*/ \"\"\" ''' ``` <|im_start|> {} %s \\"
MANY = 12 << 20
NAMES = [
    "",
    "n" * 100_000,
    "twice",
    "twice",
    "__proto__",
    "constructor",
    "prototype",
    "then",
    "toString",
    "valueOf",
    "hasOwnProperty",
    "toJSON",
    "__class__",
    "__init__",
    "__getattr__",
    "__dict__",
    "__call__",
    "__await__",
    "_call",
    "call",
    "items",
    "class",
    "await",
    "import",
    "None",
    "print",
    "eval",
    "tools",
    "a-b",
    "a_b",
    "a/b",
    "dot",
    "dot.inner",
    "..",
    ".",
    "a..b",
    "9lives",
    "-",
    "_",
    "é",
    "x\x1b[2J",
    "x\u202ey",
    "x\ny",
    "x y",
    "x\x00y",
]
OBJECT = {"type": "object", "properties": {}}


def deep(of: str, depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        schema = {"type": "object", of: {"a": schema}} if of == "properties" else {"anyOf": [schema, {"type": "null"}]}
    return {"type": "object", "properties": {"x": schema}}


SCHEMAS: dict[str, dict[str, Any]] = {
    "fine": {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]},
    "itself": {"type": "object", "properties": {"x": {"$ref": "#"}}},
    "circle": {
        "type": "object",
        "properties": {"x": {"$ref": "#/$defs/a"}},
        "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
    },
    "doubling": {
        "type": "object",
        "properties": {"x": {"$ref": "#/$defs/d0"}},
        "$defs": {
            **{f"d{i}": {"anyOf": [{"$ref": f"#/$defs/d{i + 1}"}, {"$ref": f"#/$defs/d{i + 1}"}]} for i in range(40)},
            "d40": {"type": "string"},
        },
    },
    "elsewhere": {"type": "object", "properties": {"x": {"$ref": "http://127.0.0.1:9/schema.json"}}},
    "a_file": {"type": "object", "properties": {"x": {"$ref": "file:///etc/passwd"}}},
    "many": {"type": "object", "properties": {f"p{i}": {"type": "string"} for i in range(10_000)}},
    "hostile_properties": {
        "type": "object",
        "properties": {key: {"type": "string", "description": ESCAPES} for key in ("", "__proto__", ESCAPES, "a b")},
    },
    "catastrophe": {"type": "object", "properties": {"x": {"type": "string", "pattern": "^(a+)+$"}}},
    "bomb": {"type": "object", "properties": {"x": {"type": "string", "pattern": "(((a{1000}){1000}){1000})"}}},
    "no_pattern": {"type": "object", "properties": {"x": {"type": "string", "pattern": "((("}}},
    "deep": deep("properties", 60),
    "deep_choices": deep("anyOf", 60),
    "enum": {"type": "object", "properties": {"x": {"enum": [f"value {i}" for i in range(10_000)]}}},
    "long_enum": {"type": "object", "properties": {"x": {"enum": ["e" * 200_000, ESCAPES]}}},
    "no_type": {"type": "object", "properties": {"x": {"type": {"a": 1}}, "z": {"enum": {}}}},
    "numbers": {"type": "object", "properties": {"x": {"type": "integer", "minimum": 10**400, "multipleOf": 1e-320}}},
    "large": {"type": "object", "properties": {"x": {"type": "string", "description": "d" * 400_000}}},
}
PICTURE = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"not a picture at all").decode()
TEXT = {"type": "text", "text": "small"}
RESULTS: dict[str, Any] = {
    "fine": {"content": [TEXT]},
    "long": {"content": [{"type": "text", "text": "y" * MANY}]},
    "deep": {"content": [TEXT], "structuredContent": {"a": 0}},
    "deeper": None,
    "a_list": [1, 2],
    "a_text": "what",
    "nothing": {},
    "null": None,
    "no_content": {"content": None},
    "odd_content": {"content": [{"type": "hologram", "x": 1}]},
    "content_of_content": {"content": [[TEXT]]},
    "no_picture": {"content": [{"type": "image", "mimeType": "image/png", "data": PICTURE}]},
    "no_base64": {"content": [{"type": "image", "mimeType": "image/png", "data": "%%%"}]},
    "hostile_type": {"content": [{"type": "image", "mimeType": ESCAPES, "data": PICTURE}]},
    "no_blob": {"content": [{"type": "resource", "resource": {"uri": "x:y", "blob": "%%%"}}]},
    "link": {"content": [{"type": "resource_link", "uri": "file:///etc/passwd", "name": ESCAPES}]},
    "many_parts": {"content": [TEXT] * 50_000},
    "escapes": {"content": [{"type": "text", "text": ESCAPES}]},
    "hostile_error": {"isError": True, "content": [{"type": "text", "text": ESCAPES * 1000}]},
    "structured_list": {"content": [], "structuredContent": [1]},
    "prototype": {"content": [], "structuredContent": {"__proto__": {"polluted": 1}, "constructor": 5}},
    "huge_number": {"content": [], "structuredContent": {"n": 0}},
    "input_required": {"resultType": "input_required", "inputRequests": {}},
}
# Results as bytes that no encoder of ours would write.
RAW = {
    "deeper": b'{"content": [], "structuredContent": {"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}}",
    "deep": b'{"content": [], "structuredContent": {"a": ' + b"[" * 150 + b"]" * 150 + b"}}",
    "huge_number": b'{"content": [], "structuredContent": {"n": 1' + b"0" * 100_000 + b"}}",
    "not_utf8": b'{"content": [{"type": "text", "text": "\xff\xfe"}]}',
    "surrogate": b'{"content": [{"type": "text", "text": "\\ud800"}]}',
    "nan": b'{"content": [], "structuredContent": {"n": NaN}}',
    "many_lists": b'{"content": [], "structuredContent": {"a": [' + b"[]," * 2_000_000 + b"[]]}}",
}
# What it does in the course of a call instead of answering.
CALLS = [*RESULTS, *(name for name in RAW if name not in RESULTS), "silent", "dies", "dies_inside", "endless", "other"]
CALLS += ["progress", "asks", "catastrophic_text", "twice", "somebody_else", "garbage"]


def tool(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": OBJECT, **more}


CATASTROPHE = {"type": "object", "properties": {"x": {"type": "string", "pattern": "^(a+)+$"}}}


def pages(how: str, cursor: str | None) -> dict[str, Any]:
    if how == "names":
        return {"tools": [tool(name) for name in NAMES]}
    if how == "texts":
        return {
            "tools": [
                tool("escapes", description=ESCAPES, title=ESCAPES),
                tool("long", description="d" * 1_000_000),
                tool("lines", description="line\n" * 50_000),
            ]
        }
    if how == "schemas":
        return {"tools": [tool(name, inputSchema=schema) for name, schema in SCHEMAS.items()]}
    if how == "outputs":
        return {"tools": [tool(name, outputSchema=schema) for name, schema in SCHEMAS.items()]}
    if how == "no schema":
        return {"tools": [tool("fine"), tool("array", inputSchema={"type": "array"})]}
    if how == "same cursor":
        return {"tools": [tool(f"t{time.monotonic_ns()}")], "nextCursor": "again"}
    if how == "empty pages":
        return {"tools": [], "nextCursor": str(time.monotonic_ns())}
    if how == "wrong pages":
        return {"tools": [{"name": 5}, "tool"], "nextCursor": []}
    if how == "too many":
        return {"tools": [tool(f"x{i}") for i in range(3_000)]}
    if how == "all wrong":
        return {"tools": [tool(f"wrong name {i}") for i in range(300)]}
    if how == "large pages":
        return {
            "tools": [tool(f"l{time.monotonic_ns()}", annotations={"title": "a" * 5_000_000})],
            "nextCursor": str(time.monotonic_ns()),
        }
    if how == "huge description":
        return {"tools": [tool("huge", description="d" * MANY)]}
    named = [tool(name) for name in CALLS]
    named.append(tool("checked", outputSchema=CATASTROPHE))
    return {"tools": named}


class Server:
    def __init__(self, how: str, out: Callable[[bytes], None]) -> None:
        self.how = how
        self.out = out

    def answer(self, request: dict[str, Any], result: Any) -> None:
        self.out(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}).encode() + b"\n")

    def refuse(self, request: dict[str, Any], text: str) -> None:
        error = {"code": -32601, "message": text}
        self.out(json.dumps({"jsonrpc": "2.0", "id": request["id"], "error": error}).encode() + b"\n")

    def take(self, request: dict[str, Any]) -> None:
        method, how = request.get("method"), self.how
        if "id" not in request or method is None:
            return
        if method == "initialize":
            self.initialize(request)
        elif method == "tools/list":
            if how == "endless list":
                self.endless()
            self.answer(request, pages(how, (request.get("params") or {}).get("cursor")))
        elif method == "tools/call":
            self.call(request, request["params"]["name"])
        else:
            self.refuse(request, "no such method")

    def initialize(self, request: dict[str, Any]) -> None:
        how = self.how
        if how == "mute":
            time.sleep(600)
        if how == "dies at once":
            os._exit(3)
        if how == "endless line":
            self.endless()
        if how == "chatter":
            self.out(b"Starting up ...\n\n\xff\xfe\x1b[2J\n{\n[]\nnull\n" + b"x" * 100_000 + b"\n")
        version: Any = {"a": 1} if how == "wrong version" else "2025-06-18"
        text = ESCAPES * 100 if how == "texts" else ""
        self.answer(
            request,
            {
                "protocolVersion": version,
                "capabilities": {"tools": {}},
                "serverInfo": {"name": text or "hostile", "version": text or "1"},
                "instructions": text,
            },
        )

    def endless(self) -> None:
        self.out(b'{"jsonrpc": "2.0", "id": 1, "result": "')
        while True:
            self.out(b"y" * 65_536)

    def call(self, request: dict[str, Any], name: str) -> None:
        if self.how != "calls":
            self.answer(request, {"content": [{"type": "text", "text": name}]})
        elif name in RAW:
            head = json.dumps({"jsonrpc": "2.0", "id": request["id"]}).encode()[:-1]
            self.out(head + b', "result": ' + RAW[name] + b"}\n")
        elif name in RESULTS:
            self.answer(request, RESULTS[name])
        elif name == "dies":
            os._exit(3)
        elif name == "dies_inside":
            self.out(b'{"jsonrpc": "2.0", "id": %d, "result": {"content": [{"type": "te' % request["id"])
            os._exit(3)
        elif name == "silent":
            pass
        elif name == "endless":
            self.endless()
        elif name == "garbage":
            self.out(b'{"jsonrpc": "2.0", "id": %d, "result": }\n' % request["id"])
        elif name == "other":
            self.answer({"id": 10**9}, {"content": []})
            self.answer({"id": str(request["id"]) + "x"}, {"content": []})
            self.answer(request, {"content": [TEXT]})
        elif name == "twice":
            self.answer(request, {"content": [TEXT]})
            self.answer(request, {"content": [{"type": "text", "text": "second"}]})
        elif name == "progress":
            token = (request["params"].get("_meta") or {}).get("progressToken", request["id"])
            note = {"progressToken": token, "progress": 1, "message": ESCAPES}
            message = {"jsonrpc": "2.0", "method": "notifications/progress", "params": note}
            data = json.dumps(message).encode() + b"\n"
            while True:
                self.out(data)
        elif name == "asks":
            # Never reads an answer.
            number = 0
            while True:
                number += 1
                asked = {"jsonrpc": "2.0", "id": f"q{number}", "method": "roots/list", "params": {}}
                self.out(json.dumps(asked).encode() + b"\n")
        elif name == "checked":
            self.answer(request, {"content": [], "structuredContent": {"x": "a" * 60 + "!"}})
        else:
            self.answer(request, {"content": [{"type": "text", "text": name}]})


def stdio(how: str) -> None:
    def out(data: bytes) -> None:
        while data:
            data = data[os.write(1, data) :]

    server = Server(how, out)
    for line in sys.stdin.buffer:
        server.take(json.loads(line))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    how = ""

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._end(405)

    def do_DELETE(self) -> None:
        self._end(200)

    def _end(self, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "id" not in request or "method" not in request:
            return self._end(202)
        name = (request.get("params") or {}).get("name") if request["method"] == "tools/call" else None
        kind, packed = "application/json", False
        if self.how.endswith("events"):
            kind = "text/event-stream"
        if self.how == "calls" and name == "other":
            kind = "text/\x9bplain"
        if self.how == "packed" and request["method"] == "tools/list":
            packed = True
        self.send_response(200)
        self.send_header("Content-Type", kind)
        if packed:
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

        def out(data: bytes) -> None:
            if packed:
                data = gzip.compress(data + b" " * (200 << 20), 1)
            elif kind == "text/event-stream":
                data = (b"data: " if data.startswith(b"{") else b"") + data + (b"\n" if data.endswith(b"\n") else b"")
            self.wfile.write(data)
            self.wfile.flush()

        if self.how == "retry events" and request["method"] == "tools/call":
            self.wfile.write(b"id: 1\nretry: 0\ndata:\n\n")
        else:
            Server(self.how.removesuffix(" events"), out).take(request)
        return None


def http(how: str) -> None:
    Handler.how = how
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    (http if sys.argv[2:] == ["http"] else stdio)(sys.argv[1])
