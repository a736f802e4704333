"""Real HTTP servers on this machine, and a little network of names that leads to them.

The pack has no switch that lets a request go to the loopback. A test gives names and public addresses, and a
``connect`` that brings the connection to an address, after it was checked, to a server of the test.
"""

import asyncio
import ssl
import threading
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import Any

import anyio
from anyio.abc import ByteStream

TLS = Path(__file__).resolve().parents[1] / "packs" / "tls"

# Addresses of AS112, which swallows what is sent there: public by every registry, and nobody's server.
PUBLIC = "192.31.196.10"
OTHER = "192.31.196.11"
PUBLIC_6 = "2620:4f:8000::10"


class Request:
    """What a server got."""

    def __init__(self, head: bytes, body: bytes, reader: asyncio.StreamReader) -> None:
        self._reader = reader
        lines = head.decode("latin-1").split("\r\n")
        self.method, self.target, _ = lines[0].split(" ")
        self.headers: list[tuple[str, str]] = []
        for line in lines[1:]:
            if line:
                name, _, value = line.partition(":")
                self.headers.append((name.lower(), value.strip()))
        self.body: bytes = body

    def header(self, name: str) -> str | None:
        return next((value for found, value in self.headers if found == name), None)

    async def gone(self) -> None:
        """Waits until the client has closed the connection, and sends nothing meanwhile."""
        await self._reader.read()
        raise ConnectionResetError


Handler = Callable[[Request, asyncio.StreamWriter], Awaitable[None]]


def answer(
    body: bytes | str = b"", status: str = "200 OK", kind: str = "text/plain; charset=utf-8", **headers: str
) -> bytes:
    """A whole answer; ``_`` in the names of headers stands for ``-``."""
    data = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status}", f"content-type: {kind}", f"content-length: {len(data)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + data


def redirect(location: str, status: str = "302 Found") -> bytes:
    return answer(b"moved", status, location=location)


class Server:
    """A server with a thread and event loop of its own. ``pages``: by path, what is sent, or a handler that writes it
    itself; any other path is a 404. ``greeting``: sent to whoever connects, instead of anything else."""

    def __init__(
        self, pages: dict[str, bytes | Handler] | None = None, *, tls: bool = False, greeting: bytes = b""
    ) -> None:
        self.greeting: bytes = greeting
        self.pages: dict[str, bytes | Handler] = pages or {}
        self.requests: list[Request] = []
        self.closed_by_client: threading.Event = threading.Event()
        self.port: int = 0
        self._tls = tls
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._end = asyncio.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "Server":
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(10)

    @property
    def asked(self) -> list[str]:
        return [f"{request.method} {request.target}" for request in self.requests]

    def _run(self) -> None:
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        context = None
        if self._tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(TLS / "server.pem", TLS / "server.key")
        tasks: set[asyncio.Task[Any]] = set()

        async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            tasks.add(task)
            try:
                await self._client(reader, writer)
            except (ConnectionError, asyncio.IncompleteReadError):
                self.closed_by_client.set()
            except asyncio.CancelledError:
                pass
            finally:
                tasks.discard(task)
                writer.transport.abort()

        server = await asyncio.start_server(client, "127.0.0.1", 0, ssl=context)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._end.wait()
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.greeting:
            writer.write(self.greeting)
            await writer.drain()
            return
        head = await reader.readuntil(b"\r\n\r\n")
        request = Request(head, b"", reader)
        request.body = await reader.readexactly(int(request.header("content-length") or 0))
        self.requests.append(request)
        page = self.pages.get(request.target.partition("?")[0], answer("no such page", "404 Not Found"))
        if isinstance(page, bytes):
            writer.write(page)
        else:
            await page(request, writer)
        await writer.drain()
        writer.close()
        await writer.wait_closed()


class Net:
    """Names and public addresses of a test. ``names`` is looked up anew for each request; ``dialled`` are the addresses
    that were connected to, ``looked_up`` the names that were asked for."""

    def __init__(self, names: dict[str, list[str]], servers: dict[tuple[str, int], Server]) -> None:
        self.names: dict[str, list[str]] = names
        self.servers: dict[tuple[str, int], Server] = servers
        self.looked_up: list[str] = []
        self.dialled: list[tuple[str, int]] = []

    async def resolver(self, host: str, port: int) -> Iterable[str]:
        self.looked_up.append(host)
        if host not in self.names:
            raise OSError("no such name")
        return list(self.names[host])

    async def connect(self, address: str, port: int) -> ByteStream:
        self.dialled.append((address, port))
        server = self.servers.get((address, port))
        if server is None:
            raise ConnectionRefusedError
        return await anyio.connect_tcp("127.0.0.1", server.port)

    @property
    def options(self) -> dict[str, Any]:
        """For ``http(...)``."""
        return {"resolver": self.resolver, "connect": self.connect}


def one_server(server: Server, *, port: int = 80) -> Net:
    """``api.example.com`` on one server."""
    return Net({"api.example.com": [PUBLIC]}, {(PUBLIC, port): server})


def trusting() -> ssl.SSLContext:
    """What a program would pass whose servers have certificates of its own authority."""
    return ssl.create_default_context(cafile=str(TLS / "authority.pem"))
