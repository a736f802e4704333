"""Connections to MCP servers of strangers, with bounds: the SDK's own keep as much of a line or of a body, and begin as
many requests of the server, as that server likes."""

import re
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, Self

import anyio
import httpx2
import mcp_types as types
from mcp.client.stdio import StdioServerParameters, get_default_environment, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage

if TYPE_CHECKING:
    from anyio.abc import Process
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.client._transport import ReadStream, TransportStreams, WriteStream

# Of one message; a picture of 6 MB is one.
MOST_MESSAGE = 8 << 20
# Requests of the server that have no answer yet.
_MOST_REQUESTS = 100
# For what has been sent to leave, for the server to end by itself, and to end when told to.
_FLUSH_SECONDS, _END_SECONDS = 0.5, 2.0
_LOOK_SECONDS = 0.01
_ENDS_BYTES = 4096
_CLOSED = (anyio.ClosedResourceError, anyio.BrokenResourceError, OSError)
# Lists and objects of one message: each may be two of its bytes, and takes the host dozens.
_MOST_PARTS = 250_000
_TOO_MANY = f"the server has sent a message of more than {_MOST_PARTS} lists and objects"
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)

# Told why a connection ended, by what the server did.
Tell = Callable[[str], None]


class _Requests:
    """How many requests of the server have no answer yet."""

    def __init__(self, tell: Tell) -> None:
        self.tell: Tell = tell
        self.waiting: int = 0


class _Reads:
    """What comes from a server, which ends when too many of its requests wait."""

    def __init__(self, inner: "ReadStream[SessionMessage | Exception]", requests: _Requests) -> None:
        self._inner = inner
        self._requests = requests

    @property
    def last_context(self) -> Any:
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        got = await self._inner.receive()
        if isinstance(got, SessionMessage) and isinstance(got.message, types.JSONRPCRequest):
            if self._requests.waiting >= _MOST_REQUESTS:
                self._requests.tell(f"more than {_MOST_REQUESTS} requests of the server wait for an answer")
                raise anyio.EndOfStream
            self._requests.waiting += 1
        return got

    async def aclose(self) -> None:
        await self._inner.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        return await self._inner.__aexit__(kind, error, traceback)


class _Writes:
    """What goes to a server."""

    def __init__(self, inner: "WriteStream[SessionMessage]", requests: _Requests) -> None:
        self._inner = inner
        self._requests = requests

    async def send(self, item: SessionMessage, /) -> None:
        await self._inner.send(item)
        if isinstance(item.message, types.JSONRPCResponse | types.JSONRPCError):
            self._requests.waiting -= 1

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        return await self._inner.__aexit__(kind, error, traceback)


@asynccontextmanager
async def bounded(
    transport: "AbstractAsyncContextManager[TransportStreams]", tell: Tell
) -> "AsyncIterator[TransportStreams]":
    """A transport whose server may ask for a hundred things at a time."""
    requests = _Requests(tell)
    async with transport as (reads, writes):
        yield _Reads(reads, requests), _Writes(writes, requests)


# ---- a program ----


def over_stdio(given: Mapping[str, Any], tell: Tell) -> "AbstractAsyncContextManager[TransportStreams]":
    """Starts ``command`` with ``args``, ``env`` and ``cwd``, and speaks with it over its stdin and stdout.

    Raises:
        OSError: it cannot be started.
    """
    if sys.platform == "win32":
        # Its processes are ended by means of the SDK's own. A line has no bound there.
        return stdio_client(StdioServerParameters(**given))
    return _over_pipes(given, tell)


@asynccontextmanager
async def _over_pipes(given: Mapping[str, Any], tell: Tell) -> "AsyncIterator[TransportStreams]":
    from mcp.os.posix.utilities import terminate_posix_process_tree

    process = await anyio.open_process(
        [given["command"], *given.get("args", [])],
        env=get_default_environment() | given.get("env", {}),
        cwd=given.get("cwd"),
        stderr=sys.stderr,
        start_new_session=True,
    )
    # No waiting from here to the group: a cancellation would leave the process behind.
    came, reads = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    writes, goes = anyio.create_memory_object_stream[SessionMessage](0)
    written = anyio.Event()
    ending = anyio.Event()

    async def read() -> None:
        async with came:
            with suppress(*_CLOSED):
                await _read(process, came, tell)
        # Until then it may wait for somebody who reads; after that it could not come to its end.
        with anyio.CancelScope(shield=True), suppress(anyio.EndOfStream, *_CLOSED):
            await ending.wait()
            assert process.stdout is not None
            while True:
                await process.stdout.receive()

    async def write() -> None:
        try:
            await _write(process, goes)
        except _CLOSED:
            # What waits for an answer learns that there will be none.
            await came.aclose()
        finally:
            written.set()

    async with anyio.create_task_group() as group:
        group.start_soon(read)
        group.start_soon(write)
        try:
            yield reads, writes
        finally:
            with anyio.CancelScope(shield=True):
                ending.set()
                reads.close()
                writes.close()
                with anyio.move_on_after(_FLUSH_SECONDS):
                    await written.wait()
                assert process.stdin is not None
                with suppress(*_CLOSED):
                    await process.stdin.aclose()
                if not await _ended(process):
                    await terminate_posix_process_tree(process, _END_SECONDS)
                    await _ended(process)
                with suppress(*_CLOSED):
                    assert process.stdout is not None
                    await process.stdout.aclose()
                came.close()
                goes.close()
                _close_transport(process)
            group.cancel_scope.cancel()


def _close_transport(process: "Process") -> None:
    """That of asyncio, which else stays open while somebody has a pipe of the process, and complains at its end."""
    transport = getattr(getattr(process, "_process", None), "_transport", None)
    if transport is not None:
        with suppress(PermissionError):
            transport.close()


async def _ended(process: "Process") -> bool:
    # Not process.wait(), which also waits for those that have got its pipes.
    with anyio.move_on_after(_END_SECONDS):
        while process.returncode is None:
            await anyio.sleep(_LOOK_SECONDS)
    return process.returncode is not None


async def _read(process: "Process", came: "MemoryObjectSendStream[SessionMessage | Exception]", tell: Tell) -> None:
    assert process.stdout is not None
    line = bytearray()
    async for chunk in process.stdout:
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            line += end
            if len(line) > MOST_MESSAGE:
                break
            if _parts(line) > _MOST_PARTS:
                tell(_TOO_MANY)
                return
            message = _message(line)
            if message is not None:
                await came.send(SessionMessage(message))
            elif _is_meant_as_one(line):
                tell("the server has sent a message that cannot be read")
                return
            line = bytearray()
        else:
            line += rest
        if len(line) > MOST_MESSAGE:
            tell(f"the server has sent a message of more than {MOST_MESSAGE} bytes")
            return


def _parts(data: bytearray) -> int:
    """How many lists and objects JSON has, or more than there are while it is few."""
    found = data.count(b"[") + data.count(b"{")
    if found > _MOST_PARTS:
        outside = _STRING.sub(b"", data)
        found = outside.count(b"[") + outside.count(b"{")
    return found


def _message(line: bytearray) -> types.JSONRPCMessage | None:
    """None: it cannot be read."""
    try:
        return types.jsonrpc_message_adapter.validate_json(bytes(line), by_name=False)
    except ValueError:
        return None


def _is_meant_as_one(line: bytearray) -> bool:
    """Whether a line that cannot be read is more than something that was printed there: somebody waits for it."""
    return line.startswith(b"{") and (b'"jsonrpc"' in line[:_ENDS_BYTES] or b'"jsonrpc"' in line[-_ENDS_BYTES:])


async def _write(process: "Process", goes: "MemoryObjectReceiveStream[SessionMessage]") -> None:
    assert process.stdin is not None
    async for item in goes:
        await process.stdin.send(item.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")


# ---- an address ----


@asynccontextmanager
async def over_http(given: Mapping[str, Any], tell: Tell) -> "AsyncIterator[TransportStreams]":
    """Speaks with ``url``, with ``headers``."""
    from mcp.shared._httpx_utils import create_mcp_http_client

    async def bound(response: "httpx2.Response") -> None:
        kind = response.headers.get("content-type", "").lower()
        if response.headers.get("content-encoding", "identity") != "identity":
            # A few kilobytes of it could be gigabytes, and nobody has asked for it.
            del response.headers["content-encoding"]
            response.stream = _Counted(response.stream, 0, tell)
        elif not kind.startswith("text/event-stream"):
            response.stream = _Counted(response.stream, MOST_MESSAGE, tell)

    # Events have the SDK's bound, of a MiB each.
    headers = {**given.get("headers", {}), "Accept-Encoding": "identity"}
    async with create_mcp_http_client(headers=headers) as http:
        http.event_hooks = {"response": [bound]}
        async with streamable_http_client(given["url"], http_client=http) as streams:
            yield streams


class _Counted(httpx2.AsyncByteStream):
    """A body that comes as a whole, or as an error where it becomes too long; that is at once where ``most`` is 0."""

    def __init__(self, inner: Any, most: int, tell: Tell) -> None:
        self._inner = inner
        self._most = most
        self._tell = tell

    async def __aiter__(self) -> AsyncIterator[bytes]:
        body = bytearray()
        async for piece in self._inner:
            body += piece
            if len(body) > self._most:
                self._refuse(
                    f"the server has sent a message of more than {self._most} bytes"
                    if self._most
                    else "the server has packed its answer"
                )
        if _parts(body) > _MOST_PARTS:
            self._refuse(_TOO_MANY)
        yield bytes(body)

    def _refuse(self, why: str) -> NoReturn:
        self._tell(why)
        raise httpx2.StreamError(why)

    async def aclose(self) -> None:
        await self._inner.aclose()
