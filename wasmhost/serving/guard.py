"""What each request over HTTP must have: a token, and a host and origin that are ours (rule 14 of the safety rules)."""

import socket
from typing import TYPE_CHECKING

import uvicorn
from starlette.responses import PlainTextResponse

from .tokens import Tokens

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send


# For requests that are under way, when the server ends.
_CLOSE_SECONDS = 2


class Guard:
    """Lets requests through that have a token, and puts its principal into the scope as ``principal``.

    Args:
        hosts: what a ``Host`` header may say; ``http://`` and one of these is what an ``Origin`` header may say. None:
            the application checks these itself.
    """

    def __init__(self, app: "ASGIApp", tokens: Tokens, hosts: list[str] | None = None) -> None:
        self._app = app
        self._tokens = tokens
        self._hosts = hosts

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        if scope["type"] == "http":
            await (self._refused(scope) or self._app)(scope, receive, send)

    def _refused(self, scope: "Scope") -> PlainTextResponse | None:
        if self._hosts is not None:
            if _header(scope, b"host") not in self._hosts:
                return PlainTextResponse("this server is not called so; see --allow-host\n", 421)
            origin = _header(scope, b"origin")
            # A page of somebody else, in a browser that runs here.
            if origin is not None and origin.removeprefix("http://") not in self._hosts:
                return PlainTextResponse("requests from other origins are refused\n", 403)
        principal = self._tokens.principal(_header(scope, b"authorization") or "")
        if principal is None:
            return PlainTextResponse(
                "this server needs the header `Authorization: Bearer TOKEN`\n", 401, {"www-authenticate": "Bearer"}
            )
        scope["principal"] = principal
        return None


def _header(scope: "Scope", name: bytes) -> str | None:
    """A header that is there once; more than one is as none that fits."""
    found = [value for key, value in scope["headers"] if key == name]
    return None if not found else found[0].decode("latin-1") if len(found) == 1 else ""


async def serve(app: "ASGIApp", listener: socket.socket, clients: int) -> None:
    """Serves until SIGINT or SIGTERM, or until it is cancelled. On asyncio.

    Args:
        clients: of which there may be so many, each with four connections.
    """
    config = uvicorn.Config(
        app,
        lifespan="off",
        log_level="warning",
        access_log=False,
        server_header=False,
        limit_concurrency=4 * clients,
        timeout_graceful_shutdown=_CLOSE_SECONDS,
    )
    await uvicorn.Server(config).serve(sockets=[listener])
