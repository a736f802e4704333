"""MCP over streamable HTTP: a token for each request, Host and Origin checked, sessions of (principal, MCP session)
(rule 14 of the safety rules)."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import PlainTextResponse

from .addresses import Address
from .guard import Guard, serve
from .tokens import Tokens

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server
    from starlette.types import ASGIApp, Receive, Scope, Send

PATH = "/mcp"
# A cell's source is the largest thing that a client sends.
_MOST_BODY = 8 << 20
_MOST_CONNECTIONS = 256


class _Endpoint:
    """The path, with the principal as the SDK wants it: a session is used by whom it was begun by, and by nobody
    else."""

    def __init__(self, app: "ASGIApp") -> None:
        self._app = app

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        if scope["path"] != PATH:
            await PlainTextResponse(f"not found; MCP is at {PATH}\n", 404)(scope, receive, send)
            return
        scope["user"] = AuthenticatedUser(AccessToken(token="", client_id=scope["principal"], scopes=[]))
        await self._app(scope, receive, send)


async def serve_http(
    server: "Server[Any]",
    address: Address,
    tokens: Tokens,
    *,
    idle_seconds: float,
    ready: Callable[[str], None],
) -> None:
    """Serves until SIGINT or SIGTERM, or until it is cancelled. On asyncio.

    Args:
        ready: told the URL once requests are taken.

    Raises:
        OSError: the address cannot be used.
    """
    listener = address.listen()
    port = listener.getsockname()[1]
    hosts = address.hosts(port)
    manager = StreamableHTTPSessionManager(
        server,
        security_settings=TransportSecuritySettings(
            allowed_hosts=hosts, allowed_origins=[f"http://{one}" for one in hosts]
        ),
        session_idle_timeout=idle_seconds,
        max_request_body_size=_MOST_BODY,
        max_sessions=_MOST_CONNECTIONS,
    )
    app = Guard(_Endpoint(manager.handle_request), tokens)
    with listener:
        async with manager.run():
            ready(f"http://{hosts[0]}{PATH}")
            await serve(app, listener, _MOST_CONNECTIONS)
