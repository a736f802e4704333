"""``wasmhost mcp``: sessions as tools of the Model Context Protocol. Needs the extra ``mcp``."""

from typing import TYPE_CHECKING, Any

from ..errors import LimitsError, SettingsError
from . import OK, UsageError

if TYPE_CHECKING:
    from ..serving.mcp_tools import Tools
    from ..serving.pool import SessionPool
    from .serving import ServingOptions

HELP = """\
usage: wasmhost mcp [options]

An MCP server with the tools repl_run, repl_reset and repl_sessions, over stdin and stdout, or HTTP with --http. The
sessions of a client are its own, and end with it.

  -l, --language L    of calls that name none: python (py), javascript (js) or typescript (ts)
  --languages LIST    that may be asked for, with commas between them (python,javascript,typescript)
  --timeout MS        script time of a call that names none, in milliseconds (30000)
  --max-timeout MS    the most that a call may ask for (300000; never above 600000)
  --memory BYTES      size that a sandbox's memory may grow to (268435456)
  --wall MS           real time of a call in milliseconds (600000)
  --fuel N            exact budget of executed instructions of a call
  --per-client N      sessions of one client at a time (4)
  --sessions N        sessions of all clients at a time (16)
  --idle SECONDS      after which a session that nobody uses ends (900)
  --tools-from FILE   other MCP servers, as {"mcpServers": {...}}: code calls their tools as tools.SERVER.TOOL(...).
                      What the policy asks about is asked through the client, if it can (elicitation), else denied
  --config FILE       settings: limits, policy, packs (docs/settings.md)
  --http ADDRESS      PORT, ADDRESS:PORT or [ADDRESS]:PORT instead of stdin and stdout. Each request needs a token:
                      those in WASMHOST_MCP_TOKEN, or one that is made and shown
  --allow-host NAME   a host name by which clients may call the server (again for more)
"""

TOKEN = "WASMHOST_MCP_TOKEN"


def mcp(arguments: list[str]) -> int:
    """Serves until the client goes, or the process is asked to end; gives the exit status."""
    from ..serving.pool import MAX_PER_SCOPE, SCRIPT_MS
    from .serving import ServingOptions, run_server

    if "-h" in arguments or "--help" in arguments:
        print(HELP, end="")
        return OK
    try:
        options = ServingOptions(arguments, script_ms=SCRIPT_MS, per_client=MAX_PER_SCOPE)
        options.common.check_surface("mcp")
    except (SettingsError, LimitsError) as error:
        raise UsageError(str(error)) from None
    try:
        import mcp.server  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise UsageError('mcp needs two more packages: pip install "wasmhost-runtime[mcp]"') from None
    return run_server(_serve, options, options.http or "stdio")


async def _serve(options: "ServingOptions") -> None:
    from contextlib import AsyncExitStack

    from ..serving.mcp_server import mcp_server, session_limits
    from ..serving.mcp_tools import Tools
    from ..serving.pool import SessionPool
    from .serving import warn

    make = options.maker(session_limits, helpers=True, background="hold")
    async with AsyncExitStack() as stack:
        tools: Tools | None = None
        if options.tools_from is not None:
            _quiet()
            tools = await stack.enter_async_context(Tools.load(options.tools_from, warn=warn))
        pool = await stack.enter_async_context(SessionPool(make, **options.pool))
        told = await _told(options, make, tools)
        server = mcp_server(pool, make, language=options.language, languages=options.languages, tools=tools, told=told)
        if options.http is None:
            from ..serving.mcp_stdio import serve_stdio

            await serve_stdio(server)
        else:
            await _serve_http(server, options, pool)


def _quiet() -> None:
    """What the SDK logs of other servers, with whatever these say, is not for a terminal; `warn` tells what matters."""
    import logging

    client = logging.getLogger("mcp.client")
    client.addHandler(logging.NullHandler())
    client.propagate = False


async def _told(options: "ServingOptions", make: "Any", tools: "Tools | None") -> str:
    """What a client is told of the functions that code may call. A session is made for it, so wrong settings are told
    before anybody connects."""
    from anyio import to_thread

    capabilities = [] if tools is None else await tools.look()

    def declared() -> str:
        with make(options.language, "", capabilities=capabilities) as session:
            if session._capabilities is None or not session._capabilities.offered:
                return ""
            return str(session.declarations(max_chars=1_500))

    text = await to_thread.run_sync(declared)
    return f"Code in the sandbox may call these, and only these, functions:\n{text}" if text else ""


async def _serve_http(server: "Any", options: "ServingOptions", pool: "SessionPool") -> None:
    from ..serving.mcp_http import serve_http
    from .serving import listening

    address, tokens, ready = listening(options, TOKEN, "MCP")
    await serve_http(server, address, tokens, idle_seconds=pool.idle_seconds, ready=ready)
