"""MCP over stdin and stdout. The SDK's own way waits for a client that says nothing, or reads nothing, for as long as
that likes: neither Ctrl-C nor the end of stdin ended the server then."""

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self, cast

import anyio
from anyio import to_thread
from mcp.server.runner import serve_loop
from mcp.server.stdio import stdio_server

from .rpc_stdio import MAX_LINE, write_all

if TYPE_CHECKING:
    from mcp.server import Server

_PIECE = 64 << 10
# For answers that are on their way when the client has closed its pipe.
_LAST_SECONDS = 5.0


async def serve_stdio(server: "Server[Any]") -> None:
    """Serves the one client of this process until it goes. Whatever else reads stdin finds nothing there, and what else
    is written to stdout goes to stderr."""
    sys.stdout.flush()
    reads, writes = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    with anyio.CancelScope() as scope:
        lines, pipe = _Lines(reads), _Pipe(writes, scope.cancel)
        # The SDK asks for files, and of these for no more than there is here.
        async with stdio_server(cast(Any, lines), cast(Any, pipe)) as (from_client, to_client):
            # The handshake's versions of the protocol only: newer ones have no sessions.
            await serve_loop(server, from_client, to_client, lifespan_state=None)
            scope.deadline = anyio.current_time() + _LAST_SECONDS


class _Lines:
    """What comes, a line at a time; one that is too long comes as an empty one, and is an error like it."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lines: list[bytes] = []
        self._rest = bytearray()
        self._too_long = False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        while not self._lines:
            try:
                piece = await to_thread.run_sync(os.read, self._descriptor, _PIECE, abandon_on_cancel=True)
            except OSError:
                piece = b""
            if not piece:
                raise StopAsyncIteration
            self._take(piece)
        return self._lines.pop().decode("utf-8", "replace")

    def _take(self, piece: bytes) -> None:
        *ends, rest = piece.split(b"\n")
        for end in ends:
            line = b"" if self._too_long or len(self._rest) + len(end) > MAX_LINE else bytes(self._rest + end)
            self._lines.append(line)
            self._rest, self._too_long = bytearray(), False
        self._lines.reverse()
        if len(self._rest) + len(rest) > MAX_LINE:
            self._rest, self._too_long = bytearray(), True
        elif not self._too_long:
            self._rest += rest


class _Pipe:
    """Where answers go."""

    def __init__(self, descriptor: int, gone: Callable[[], None]) -> None:
        self._descriptor = descriptor
        self._gone = gone

    async def write(self, text: str) -> None:
        try:
            await to_thread.run_sync(write_all, self._descriptor, text.encode(), abandon_on_cancel=True)
        except OSError:  # nobody reads any more
            self._gone()

    async def flush(self) -> None:
        """There is nothing that waits."""
