"""JSON-RPC over two pipes: one line, one message."""

import os
import select
from typing import Any

import anyio
from anyio import to_thread
from anyio.abc import TaskGroup

from ..protocol.json_text import dumps
from .jsonrpc import INTERNAL_ERROR, INVALID_REQUEST, MAX_REQUESTS, NO_ROOM, Json, Peer, RpcError, response

MAX_LINE = 16 << 20
_PIECE = 64 << 10
_WAITING = 256
# For what was asked before the pipe was closed, while somebody still reads the answers.
_LAST_SECONDS = 5.0


class StdioServer:
    """Serves one client until its pipe ends. On asyncio or trio.

    Args:
        peer: what answers.
        reads, writes: descriptors. What else the process writes must not go to the second one.
    """

    def __init__(self, peer: Peer, reads: int, writes: int) -> None:
        self._peer = peer
        self._reads = reads
        self._writes = writes
        self._send, self._receive = anyio.create_memory_object_stream[Json](_WAITING)
        self._written = anyio.Event()
        self._working = 0

    async def serve(self) -> None:
        """Returns when the client has gone. One that has only closed its own pipe gets its answers first, for at most
        five seconds; requests that are still being worked on then are cancelled."""
        async with self._send, self._receive, anyio.create_task_group() as group:
            group.start_soon(self._write, group)
            await self._read(group)
            with anyio.move_on_after(_LAST_SECONDS):
                while self._working and _is_read(self._writes):
                    await anyio.sleep(0.02)
                self._send.close()
                await self._written.wait()
            group.cancel_scope.cancel()

    async def notify(self, method: str, params: Json) -> None:
        """Tells the client."""
        await self._send.send({"jsonrpc": "2.0", "method": method, "params": params})

    async def request(self, method: str, params: Json) -> Any:
        """Asks the client."""
        return await self._peer.ask(self._send.send, method, params)

    async def _read(self, group: TaskGroup) -> None:
        rest = bytearray()
        too_long = False
        while True:
            try:
                piece = await to_thread.run_sync(os.read, self._reads, _PIECE, abandon_on_cancel=True)
            except OSError:
                return
            if not piece:
                return
            if b"\n" not in piece:
                if len(rest) + len(piece) > MAX_LINE:
                    rest, too_long = bytearray(), True
                elif not too_long:
                    rest += piece
                continue
            first, *lines = piece.split(b"\n")
            if too_long or len(rest) + len(first) > MAX_LINE:
                self._tell(response(None, error=RpcError(INVALID_REQUEST, f"a line has at most {MAX_LINE} bytes")))
                too_long = False
            else:
                lines.insert(0, bytes(rest + first))
            rest = bytearray(lines.pop())
            for line in lines:
                if line.strip():
                    self._take(line, group)

    def _take(self, line: bytes, group: TaskGroup) -> None:
        try:
            message = self._peer.read(line)
        except RpcError as error:
            self._tell(response(None, error=error))
            return
        if message is None:
            return
        if self._working >= 2 * MAX_REQUESTS:
            # Beyond what the peer allows: not even a task for it.
            full = RpcError(NO_ROOM, f"{MAX_REQUESTS} requests are being worked on: wait for one, or cancel one")
            found = message.get("id")
            self._tell(response(found if isinstance(found, (str, int)) else None, error=full))
            return
        self._working += 1
        group.start_soon(self._answer, message)

    def _tell(self, message: Json) -> None:
        """Without waiting, as reading must go on; a client that reads nothing is not told everything."""
        try:
            self._send.send_nowait(message)
        except anyio.WouldBlock:
            return

    async def _answer(self, message: Json) -> None:
        try:
            try:
                answer = await self._peer.answer(message, self)
            except Exception as error:  # of ours: the client learns its kind, and the server goes on
                fault = RpcError(INTERNAL_ERROR, "an error inside of the server", {"type": type(error).__name__})
                answer = response(message.get("id"), error=fault) if "id" in message else None
            if answer is not None:
                await self._send.send(answer)
        finally:
            self._working -= 1

    async def _write(self, group: TaskGroup) -> None:
        async for message in self._receive:
            data = dumps(message).encode() + b"\n"
            try:
                await to_thread.run_sync(write_all, self._writes, data, abandon_on_cancel=True)
            except OSError:
                # Nobody reads any more.
                group.cancel_scope.cancel()
                return
        self._written.set()


def _is_read(descriptor: int) -> bool:
    """Whether somebody has the other end of a pipe; of a file always."""
    poll = select.poll()
    poll.register(descriptor, 0)
    return not any(events & (select.POLLERR | select.POLLHUP) for _, events in poll.poll(0))


def write_all(descriptor: int, data: bytes) -> None:
    """Writes all of it, however long that takes."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
