"""Tools of other MCP servers as capabilities of guests (``wasmhost mcp --tools-from FILE``; ``docs/mcp.md``). What
another server says of its tools is text of a stranger: bounded, escaped where it is shown, and never a reason to make
a call that the policy would ask about."""

import json
import math
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import anyio
import mcp_types as types
from mcp import Client
from mcp.shared.exceptions import MCPError

from ..capabilities.approval import printable
from ..capabilities.capability import Capability
from ..capabilities.names import attribute
from ..capabilities.plain_text import cut
from ..errors import CapabilityDefinitionError, SettingsError
from ..media import Media
from .mcp_transports import Tell, bounded, over_http, over_stdio

if TYPE_CHECKING:
    from anyio.abc import TaskGroup, TaskStatus

# Of a configuration; of all servers together; of one server.
_MOST_BYTES = 1 << 20
_MOST_TOOLS = 500
_MOST_PAGES = 50
# Bytes of JSON: what one server says of all its tools, and the schemas of one.
_MOST_LISTED = 16 << 20
_MOST_SCHEMA = 256 << 10
_MOST_WARNINGS = 20
_MOST_DESCRIPTION = 4_000
_MOST_ERROR = 2_000
_CONNECT_SECONDS = 30.0
_TIMEOUT = 60.0
_ISOLATION = "connector"
_KEYS: dict[str, type | tuple[type, ...]] = {
    "command": str,
    "args": list,
    "env": dict,
    "cwd": str,
    "url": str,
    "headers": dict,
    "timeout": (int, float),
}
_SERVER_CHARS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")

Warn = Callable[[str], None]


class OtherServer:
    """How one server is reached: a command that speaks MCP over its stdin and stdout, or an address."""

    def __init__(self, name: str, given: Mapping[str, Any]) -> None:
        self.name: str = name
        self._given: dict[str, Any] = dict(given)
        self.timeout: float = float(given.get("timeout", _TIMEOUT))

    @asynccontextmanager
    async def client(self, tell: Tell) -> AsyncIterator[Client]:
        """A connection. ``tell``: told why it ended, if that is what the server did."""
        given = self._given
        words: dict[str, Any] = {
            key: given[key] for key in ("command", "args", "env", "cwd", "url", "headers") if key in given
        }
        transport = over_stdio(words, tell) if "command" in given else over_http(words, tell)
        async with Client(bounded(transport, tell), cache=None) as client:
            yield client


class Tools:
    """Other servers of a configuration. Enter it before its tools are used, in the event loop that uses them::

        async with Tools.load("servers.json", warn=print) as tools:
            ...

    Args:
        servers: by name.
        warn: told, in a line that is fit for a terminal, of what is left out and why.
    """

    def __init__(self, servers: list[OtherServer], warn: Warn) -> None:
        self.servers: list[OtherServer] = servers
        self.warn: Warn = warn
        self.group: "TaskGroup | None" = None
        self._spare: ClientTools | None = None

    @classmethod
    def load(cls, path: str, *, warn: Warn) -> "Tools":
        """Reads a file of JSON as other programs have it: ``{"mcpServers": {"name": {"command": ..., "args": [...]}}}``
        or ``{"url": ..., "headers": {...}}``, each with ``timeout`` in seconds (60).

        Raises:
            SettingsError: it cannot be read, or is not like that; the text says where.
        """
        try:
            with open(path, "rb") as stream:
                data = stream.read(_MOST_BYTES + 1)
        except OSError as error:
            raise SettingsError(f"{path}: {error.strerror or error}") from None
        if len(data) > _MOST_BYTES:
            raise SettingsError(f"{path}: larger than {_MOST_BYTES} bytes")
        try:
            read = json.loads(data.decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise SettingsError(f"{path}: not JSON: {printable(str(error)[:200])}") from None
        servers = read.get("mcpServers", read.get("servers")) if isinstance(read, dict) else None
        if not isinstance(servers, dict) or not servers:
            raise SettingsError(f'{path}: must be like {{"mcpServers": {{"name": {{"command": "..."}}}}}}')
        return cls([_server(path, name, given) for name, given in servers.items()], warn)

    def of_one_client(self) -> "ClientTools":
        """Connections for one client of ours. The first one gets those that :meth:`look` has made."""
        spare, self._spare = self._spare, None
        return spare or ClientTools(self)

    async def look(self) -> list[Capability]:
        """What there is now."""
        self._spare = ClientTools(self)
        return await self._spare.capabilities()

    async def __aenter__(self) -> Self:
        self.group = anyio.create_task_group()
        await self.group.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        group, self.group = self.group, None
        assert group is not None
        group.cancel_scope.cancel()
        await group.__aexit__(None, None, None)


def _server(path: str, name: str, given: Any) -> OtherServer:
    where = f"{path}: {printable(name[:80])}"
    if not name or not _SERVER_CHARS.issuperset(name) or len(name) > 64:
        raise SettingsError(f"{where}: the name of a server is 1 to 64 letters, digits, _ or -")
    if not isinstance(given, dict):
        raise SettingsError(f"{where}: must be an object")
    for key, value in given.items():
        kind = _KEYS.get(key)
        if kind is None:
            if key in ("type", "transport", "disabled"):
                continue
            raise SettingsError(f"{where}: {printable(key[:80])!r} is not known; there are: {', '.join(_KEYS)}")
        if not isinstance(value, kind) or isinstance(value, bool):
            raise SettingsError(f"{where}: {key} does not have the right kind of value")
        texts = value if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else []
        if not all(isinstance(one, str) for one in texts):
            raise SettingsError(f"{where}: {key} must have texts only")
    if ("command" in given) == ("url" in given):
        raise SettingsError(f"{where}: needs either a command or a url")
    if "url" in given and not given["url"].startswith(("http://", "https://")):
        raise SettingsError(f"{where}: url must begin with http:// or https://")
    timeout = given.get("timeout", _TIMEOUT)
    if not (math.isfinite(timeout) and 0 < timeout <= 600):
        raise SettingsError(f"{where}: timeout is a number of seconds above 0, at most 600")
    if "env" in given:
        # As other programs have it: $NAME and ${NAME} of our own environment.
        given = {**given, "env": {key: os.path.expandvars(value) for key, value in given["env"].items()}}
    return OtherServer(name, given)


class _Connection:
    """To one server, made at its first use and again after it has broken."""

    def __init__(self, tools: Tools, server: OtherServer) -> None:
        self.server: OtherServer = server
        self._tools = tools
        self._lock = anyio.Lock()
        self._client: Client | None = None
        self._ends = anyio.Event()
        self.problem = ""

    async def client(self) -> Client:
        async with self._lock:
            if self._client is None:
                group = self._tools.group
                if group is None:
                    raise RuntimeError("the connections to other servers are closed")
                self._ends = anyio.Event()
                self.problem = ""
                made = await group.start(self._keep)
                if isinstance(made, Exception):
                    raise made
                self._client = made
            return self._client

    async def _keep(self, *, task_status: "TaskStatus[Client | Exception]") -> None:
        """In a task of its own: what a connection consists of must end in the task that has begun it."""
        ends = self._ends
        told = False
        try:
            with anyio.fail_after(_CONNECT_SECONDS) as connecting:
                async with self.server.client(self._tell) as client:
                    connecting.deadline = math.inf
                    told = True
                    task_status.started(client)
                    await ends.wait()
        except Exception as error:  # of another program, whatever it is: it is told, or the connection is gone
            if not told:
                task_status.started(error)

    def _tell(self, problem: str) -> None:
        self.problem = self.problem or problem

    def why(self, error: BaseException) -> str:
        """What is told of an error of this connection, in a line."""
        if isinstance(error, TimeoutError) and not self.problem:
            return f"no answer within {_CONNECT_SECONDS:g} s"
        return self.problem or _one_line(error)

    def broken(self) -> None:
        """The next use makes a new one."""
        self._client = None
        self._ends.set()


class ClientTools:
    """What other servers offer to the sessions of one client of ours, over connections that only these use."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._connections = [_Connection(tools, server) for server in tools.servers]
        self._lock = anyio.Lock()
        self._made: list[Capability] | None = None

    async def capabilities(self) -> list[Capability]:
        """Connects at the first use. A server that cannot be reached is warned of and left out."""
        async with self._lock:
            if self._made is None:
                made: dict[str, Capability] = {}
                for connection in self._connections:
                    await self._of(connection, made)
                self._made = list(made.values())
            return self._made

    async def aclose(self) -> None:
        """Ends the connections."""
        for connection in self._connections:
            connection.broken()

    async def _of(self, connection: _Connection, made: dict[str, Capability]) -> None:
        server = connection.server
        found: dict[str, Capability] = {}
        try:
            client = await connection.client()
            with anyio.fail_after(_CONNECT_SECONDS):
                await self._list(connection, client, made, found)
        except Exception as error:  # of another program
            if isinstance(error, MCPError) and error.code == types.CONNECTION_CLOSED:
                connection.broken()
            self._tools.warn(f"tools of {server.name} are left out: {connection.why(error)}")
            return
        made.update(found)

    async def _list(
        self, connection: _Connection, client: Client, made: dict[str, Capability], found: dict[str, Capability]
    ) -> None:
        """Adds to ``found`` what the server has, a page at a time."""
        name, warn = connection.server.name, self._tools.warn
        cursor: str | None = None
        size = left_out = 0
        for _ in range(_MOST_PAGES):
            page = await client.list_tools(cursor=cursor)
            for tool in page.tools:
                size += len(tool.model_dump_json())
                if len(made) + len(found) >= _MOST_TOOLS:
                    warn(f"tools of {name}: those after the first {_MOST_TOOLS} of all are left out")
                    return
                if size > _MOST_LISTED:
                    warn(f"tools of {name}: those after the first {_MOST_LISTED} bytes are left out")
                    return
                try:
                    _add(made, found, _capability(connection, tool))
                except CapabilityDefinitionError as error:
                    left_out += 1
                    if left_out <= _MOST_WARNINGS:
                        warn(f"tool {printable(tool.name[:80])} of {name} is left out: {_one_line(error)}")
                # Others have their turn between two schemas, and the time is looked at.
                await anyio.sleep(0)
            cursor = page.next_cursor
            if not cursor:
                break
        else:
            warn(f"tools of {name}: those after the first {_MOST_PAGES} pages are left out")
        if left_out > _MOST_WARNINGS:
            warn(f"tools of {name}: {left_out - _MOST_WARNINGS} more are left out")


def _add(made: dict[str, Capability], found: dict[str, Capability], one: Capability) -> None:
    written = attribute(one.name)
    for other in (*made, *found):
        if other == written or other.startswith(f"{written}.") or written.startswith(f"{other}."):
            raise CapabilityDefinitionError(f"tools.{written} is there already")
    found[written] = one


def _capability(connection: _Connection, tool: types.Tool) -> Capability:
    server = connection.server
    if len(json.dumps([tool.input_schema, tool.output_schema])) > _MOST_SCHEMA:
        raise CapabilityDefinitionError(f"its schemas are larger than {_MOST_SCHEMA} bytes")
    options: dict[str, Any] = {
        "description": cut(tool.description or tool.title or "", _MOST_DESCRIPTION),
        "timeout": server.timeout,
        "isolation": _ISOLATION,
    }
    name, call = f"{server.name}.{tool.name}", _caller(connection, tool.name)
    try:
        return Capability.from_json_schema(name, call, tool.input_schema, output_schema=tool.output_schema, **options)
    except CapabilityDefinitionError:
        if tool.output_schema is None:
            raise
    # What it promises of its results cannot be checked here: then nothing is promised.
    return Capability.from_json_schema(name, call, tool.input_schema, **options)


def _caller(connection: _Connection, tool: str) -> Callable[..., Awaitable[Any]]:
    server = connection.server

    async def call(**arguments: Any) -> Any:
        try:
            client = await connection.client()
        except Exception as error:  # of another program
            raise RuntimeError(f"{server.name} cannot be reached: {connection.why(error)}") from None
        request = types.CallToolRequest(params=types.CallToolRequestParams(name=tool, arguments=arguments))
        try:
            # Not call_tool(), which checks the result by the schema of the server, and with no bound on the time that
            # a pattern of it takes. The pipeline checks it too.
            result = await client.session.send_request(
                request, types.CallToolResult, request_read_timeout_seconds=server.timeout
            )
        except MCPError as error:
            if error.code != types.CONNECTION_CLOSED:
                raise RuntimeError(cut(error.message, _MOST_ERROR)) from None
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            pass
        except ValueError:
            raise RuntimeError(f"what {server.name} gave back is not the result of a tool") from None
        else:
            return _value(result)
        connection.broken()
        problem = f": {connection.problem}" if connection.problem else ""
        raise RuntimeError(f"the connection to {server.name} broke{problem}; the call may have been made")

    return call


def _value(result: types.CallToolResult) -> Any:
    """What a guest gets: the structured content where there is some, else text and media."""
    if result.is_error:
        raise RuntimeError(cut(_texts(result) or "the tool failed and did not say why", _MOST_ERROR))
    if result.structured_content is not None:
        return result.structured_content
    parts = [_part(block) for block in result.content]
    return parts[0] if len(parts) == 1 else parts or None


def _texts(result: types.CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if isinstance(block, types.TextContent))


def _part(block: types.ContentBlock) -> Any:
    if isinstance(block, types.TextContent):
        return block.text
    data: str | None = None
    if isinstance(block, types.ImageContent):
        data = block.data
    elif isinstance(block, types.EmbeddedResource):
        if isinstance(block.resource, types.TextResourceContents):
            return block.resource.text
        data = block.resource.blob
    if data is not None:
        raw = _bytes(data)
        try:
            return Media(raw)
        except ValueError:
            return raw
    return block.model_dump(mode="json", by_alias=True, exclude_none=True)


def _bytes(data: str) -> bytes:
    from base64 import b64decode

    try:
        return b64decode(data, validate=True)
    except ValueError:
        raise RuntimeError("the tool gave bytes that are not base64") from None


def _one_line(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    text = error.message if isinstance(error, MCPError) else f"{type(error).__name__}: {error}"
    return printable(text[:300])
