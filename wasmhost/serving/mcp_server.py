"""The MCP server: ``repl_run``, ``repl_reset``, ``repl_sessions`` (rows C1 to C3, C12, C14; ``docs/mcp.md``). Needs the
extra ``mcp``."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from contextvars import ContextVar
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeAlias

import anyio
import mcp_types as types
from anyio import from_thread
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from .. import __version__
from ..capabilities.approval import ApprovalRequest
from ..capabilities.policy import Allow, Deny
from ..errors import SessionBusy, SessionClosed, WasmhostError
from ..limits import Limits
from ..media import PDF
from ..protocol.json_text import clean, dumps
from ..settings import LANGUAGES
from .pool import MAX_NAME, Ran, Scope, SessionPool, TooManySessions

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    from ..session.session import Session
    from .mcp_tools import Tools

    _Context: TypeAlias = ServerRequestContext[Any, Any]
    # A session of a language, with the functions that decide what is asked about and what other servers offer.
    Make: TypeAlias = Callable[..., Session]

# Those of the service that this replaces, in bytes and characters.
OUTPUT_BYTES = 64 << 10
VALUE_CHARS = 16 << 10
# A notification of progress has at most so much output, and there is one at most every so many seconds.
_PROGRESS_CHARS = 4_000
_PROGRESS_SECONDS = 0.1
_MOST_CODE = 4 << 20
_MOST_LISTED = 100
_MOST_INSTRUCTIONS = 1_800

# Which request a call of a cell belongs to: who is asked about it.
_request: "ContextVar[_Context | None]" = ContextVar("wasmhost_mcp_request", default=None)

_RUN = """\
Runs {languages} code in a sandbox (WebAssembly) and returns the value of its last expression, what it printed, or its \
error. Top-level await works. Variables, functions and imports of a session stay for its next calls. The sandbox has \
no files, network, processes or environment{but}; modules are those built in, nothing can be installed.
A call that takes longer than timeout_ms is stopped: the session keeps its variables unless the result says `restored` \
(as before the call) or `lost`. Sessions belong to this connection, at most {most}; they end by repl_reset, after \
{idle} without use, and with the connection, and nothing of them is kept: the next call under the name says so."""
_RESET = """\
Ends a session: its variables are gone for good, code that runs in it is stopped, its place is free."""
_SESSIONS = """\
Lists the sessions of this connection: name, language, state (starting, idle, running, ended), and why one has ended."""


def mcp_server(
    pool: SessionPool,
    make: "Make",
    *,
    language: str = "python",
    languages: tuple[str, ...] = LANGUAGES,
    tools: "Tools | None" = None,
    told: str = "",
) -> "Server[Any]":
    """The server, for whatever transport. Each connection has a scope of the pool, which ends with it.

    Args:
        pool: entered by whoever serves.
        make: makes a session: ``make(language, name, approve=..., capabilities=[...])``, in a worker thread.
        language: of calls that name none.
        languages: that may be asked for.
        tools: of other servers, for guests. Each connection has its own connections to them.
        told: more for the instructions that a client is given, such as which functions there are.
    """
    listed = _tools(pool, language, languages, bool(told))

    async def on_list_tools(context: "_Context", params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=listed)

    async def on_call_tool(context: "_Context", params: types.CallToolRequestParams) -> types.CallToolResult:
        scope = await _scope(context, pool, make, tools)
        arguments = params.arguments or {}
        try:
            if params.name == "repl_run":
                return await _run(context, scope, pool, arguments, language, languages)
            if params.name == "repl_reset":
                return await _reset(scope, arguments, languages)
            if params.name == "repl_sessions":
                _known(arguments)
                return _sessions(scope)
        except (ValueError, TypeError, TooManySessions, SessionBusy, SessionClosed) as error:
            # What the model can put right, so it is told and not the client.
            return _failed(str(error))
        except WasmhostError as error:
            return _failed(f"{type(error).__name__}: {error}")
        raise MCPError(types.INVALID_PARAMS, f"there is no tool {params.name[:80]!r}")

    async def on_discover(context: "_Context", params: Any) -> types.DiscoverResult:
        # Sessions are what this server is for, and newer versions of the protocol have none over HTTP: clients that
        # speak both begin with a handshake when they are told this.
        return types.DiscoverResult(
            supported_versions=list(HANDSHAKE_PROTOCOL_VERSIONS),
            capabilities=server.get_capabilities(),
            instructions=server.instructions,
            ttl_ms=0,
            cache_scope="private",
        )

    server: Server[Any] = Server(
        "wasmhost",
        version=__version__,
        title="wasmhost: sandboxed Python and JavaScript",
        instructions=_instructions(told),
        on_list_tools=on_list_tools,
        on_call_tool=on_call_tool,
    )
    server.add_request_handler("server/discover", types.RequestParams, on_discover)
    return server


def _instructions(told: str) -> str | None:
    if not told:
        return None
    text = clean(told)
    if len(text) > _MOST_INSTRUCTIONS:
        text = text[: _MOST_INSTRUCTIONS - 60] + "\n[more: ask the sandbox, by help(tools) or listTools()]"
    return text


# ---- what is listed ----


def _tools(pool: SessionPool, language: str, languages: tuple[str, ...], more: bool) -> list[types.Tool]:
    names = {"python": "Python 3.13", "javascript": "JavaScript", "typescript": "TypeScript"}
    session = {
        "type": "string",
        "description": f"name: 1 to {MAX_NAME} letters, digits, . _ -",
        "default": "main",
        "pattern": f"^[A-Za-z0-9._-]{{1,{MAX_NAME}}}$",
    }
    chosen = {"type": "string", "enum": list(languages)}
    limits = f"at most {pool.max_script_ms:g}, default {pool.script_ms:g}; waiting for tools is not counted"
    run = {
        "code": {"type": "string", "description": "source text"},
        "session": session,
        "language": {**chosen, "default": language, "description": "each language of a name is a session of its own"},
        "timeout_ms": {"type": "number", "exclusiveMinimum": 0, "description": limits},
    }
    idle = pool.idle_seconds
    described = _RUN.format(
        languages=" or ".join(names[one] for one in languages),
        but=" but what `tools` offers" if more else "",
        most=pool.max_per_scope,
        idle=f"{idle / 60:g} minutes" if idle >= 60 else f"{idle:g} seconds",
    )
    return [
        types.Tool(
            name="repl_run",
            title="Run code in the sandbox",
            description=described,
            input_schema=_schema(run, "code"),
            annotations=types.ToolAnnotations(read_only_hint=False, destructive_hint=more, open_world_hint=more),
        ),
        types.Tool(
            name="repl_reset",
            title="End a session of the sandbox",
            description=_RESET,
            input_schema=_schema({"session": session, "language": {**chosen, "description": "by default all"}}),
            annotations=types.ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=False),
        ),
        types.Tool(
            name="repl_sessions",
            title="List sessions of the sandbox",
            description=_SESSIONS,
            input_schema=_schema({}),
            annotations=types.ToolAnnotations(read_only_hint=True, open_world_hint=False),
        ),
    ]


def _schema(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**made, "required": list(required)} if required else made


# ---- whose sessions ----


async def _scope(context: "_Context", pool: SessionPool, make: "Make", tools: "Tools | None") -> Scope:
    """The sessions of the connection that a request came by."""
    connection = getattr(context.session, "_connection", None)
    if (
        connection is None
        or context.protocol_version in MODERN_PROTOCOL_VERSIONS
        or not connection.initialize_accepted
        or connection.client_params is None
    ):
        raise MCPError(
            types.INVALID_REQUEST,
            "this server keeps sessions for a connection, and this request belongs to none: begin with the initialize "
            f"handshake (protocol versions up to {HANDSHAKE_PROTOCOL_VERSIONS[-1]}); stateless requests are refused",
        )
    scope = connection.state.get("wasmhost.scope")
    if scope is None:
        made = _Maker(make, tools)
        scope = connection.state["wasmhost.scope"] = pool.scope(made)
        connection.exit_stack.push_async_callback(made.aclose)
        connection.exit_stack.push_async_callback(scope.aclose)
    assert isinstance(scope, Scope)
    return scope


class _Maker:
    """Makes the sessions of one connection, which share its connections to other servers."""

    def __init__(self, make: "Make", tools: "Tools | None") -> None:
        self._make = make
        self._tools = None if tools is None else tools.of_one_client()

    def __call__(self, language: str, name: str) -> "Session":
        # In a worker thread.
        capabilities = [] if self._tools is None else from_thread.run(self._tools.capabilities)
        return self._make(language, name, approve=_ask, capabilities=capabilities)

    async def aclose(self) -> None:
        if self._tools is not None:
            await self._tools.aclose()


async def _ask(request: ApprovalRequest) -> "Allow | Deny":
    """A person decides about a call, through the client that asked for the cell."""
    context = _request.get()
    if context is None:
        return Deny("nobody can be asked")
    form = types.ClientCapabilities(elicitation=types.ElicitationCapability())
    if not context.session.check_client_capability(form):
        return Deny(
            "this call needs a person's approval, and the client cannot ask (no elicitation); the server's policy can "
            "allow it"
        )
    schema = {
        "type": "object",
        "properties": {
            "decision": {
                "type": "string",
                "title": "May code in the sandbox make this call?",
                "enum": ["deny", "allow"],
            }
        },
        "required": ["decision"],
    }
    message = f"Code in the sandbox wants to make a {request.text()}"
    try:
        answer = await context.session.elicit_form(message, schema, context.request_id)
    except MCPError as error:
        return Deny(f"the client could not ask: {error.message}")
    if answer.action == "accept" and (answer.content or {}).get("decision") == "allow":
        return Allow()
    return Deny("a person said no" if answer.action in ("accept", "decline") else "nobody decided")


# ---- the tools ----


def _known(arguments: Mapping[str, Any], *names: str) -> None:
    for name in arguments:
        if name not in names:
            there = f"it takes: {', '.join(names)}" if names else "it takes none"
            raise ValueError(f"there is no argument {name[:80]!r}; {there}")


def _text(arguments: Mapping[str, Any], name: str, default: str | None = None) -> str | None:
    found = arguments.get(name, default)
    if found is not None and not isinstance(found, str):
        raise TypeError(f"{name} must be a text, not {type(found).__name__}")
    return found


def _language(arguments: Mapping[str, Any], default: str | None, languages: tuple[str, ...]) -> str | None:
    found = _text(arguments, "language", default)
    if found is not None and found not in languages:
        raise ValueError(f"language is one of {', '.join(languages)}, not {found[:80]!r}")
    return found


async def _run(
    context: "_Context",
    scope: Scope,
    pool: SessionPool,
    arguments: Mapping[str, Any],
    default: str,
    languages: tuple[str, ...],
) -> types.CallToolResult:
    _known(arguments, "code", "session", "language", "timeout_ms")
    code = _text(arguments, "code")
    if code is None:
        raise ValueError("code is missing: the source text to run")
    if len(code) > _MOST_CODE:
        raise ValueError(f"code has {len(code)} characters; the most is {_MOST_CODE}")
    timeout = arguments.get("timeout_ms")
    if timeout is not None and (isinstance(timeout, bool) or not isinstance(timeout, (int, float))):
        raise TypeError(f"timeout_ms must be a number, not {type(timeout).__name__}")
    name, language = _text(arguments, "session", "main"), _language(arguments, default, languages)
    assert name is not None
    assert language is not None
    token = _request.set(context)
    try:
        async with _following(context) as on_output:
            ran = await scope.run(name, language, code, timeout_ms=timeout, on_output=on_output)
    finally:
        _request.reset(token)
    return _shown(ran)


@asynccontextmanager
async def _following(context: "_Context") -> "AsyncIterator[Callable[[str, bytes], None] | None]":
    """What is called with the cell's output as it comes: it goes out as progress, where the client wants that."""
    if (context.meta or {}).get("progress_token") is None:
        yield None
        return
    waiting = _Waiting()
    group = anyio.create_task_group()
    await group.__aenter__()
    group.start_soon(_report, context, waiting)
    try:
        yield waiting.put
    finally:
        group.cancel_scope.cancel()
        # What came last, unless the request was cancelled.
        with anyio.CancelScope(shield=True), anyio.move_on_after(1):
            await _report_once(context, waiting)
        # Without the error of the block, which would come out of the group as an ExceptionGroup.
        await group.__aexit__(None, None, None)


class _Waiting:
    """Output that nobody has been told of yet: the last of it. The guest's thread puts, the event loop takes."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._total = 0
        self._last = b""

    def put(self, stream: str, data: bytes) -> None:
        with self._lock:
            self._total += len(data)
            self._last = (self._last + data)[-4 * _PROGRESS_CHARS :]

    def take(self) -> tuple[int, str]:
        """The bytes so far, and what was put since the last time."""
        with self._lock:
            total, last, self._last = self._total, self._last, b""
        return total, clean(last.decode("utf-8", "replace"))[-_PROGRESS_CHARS:]


async def _report(context: "_Context", waiting: _Waiting) -> None:
    while True:
        await anyio.sleep(_PROGRESS_SECONDS)
        await _report_once(context, waiting)


async def _report_once(context: "_Context", waiting: _Waiting) -> None:
    total, text = waiting.take()
    if text:
        await context.session.report_progress(total, message=text)


def _shown(ran: Ran) -> types.CallToolResult:
    """A result in labelled blocks, the value or error first: what the code has printed cannot come before it."""
    result = ran.result
    notes = [*ran.notes, *result.notes]
    parts: list[tuple[str, str]] = []
    if result.ok:
        parts.append(("result", result.value_text if result.has_value else "(no value)"))
    else:
        parts.append(("error", result.error))
    if result.state != "kept":
        notes.append(
            "state restored: variables are as before this call"
            if result.state == "restored"
            else "state lost: the variables of this session are gone"
        )
    parts += [(label, text) for label, text in (("stdout", result.stdout), ("stderr", result.stderr)) if text]
    parts += [(f"background {label}", text) for label, text in result.background.items() if text]
    if notes:
        parts.append(("notes", "\n".join(notes)))
    content: list[types.ContentBlock] = [
        types.TextContent(type="text", text=f"[{label}]\n{clean(text)}") for label, text in parts
    ]
    for number, media in enumerate(result.media, 1):
        if media.mime == PDF:
            blob = types.BlobResourceContents(uri=f"wasmhost:media/{number}.pdf", mime_type=PDF, blob=media.base64)
            content.append(types.EmbeddedResource(type="resource", resource=blob))
        else:
            content.append(types.ImageContent(type="image", mime_type=media.mime, data=media.base64))
    return types.CallToolResult(content=content, structured_content=_structured(ran), is_error=not result.ok)


def _structured(ran: Ran) -> dict[str, Any]:
    """The result as JSON has it, without what the blocks have already, and bounded: clients put it before a model."""
    made = ran.result.to_dict()
    if len(dumps(made.get("value"))) > VALUE_CHARS:
        del made["value"]
        made["valueTruncated"] = True
    made["media"] = [_only(one, "mime", "size", "sha256") for one in made["media"]]
    calls = made["calls"]
    made["calls"] = [_only(one, "id", "name", "state", "error", "durationMs") for one in calls[:_MOST_LISTED]]
    if len(calls) > _MOST_LISTED:
        made["callsLeftOut"] = len(calls) - _MOST_LISTED
    made["registeredTools"] = [_only(one, "name") for one in made["registeredTools"][:_MOST_LISTED]]
    made["notes"] = [*ran.notes, *made["notes"]]
    return made


def _only(whole: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: whole[key] for key in keys if key in whole}


async def _reset(scope: Scope, arguments: Mapping[str, Any], languages: tuple[str, ...]) -> types.CallToolResult:
    _known(arguments, "session", "language")
    name = _text(arguments, "session", "main")
    assert name is not None
    ended = await scope.reset(name, _language(arguments, None, languages))
    told = [one.to_dict() for one in ended]
    text = ", ".join(f"{one.name} ({one.language})" for one in ended)
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=f"ended: {text}" if text else f"there was no session {name!r}")],
        structured_content={"ended": told},
    )


def _sessions(scope: Scope) -> types.CallToolResult:
    told = scope.sessions()
    lines = [
        f"{one.name} ({one.language}): {one.state}"
        + (f", {one.reason}" if one.reason else f", {one.cells} calls, unused for {one.idle_seconds:.0f} s")
        for one in told
    ]
    return types.CallToolResult(
        content=[types.TextContent(type="text", text="\n".join(lines) or "no sessions yet")],
        structured_content={"sessions": [one.to_dict() for one in told]},
    )


def _failed(text: str) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=f"[error]\n{clean(text)}")],
        structured_content={"ok": False, "error": clean(text)},
        is_error=True,
    )


def session_limits(given: Mapping[str, Any], most_ms: float) -> Limits:
    """Limits of a session behind MCP: what is given wins, but for the script time, which a call may ask for up to
    ``most_ms``."""
    return Limits(
        **{
            "stdout_bytes": OUTPUT_BYTES,
            "stderr_bytes": OUTPUT_BYTES,
            "text_chars": VALUE_CHARS,
            **given,
            "script_ms": most_ms,
        }
    )
