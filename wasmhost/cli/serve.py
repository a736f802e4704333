"""``wasmhost serve``: sessions for programs in other languages, by JSON-RPC. HTTP needs the extra ``serve``."""

import os
import sys
from typing import TYPE_CHECKING, Any

from ..errors import LimitsError, SettingsError
from . import OK, UsageError

if TYPE_CHECKING:
    from ..serving.pool import SessionPool

HELP = """\
usage: wasmhost serve --stdio [options]
       wasmhost serve --http ADDRESS [options]

Sessions for programs in other languages, by JSON-RPC 2.0 (docs/serve.md): over stdin and stdout, one line a message, or
over HTTP with server-sent events. The sessions of a client end with it.

  --stdio             one client, which has started this process
  --http ADDRESS      PORT, ADDRESS:PORT or [ADDRESS]:PORT. Each request needs a token: those in
                      WASMHOST_SERVE_TOKEN, or one that is made and shown
  --allow-host NAME   a host name by which clients may call the server (again for more)
  -l, --language L    of requests that name none: python (py), javascript (js) or typescript (ts)
  --timeout MS        script time of a cell that asks for none, in milliseconds (1000)
  --max-timeout MS    the most that a cell may ask for (300000; never above 600000)
  --memory BYTES      size that a sandbox's memory may grow to (268435456)
  --wall MS           real time of a cell in milliseconds (600000)
  --fuel N            exact budget of executed instructions of a cell
  --per-client N      sessions of one client at a time (16)
  --sessions N        sessions of all clients at a time (16 with --stdio, 64 with --http)
  --idle SECONDS      after which a session that nobody uses ends (900)
  --config FILE       settings: limits, policy, packs (docs/settings.md)
"""

TOKEN = "WASMHOST_SERVE_TOKEN"
SCRIPT_MS = 1_000


class ServeOptions:
    """What the words of the command line ask for."""

    def __init__(self, arguments: list[str]) -> None:
        from .serving import ServingOptions

        self.stdio: bool = "--stdio" in arguments
        self.common: ServingOptions = ServingOptions(
            [word for word in arguments if word != "--stdio"], script_ms=SCRIPT_MS, per_client=16
        )
        self.http: str | None = self.common.http
        if self.stdio == (self.http is not None):
            raise UsageError("give either --stdio or --http ADDRESS; see: wasmhost serve --help")
        self.common.pool.setdefault("max_sessions", 16 if self.stdio else 64)


def serve(arguments: list[str]) -> int:
    """Serves until the client goes, or the process is asked to end; gives the exit status."""
    if "-h" in arguments or "--help" in arguments:
        print(HELP, end="")
        return OK
    try:
        options = ServeOptions(arguments)
        options.common.common.check_surface("server")
    except (SettingsError, LimitsError) as error:
        raise UsageError(str(error)) from None
    if options.http is not None:
        try:
            import starlette  # noqa: F401
            import uvicorn  # noqa: F401
        except ImportError:
            raise UsageError('serve --http needs two more packages: pip install "wasmhost-runtime[serve]"') from None
    from .serving import run_server

    return run_server(_serve, options, options.http or "stdio")


async def _serve(options: ServeOptions) -> None:
    from ..serving.pool import SessionPool

    common = options.common
    make = common.maker(helpers=False)
    async with SessionPool(make, **common.pool) as pool:
        # Settings that cannot be are told before anybody connects.
        make(common.language, "").close()
        if options.stdio:
            await _serve_stdio(options, pool, make)
        else:
            await _serve_http(options, pool, make)


async def _serve_stdio(options: ServeOptions, pool: "SessionPool", make: "Any") -> None:
    from ..serving.jsonrpc import Peer
    from ..serving.methods import Methods
    from ..serving.rpc_stdio import StdioServer

    # Whatever else writes to stdout, it goes to stderr: stdout belongs to the protocol.
    sys.stdout.flush()
    writes = os.dup(1)
    os.dup2(2, 1)
    methods = Methods(pool, make, policy=options.common.policy, language=options.common.language)
    try:
        await StdioServer(Peer(methods.handlers), 0, writes).serve()
    finally:
        await methods.aclose("the client has gone")


async def _serve_http(options: ServeOptions, pool: "SessionPool", make: "Any") -> None:
    from ..serving.methods import Methods
    from ..serving.rpc_http import serve_http
    from .serving import listening

    address, tokens, ready = listening(options.common, TOKEN, "serving")

    def methods() -> Methods:
        return Methods(pool, make, policy=options.common.policy, language=options.common.language)

    await serve_http(methods, address, tokens, ready=ready)
