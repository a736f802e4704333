"""JSON-RPC 2.0 between equals, over whatever carries messages (decision 0043)."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import anyio

from ..protocol.json_read import NotStrict, loads

if TYPE_CHECKING:
    from anyio import CancelScope

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603
# Of ours: the request was cancelled; there is no room (sessions, cells, requests); what it is about is closed.
CANCELLED, NO_ROOM, CLOSED = -32000, -32001, -32002

MAX_REQUESTS = 64
MAX_CALLS = 256
_MAX_ID = 200
_MAX_DEPTH = 200

Json = dict[str, Any]


class RpcError(Exception):
    """What a request is answered with: ``code`` and the text; ``data`` for programs."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code: int = code
        self.data: Any = data

    def to_dict(self) -> Json:
        """The ``error`` of a response."""
        made: Json = {"code": self.code, "message": str(self)}
        return made if self.data is None else {**made, "data": self.data}


class Answered(Exception):
    """The other side has answered a request of ours with an error."""

    def __init__(self, error: Any) -> None:
        given = error if isinstance(error, dict) else {}
        message, data = given.get("message"), given.get("data")
        super().__init__(message if isinstance(message, str) else "the client gave an error without a message")
        self.type: str = ""
        if isinstance(data, dict) and isinstance(data.get("type"), str):
            self.type = data["type"]


class Channel(Protocol):
    """What a request may use to talk to the client meanwhile."""

    async def notify(self, method: str, params: Json) -> None:
        """Tells; nothing comes back."""
        ...

    async def request(self, method: str, params: Json) -> Any:
        """Asks, and waits for the answer. Raises :class:`Answered`."""
        ...


Handler = Callable[[Mapping[str, Any], Channel, "str | int | None"], Awaitable[Any]]


class _Pending:
    __slots__ = ("answer", "done")

    def __init__(self) -> None:
        self.done: anyio.Event = anyio.Event()
        self.answer: Json = {}


class Peer:
    """One client. Of one event loop.

    Args:
        handlers: methods by name. What a handler raises as :class:`RpcError` is the answer; anything else is told as an
            internal error without details.
    """

    def __init__(self, handlers: Mapping[str, Handler]) -> None:
        self._handlers: dict[str, Handler] = {**handlers, "cancel": self._cancel}
        self._running: dict[str | int, CancelScope] = {}
        self._cancelled: set[str | int] = set()
        self._asked: dict[str, _Pending] = {}
        self._number = 0

    @property
    def busy(self) -> bool:
        """Whether a request is being worked on."""
        return bool(self._running)

    def read(self, data: bytes | str) -> Json | None:
        """A message from outside: a request or notification to be given to :meth:`answer`, or None: it was a response,
        which is taken to whoever waits for it.

        Raises:
            RpcError: it is no message.
        """
        try:
            message = loads(data)
        except NotStrict as error:
            raise RpcError(PARSE_ERROR, f"not JSON that can be read: {error}") from None
        if isinstance(message, list):
            raise RpcError(INVALID_REQUEST, "batches are not supported: one message at a time")
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            raise RpcError(INVALID_REQUEST, 'a message is an object with "jsonrpc": "2.0"')
        if "method" not in message:
            self._take(message)
            return None
        return message

    def _take(self, message: Json) -> None:
        if ("result" in message) == ("error" in message):
            raise RpcError(INVALID_REQUEST, "a message has a method, or else either a result or an error")
        wanted = message.get("id")
        pending = self._asked.pop(wanted, None) if isinstance(wanted, str) else None
        # One that nobody waits for any more came too late: dropped.
        if pending is not None:
            pending.answer = message
            pending.done.set()

    async def answer(self, message: Json, channel: Channel) -> Json | None:
        """Does what a message asks for and gives the response, or None for a notification."""
        found = message.get("id")
        if "id" in message and (isinstance(found, bool) or not isinstance(found, (str, int)) or _is_long(found)):
            error = RpcError(INVALID_REQUEST, f"an id is a text of at most {_MAX_ID} characters or a whole number")
            return response(None, error=error)
        try:
            result = await self._handle(message, channel, found)
        except RpcError as error:
            return response(found, error=error) if "id" in message else None
        return response(found, result=result) if "id" in message else None

    async def _handle(self, message: Json, channel: Channel, request: "str | int | None") -> Any:
        method, params = message["method"], message.get("params", {})
        handler = self._handlers.get(method) if isinstance(method, str) else None
        if handler is None:
            named = f"{method[:80]!r}" if isinstance(method, str) else "that is no text"
            raise RpcError(METHOD_NOT_FOUND, f"there is no method {named}; there are: {', '.join(self._handlers)}")
        if not isinstance(params, dict):
            raise RpcError(INVALID_PARAMS, "params must be an object: parameters go by name")
        if request is None:
            return await handler(params, channel, None)
        if request in self._running:
            raise RpcError(INVALID_REQUEST, f"a request with the id {request!r} is being worked on")
        if len(self._running) >= MAX_REQUESTS and handler != self._cancel:
            raise RpcError(NO_ROOM, f"{MAX_REQUESTS} requests are being worked on: wait for one, or cancel one")
        with anyio.CancelScope() as scope:
            self._running[request] = scope
            try:
                return await handler(params, channel, request)
            finally:
                del self._running[request]
        # Only `cancel` leads here: whoever cancels from further out goes through.
        raise RpcError(CANCELLED, "the request was cancelled")

    async def _cancel(self, params: Mapping[str, Any], channel: Channel, request: "str | int | None") -> Json:
        wanted = params.get("id")
        if isinstance(wanted, bool) or not isinstance(wanted, (str, int)):
            raise RpcError(INVALID_PARAMS, "cancel needs the id of a request")
        if len(params) > 1:
            raise RpcError(INVALID_PARAMS, "cancel takes an id alone")
        scope = self._running.get(wanted)
        if scope is not None and wanted != request:
            scope.cancel()
        return {"cancelled": scope is not None}

    async def ask(self, send: Callable[[Json], Awaitable[None]], method: str, params: Json) -> Any:
        """A request of ours: sends it, and waits until its response was given to :meth:`read`. Who no longer waits,
        because of a time-out or a cancellation, has the client told so by ``cancel``.

        Raises:
            Answered: the response is an error.
            RpcError: too many wait already.
        """
        if len(self._asked) >= MAX_CALLS:
            raise RpcError(NO_ROOM, f"{MAX_CALLS} requests to the client wait for an answer already")
        self._number += 1
        name = f"s{self._number}"
        pending = self._asked[name] = _Pending()
        try:
            await send({"jsonrpc": "2.0", "id": name, "method": method, "params": params})
            await pending.done.wait()
        except BaseException:
            self._asked.pop(name, None)
            with anyio.CancelScope(shield=True), anyio.move_on_after(1):
                await send({"jsonrpc": "2.0", "method": "cancel", "params": {"id": name}})
            raise
        if "error" in pending.answer:
            raise Answered(pending.answer["error"])
        return pending.answer["result"]


def _is_long(found: str | int) -> bool:
    return len(found) > _MAX_ID if isinstance(found, str) else abs(found) > 2**53


def response(request: "str | int | None", *, result: Any = None, error: RpcError | None = None) -> Json:
    """A response of ours."""
    made: Json = {"jsonrpc": "2.0", "id": request}
    return {**made, "result": result} if error is None else {**made, "error": error.to_dict()}
