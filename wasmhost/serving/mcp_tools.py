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
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from ..capabilities.approval import printable
from ..capabilities.capability import Capability
from ..capabilities.names import attribute
from ..capabilities.plain_text import cut
from ..errors import CapabilityDefinitionError, SettingsError
from ..media import Media

if TYPE_CHECKING:
    from anyio.abc import TaskGroup, TaskStatus

# Of a configuration; of all servers together; of one tool.
_MOST_BYTES = 1 << 20
_MOST_TOOLS = 500
_MOST_PAGES = 50
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
    async def client(self) -> AsyncIterator[Client]:
        """A connection."""
        given = self._given
        if "command" in given:
            words = {key: given[key] for key in ("command", "args", "env", "cwd") if key in given}
            async with Client(StdioServerParameters(**words), cache=None) as client:
                yield client
            return
        from mcp.shared._httpx_utils import create_mcp_http_client

        async with (
            create_mcp_http_client(headers=given.get("headers")) as http,
            Client(streamable_http_client(given["url"], http_client=http), cache=None) as client,
        ):
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

    async def client(self) -> Client:
        async with self._lock:
            if self._client is None:
                group = self._tools.group
                if group is None:
                    raise RuntimeError("the connections to other servers are closed")
                self._ends = anyio.Event()
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
                async with self.server.client() as client:
                    connecting.deadline = math.inf
                    told = True
                    task_status.started(client)
                    await ends.wait()
        except Exception as error:  # of another program, whatever it is: it is told, or the connection is gone
            if not told:
                task_status.started(error)

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
        try:
            tools = await _listed(connection)
        except Exception as error:  # of another program
            self._tools.warn(f"tools of {server.name} are left out: {_one_line(error)}")
            return
        for tool in tools:
            if len(made) >= _MOST_TOOLS:
                self._tools.warn(f"tools of {server.name}: those after the first {_MOST_TOOLS} of all are left out")
                return
            try:
                _add(made, _capability(connection, tool))
            except CapabilityDefinitionError as error:
                self._tools.warn(f"tool {printable(tool.name[:80])} of {server.name} is left out: {_one_line(error)}")


def _add(made: dict[str, Capability], one: Capability) -> None:
    written = attribute(one.name)
    for other in made:
        if other == written or other.startswith(f"{written}.") or written.startswith(f"{other}."):
            raise CapabilityDefinitionError(f"tools.{written} is there already")
    made[written] = one


async def _listed(connection: _Connection) -> list[types.Tool]:
    client = await connection.client()
    found: list[types.Tool] = []
    cursor: str | None = None
    with anyio.fail_after(_CONNECT_SECONDS):
        for _ in range(_MOST_PAGES):
            page = await client.list_tools(cursor=cursor)
            found += page.tools
            cursor = page.next_cursor
            if not cursor or len(found) > _MOST_TOOLS:
                break
    return found


def _capability(connection: _Connection, tool: types.Tool) -> Capability:
    server = connection.server
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
    async def call(**arguments: Any) -> Any:
        client = await connection.client()
        try:
            result = await client.call_tool(tool, arguments, read_timeout_seconds=connection.server.timeout)
        except MCPError as error:
            if error.code == types.CONNECTION_CLOSED:
                connection.broken()
            raise RuntimeError(cut(error.message, _MOST_ERROR)) from None
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            connection.broken()
            raise RuntimeError(
                f"the connection to {connection.server.name} broke; the call may have been made"
            ) from None
        return _value(result)

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
