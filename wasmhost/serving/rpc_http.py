"""JSON-RPC over HTTP, with server-sent events for what comes before the answer (decision 0043). Needs the extra
``serve``."""

import secrets
from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING, Any

import anyio
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ..protocol.json_text import dumps
from .addresses import Address
from .guard import Guard, serve
from .jsonrpc import INTERNAL_ERROR, INVALID_REQUEST, Json, Peer, RpcError, response
from .methods import Methods
from .openapi import description
from .tokens import Tokens

if TYPE_CHECKING:
    from anyio.abc import TaskGroup
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from starlette.types import ASGIApp, Receive, Scope, Send

MAX_BODY = 16 << 20
MAX_CLIENTS = 256
# For which a client may have no request, before it counts as gone.
GONE_SECONDS = 60.0
# For a body to come in whole.
_BODY_SECONDS = 30.0
_WAITING = 256
_QUIET_SECONDS = 15


class _Client:
    def __init__(self, principal: str, methods: Methods) -> None:
        self.principal: str = principal
        self.methods: Methods = methods
        self.peer: Peer = Peer(methods.handlers)
        self.requests: int = 0
        self.used_at: float = monotonic()


class _Events:
    """Channel of one request: what it tells and asks goes out on its own stream."""

    def __init__(self, peer: Peer, send: "MemoryObjectSendStream[Json]") -> None:
        self._peer = peer
        self._send = send

    async def notify(self, method: str, params: Json) -> None:
        await self._put({"jsonrpc": "2.0", "method": method, "params": params})

    async def request(self, method: str, params: Json) -> Any:
        return await self._peer.ask(self._put, method, params)

    async def _put(self, message: Json) -> None:
        try:
            await self._send.send(message)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            # The client no longer listens to this request, which is cancelled for it.
            return


class _NoEvents:
    """Channel of a request whose client takes the answer only."""

    async def notify(self, method: str, params: Json) -> None:
        return None

    async def request(self, method: str, params: Json) -> Any:
        raise RpcError(
            INVALID_REQUEST, f"{method!r} cannot reach the client: it must accept text/event-stream for this request"
        )


class HttpServer:
    """The application, and its clients. Enter it before it is used. Of one event loop.

    Args:
        methods: makes those of one more client.
        gone_seconds: after which a client without a request counts as gone.
    """

    def __init__(self, methods: Callable[[], Methods], *, gone_seconds: float = GONE_SECONDS) -> None:
        self._methods = methods
        self._gone_seconds = gone_seconds
        self._clients: dict[str, _Client] = {}
        self._group: TaskGroup | None = None
        self._app = Starlette(
            routes=[
                Route("/openapi.json", self._openapi, methods=["GET"]),
                Route("/v1/clients", self._begin, methods=["POST"]),
                Route("/v1/clients/{client}", self._end, methods=["DELETE"]),
                Route("/v1/clients/{client}/rpc", self._rpc, methods=["POST"]),
            ]
        )

    @property
    def app(self) -> "ASGIApp":
        """The application: for whatever speaks ASGI, behind a :class:`~wasmhost.serving.guard.Guard`."""
        return self._app

    async def __aenter__(self) -> "HttpServer":
        self._group = anyio.create_task_group()
        await self._group.__aenter__()
        self._group.start_soon(self._sweep)
        return self

    async def __aexit__(self, *error: Any) -> None:
        group, self._group = self._group, None
        assert group is not None
        group.cancel_scope.cancel()
        await group.__aexit__(None, None, None)
        for client in list(self._clients.values()):
            await client.methods.aclose("the server has shut down")
        self._clients.clear()

    async def _sweep(self) -> None:
        while True:
            await anyio.sleep(min(self._gone_seconds / 4, 10))
            now = monotonic()
            for name, client in list(self._clients.items()):
                if not client.requests and now - client.used_at >= self._gone_seconds:
                    del self._clients[name]
                    await client.methods.aclose("the client has gone")

    # ---- resources ----

    async def _openapi(self, request: Request) -> Response:
        return JSONResponse(description())

    async def _begin(self, request: Request) -> Response:
        if len(self._clients) >= MAX_CLIENTS:
            return _problem(503, f"there are {MAX_CLIENTS} clients: end one, or wait until one is gone")
        name = secrets.token_urlsafe(24)
        self._clients[name] = _Client(request.scope["principal"], self._methods())
        return JSONResponse({"client": name, "goneSeconds": self._gone_seconds}, 201)

    def _client(self, request: Request) -> _Client | None:
        found = self._clients.get(request.path_params["client"])
        # Of somebody else: as if there were none.
        return found if found is not None and found.principal == request.scope["principal"] else None

    async def _end(self, request: Request) -> Response:
        client = self._client(request)
        if client is None:
            return _no_client()
        del self._clients[request.path_params["client"]]
        await client.methods.aclose("the client has ended")
        return Response(status_code=204)

    async def _rpc(self, request: Request) -> Response:
        client = self._client(request)
        if client is None:
            return _no_client()
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return _problem(415, "the body must be application/json")
        client.requests += 1
        try:
            body = await _body(request)
            if isinstance(body, Response):
                return body
            try:
                message = client.peer.read(body)
            except RpcError as error:
                return JSONResponse(response(None, error=error))
            if message is None:
                return Response(status_code=202)
            if "text/event-stream" in request.headers.get("accept", "") and "id" in message:
                return _EventStream(client, message)
            return await self._plain(request, client, message)
        finally:
            _used(client)

    async def _plain(self, request: Request, client: _Client, message: Json) -> Response:
        answer: Json | None = None
        async with anyio.create_task_group() as group:

            async def until_gone() -> None:
                while not await request.is_disconnected():
                    await anyio.sleep(0.5)
                group.cancel_scope.cancel()

            group.start_soon(until_gone)
            answer = await _answer(client.peer, message, _NoEvents())
            group.cancel_scope.cancel()
        # As text of ours: JSON with lone surrogates in it is still ASCII.
        return Response(status_code=202) if answer is None else Response(dumps(answer), media_type="application/json")


class _EventStream(Response):
    """The events of one request, the response as the last of them. A client that no longer listens cancels it."""

    def __init__(self, client: _Client, message: Json) -> None:
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        super().__init__(headers=headers, media_type="text/event-stream")
        # Not known beforehand.
        del self.headers["content-length"]
        self._client = client
        self._message = message

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        self._client.requests += 1
        try:
            async with anyio.create_task_group() as group:

                async def until_gone() -> None:
                    while (await receive())["type"] != "http.disconnect":
                        continue
                    group.cancel_scope.cancel()

                put, take = anyio.create_memory_object_stream[Json](_WAITING)
                group.start_soon(until_gone)
                group.start_soon(self._work, put)
                await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
                async with take:
                    await self._tell(take, send)
                group.cancel_scope.cancel()
        finally:
            _used(self._client)

    async def _work(self, put: "MemoryObjectSendStream[Json]") -> None:
        async with put:
            answer = await _answer(self._client.peer, self._message, _Events(self._client.peer, put))
            if answer is not None:
                await put.send(answer)

    async def _tell(self, take: "MemoryObjectReceiveStream[Json]", send: "Send") -> None:
        while True:
            told: Json | None = None
            with anyio.move_on_after(_QUIET_SECONDS):
                try:
                    told = await take.receive()
                except anyio.EndOfStream:
                    await send({"type": "http.response.body", "body": b""})
                    return
            # Proxies close connections over which nothing comes.
            data = b": still here\n\n" if told is None else f"data: {dumps(told)}\n\n".encode()
            await send({"type": "http.response.body", "body": data, "more_body": True})


def _used(client: _Client) -> None:
    client.requests -= 1
    client.used_at = monotonic()


async def _answer(peer: Peer, message: Json, channel: Any) -> Json | None:
    try:
        return await peer.answer(message, channel)
    except Exception as error:  # of ours: the client learns its kind, and the server goes on
        fault = RpcError(INTERNAL_ERROR, "an error inside of the server", {"type": type(error).__name__})
        return response(message.get("id"), error=fault) if "id" in message else None


async def _body(request: Request) -> bytes | Response:
    pieces: list[bytes] = []
    size = 0
    try:
        with anyio.fail_after(_BODY_SECONDS):
            async for piece in request.stream():
                size += len(piece)
                if size > MAX_BODY:
                    return _problem(413, f"a body has at most {MAX_BODY} bytes")
                pieces.append(piece)
    except TimeoutError:
        return _problem(408, f"the body did not come in within {_BODY_SECONDS:g} s")
    except ClientDisconnect:
        return Response(status_code=400)
    return b"".join(pieces)


def _problem(status: int, text: str) -> Response:
    return JSONResponse({"error": text}, status)


def _no_client() -> Response:
    return _problem(404, "there is no such client, or it counts as gone: begin with POST /v1/clients")


async def serve_http(
    methods: Callable[[], Methods], address: Address, tokens: Tokens, *, ready: Callable[[str], None]
) -> None:
    """Serves until SIGINT or SIGTERM, or until it is cancelled. On asyncio.

    Args:
        ready: told the URL once requests are taken.

    Raises:
        OSError: the address cannot be used.
    """
    listener = address.listen()
    hosts = address.hosts(listener.getsockname()[1])
    with listener:
        async with HttpServer(methods) as server:
            ready(f"http://{hosts[0]}")
            await serve(Guard(server.app, tokens, hosts), listener, MAX_CLIENTS)
