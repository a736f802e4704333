"""What a client of ``wasmhost serve`` can ask for (``docs/serve.md``), whatever carries it."""

from base64 import b64decode, b64encode
from collections.abc import Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import anyio

from .. import __version__
from ..capabilities.approval import ApprovalRequest
from ..capabilities.capability import Capability
from ..capabilities.policy import Allow, Deny, Policy, Rule
from ..errors import CapabilityDefinitionError, CapabilityError, SessionBusy, SessionClosed, WasmhostError
from ..protocol.json_read import NotStrict, value_of
from ..protocol.json_text import clean, jsonable_or_text
from ..settings import LANGUAGES
from .jsonrpc import CLOSED, INTERNAL_ERROR, INVALID_PARAMS, NO_ROOM, Answered, Channel, Handler, Json, RpcError
from .output import Following
from .pool import Scope, SessionPool, SessionState, TooManySessions

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from ..session.session import Session

    # A session of a language, with more options.
    Make = Callable[..., Session]

# Of this set of methods: another number where a client of an older one would not work.
PROTOCOL = 1
MAX_CODE = 8 << 20
# In base64 it must fit into a message of the client, to come back.
MAX_SNAPSHOT = 11 << 20
_MAX_CAPABILITIES = 500
_MAX_OPTIONS = 1_000

_CAPABILITY: dict[str, type | tuple[type, ...]] = {
    "name": str,
    "description": str,
    "inputSchema": dict,
    "outputSchema": dict,
    "decision": str,
    "timeoutMs": (int, float),
    "readOnly": bool,
    "idempotent": bool,
    "exclusive": bool,
    "isolation": (str, list),
}

# By which channel the client is asked, from inside of the cell of which request.
_asks: "ContextVar[tuple[Channel, str | int | None] | None]" = ContextVar("wasmhost_rpc_channel", default=None)


class Methods:
    """The methods of one client, and its sessions.

    Args:
        pool: entered by whoever serves.
        make: makes a session: ``make(language, name, **options)``, in a worker thread; with ``snapshot=`` from one.
        policy: the server's own; its rules come before what a client says of its functions.
        language: of a client that names none.
    """

    def __init__(self, pool: SessionPool, make: "Make", *, policy: Policy | None, language: str) -> None:
        self._pool = pool
        self._make = make
        self._policy = policy or Policy()
        self._language = language
        # Options of sessions that a client has created, by name and language.
        self._options: dict[tuple[str, str], dict[str, Any]] = {}
        self.scope: Scope = pool.scope(self._made)
        self.handlers: dict[str, Handler] = {
            "info": self.info,
            "create": self.create,
            "execute": self.execute,
            "reset": self.reset,
            "sessions": self.sessions,
            "describe": self.describe,
            "instructions": self.instructions,
            "snapshot": self.snapshot,
            "restore": self.restore,
        }

    async def aclose(self, reason: str) -> None:
        """Ends the sessions."""
        await self.scope.aclose(reason)

    def _made(self, language: str, name: str) -> "Session":
        return self._make(language, name, **self._options.get((name, language), {"policy": self._policy}))

    # ---- methods ----

    async def info(self, params: Mapping[str, Any], channel: Channel, request: "str | int | None") -> Json:
        """Version, languages, limits."""
        _known(params)
        pool = self._pool
        return {
            "name": "wasmhost",
            "version": __version__,
            "protocol": PROTOCOL,
            "languages": list(LANGUAGES),
            "scriptMs": pool.script_ms,
            "maxScriptMs": pool.max_script_ms,
            "maxSessions": pool.max_per_scope,
            "idleSeconds": pool.idle_seconds,
        }

    async def create(self, params: Mapping[str, Any], channel: Channel, request: "str | int | None") -> Json:
        """A session with functions of the client."""
        _known(params, "session", "language", "capabilities", "approvals")
        name, language = self._which(params)
        given = params.get("capabilities", [])
        if not isinstance(given, list) or len(given) > _MAX_CAPABILITIES:
            raise RpcError(INVALID_PARAMS, f"capabilities must be a list of at most {_MAX_CAPABILITIES}")
        approvals = params.get("approvals", False)
        if not isinstance(approvals, bool):
            raise RpcError(INVALID_PARAMS, "approvals must be true or false")
        rules: list[Rule] = []
        capabilities = [_capability(number, one, rules) for number, one in enumerate(given, 1)]
        options: dict[str, Any] = {
            "capabilities": capabilities,
            "policy": Policy([*self._policy.rules, *rules], default=self._policy.default),
            **({"approve": _ask} if approvals else {}),
        }
        with _told():
            await self.scope.replace(name, language, lambda: self._make(language, name, **options))
        self._options[name, language] = options
        while len(self._options) > _MAX_OPTIONS:
            del self._options[next(iter(self._options))]
        return {"session": name, "language": language}

    async def execute(self, params: Mapping[str, Any], channel: Channel, request: "str | int | None") -> Json:
        """Runs a cell; output as it comes by ``output``."""
        _known(params, "code", "session", "language", "timeoutMs", "output")
        code = _text(params, "code", None, MAX_CODE)
        name, language = self._which(params)
        timeout = params.get("timeoutMs")
        if "timeoutMs" in params and (isinstance(timeout, bool) or not isinstance(timeout, (int, float))):
            raise RpcError(INVALID_PARAMS, "timeoutMs must be a number")
        wants = params.get("output", False)
        if not isinstance(wants, bool):
            raise RpcError(INVALID_PARAMS, "output must be true or false")

        async def told(stream: str, text: str) -> None:
            await channel.notify("output", {"request": request, "stream": stream, "text": text})

        token = _asks.set((channel, request))
        try:
            with _told():
                if not wants:
                    ran = await self.scope.run(name, language, code, timeout_ms=timeout)
                else:
                    async with Following(told) as following:
                        ran = await self.scope.run(name, language, code, timeout_ms=timeout, on_output=following.put)
        finally:
            _asks.reset(token)
        made = ran.result.to_dict()
        made["notes"] = [*ran.notes, *made["notes"]]
        return made

    async def reset(self, params: Mapping[str, Any], channel: Channel, request: "str | int | None") -> Json:
        """Ends a session, or all of a name."""
        _known(params, "session", "language")
        language = _text(params, "language", None) if "language" in params else None
        with _told():
            ended = await self.scope.reset(_text(params, "session", "main"), language)
        return {"ended": _states(ended)}

    async def sessions(self, params: Mapping[str, Any], channel: Channel, request: "str | int | None") -> Json:
        """What there is."""
        _known(params)
        return {"sessions": _states(self.scope.sessions())}

    async def describe(self, params: Mapping[str, Any], channel: Channel, request: "str | int | None") -> Json:
        """The variables of a session."""
        _known(params, "session", "language")
        async with self._used(params) as session:
            found = await anyio.to_thread.run_sync(session.describe)
        return {"variables": [{k: _clean(v) for k, v in one.to_dict().items()} for one in found]}

    async def instructions(self, params: Mapping[str, Any], channel: Channel, request: "str | int | None") -> Json:
        """What a model is told of a session."""
        _known(params, "session", "language", "form")
        form = _text(params, "form", "short")
        async with self._used(params) as session:
            try:
                return {"text": clean(session.instructions(form=form))}
            except ValueError as error:
                raise RpcError(INVALID_PARAMS, str(error)) from None

    async def snapshot(self, params: Mapping[str, Any], channel: Channel, request: "str | int | None") -> Json:
        """The state of a session, in base64."""
        _known(params, "session", "language")
        async with self._used(params) as session:
            data = await anyio.to_thread.run_sync(session.snapshot)
        if len(data) > MAX_SNAPSHOT:
            raise RpcError(NO_ROOM, f"the snapshot has {len(data)} bytes; {MAX_SNAPSHOT} is the most here")
        return {"snapshot": b64encode(data).decode(), "language": session.language}

    async def restore(self, params: Mapping[str, Any], channel: Channel, request: "str | int | None") -> Json:
        """A session from a snapshot, in place of the one of that name."""
        _known(params, "session", "language", "snapshot")
        name, language = self._which(params)
        try:
            data = b64decode(_text(params, "snapshot", None, 2 * MAX_SNAPSHOT), validate=True)
        except ValueError:
            raise RpcError(INVALID_PARAMS, "snapshot is not base64") from None
        options = self._options.get((name, language), {"policy": self._policy})
        with _told():
            await self.scope.replace(name, language, lambda: self._make(language, name, snapshot=data, **options))
        return {"session": name, "language": language}

    # ---- parameters ----

    def _which(self, params: Mapping[str, Any]) -> tuple[str, str]:
        return _text(params, "session", "main"), _text(params, "language", self._language)

    @asynccontextmanager
    async def _used(self, params: Mapping[str, Any]) -> "AsyncIterator[Session]":
        name, language = self._which(params)
        with _told():
            async with self.scope.use(name, language) as (session, _):
                yield session


class _told:
    """Errors of ours as answers."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: Any) -> None:
        if not isinstance(error, (WasmhostError, ValueError)) or isinstance(error, RpcError):
            return
        data = {"type": type(error).__name__}
        if isinstance(error, (TooManySessions, SessionBusy)):
            raise RpcError(NO_ROOM, clean(str(error)), data) from None
        if isinstance(error, SessionClosed):
            raise RpcError(CLOSED, clean(str(error)), data) from None
        code = INVALID_PARAMS if isinstance(error, (ValueError, TypeError)) else INTERNAL_ERROR
        raise RpcError(code, clean(str(error)), data) from None


def _states(told: list[SessionState]) -> list[Json]:
    return [one.to_dict() for one in told]


def _clean(value: Any) -> Any:
    return clean(value) if isinstance(value, str) else value


def _known(params: Mapping[str, Any], *names: str) -> None:
    for name in params:
        if name not in names:
            there = f"it takes: {', '.join(names)}" if names else "it takes none"
            raise RpcError(INVALID_PARAMS, f"there is no parameter {name[:80]!r}; {there}")


def _text(params: Mapping[str, Any], name: str, default: str | None, most: int = 1_000) -> str:
    if name not in params and default is None:
        raise RpcError(INVALID_PARAMS, f"{name} is missing")
    found = params.get(name, default)
    if not isinstance(found, str):
        raise RpcError(INVALID_PARAMS, f"{name} must be a text")
    if len(found) > most:
        raise RpcError(INVALID_PARAMS, f"{name} has {len(found)} characters; the most is {most}")
    return found


# ---- functions of the client ----


def _capability(number: int, given: Any, rules: list[Rule]) -> Capability:
    where = f"capability number {number}"
    if not isinstance(given, dict):
        raise RpcError(INVALID_PARAMS, f"{where} must be an object")
    for key, value in given.items():
        kind = _CAPABILITY.get(key)
        if kind is None:
            raise RpcError(INVALID_PARAMS, f"{where}: {key[:80]!r} is not known; there are: {', '.join(_CAPABILITY)}")
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise RpcError(INVALID_PARAMS, f"{where}: {key} does not have the right kind of value")
    isolation = given.get("isolation", ())
    if isinstance(isolation, list) and not all(isinstance(one, str) for one in isolation):
        raise RpcError(INVALID_PARAMS, f"{where}: isolation must have texts only")
    name = given.get("name", "")
    timeout = given.get("timeoutMs")
    try:
        if "decision" in given:
            rules.append(Rule(name, given["decision"]))
        else:
            rules.append(Rule(name, "allow"))
        return Capability.from_json_schema(
            name,
            _caller(name),
            given.get("inputSchema", {"type": "object"}),
            description=given.get("description", ""),
            output_schema=given.get("outputSchema"),
            timeout=None if timeout is None else timeout / 1000,
            read_only=given.get("readOnly", False),
            idempotent=given.get("idempotent", False),
            exclusive=given.get("exclusive", False),
            isolation=isolation,
        )
    except CapabilityDefinitionError as error:
        raise RpcError(INVALID_PARAMS, f"{where}: {clean(str(error))}") from None


def _caller(name: str) -> Callable[..., Awaitable[Any]]:
    async def call(**arguments: Any) -> Any:
        asks = _asks.get()
        if asks is None:
            raise CapabilityError("the client is not there")
        params = {"request": asks[1], "name": name, "arguments": jsonable_or_text(arguments)}
        try:
            answer = await asks[0].request("call", params)
        except Answered as error:
            raise CapabilityError(str(error), type=error.type or "CallError") from None
        except RpcError as error:
            raise CapabilityError(str(error)) from None
        try:
            return value_of(answer)
        except NotStrict as error:
            raise CapabilityError(f"the client's answer cannot be read: {error}") from None

    return call


async def _ask(request: ApprovalRequest) -> "Allow | Deny":
    asks = _asks.get()
    if asks is None:
        return Deny("nobody can be asked")
    params = {
        "request": asks[1],
        "call": request.call_id,
        "name": request.name,
        "arguments": jsonable_or_text(dict(request.input)),
        "reason": clean(request.reason),
        "text": clean(request.text()),
    }
    try:
        answer = await asks[0].request("approve", params)
    except (Answered, RpcError) as error:
        return Deny(f"the client could not decide: {error}")
    decision = answer.get("decision") if isinstance(answer, dict) else None
    if decision == "allow":
        return Allow(remember=answer.get("remember") is True)
    reason = answer.get("reason") if isinstance(answer, dict) else None
    return Deny(reason[:1_000] if isinstance(reason, str) else "the client said no")
