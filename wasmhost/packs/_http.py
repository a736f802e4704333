"""The pack ``http``: ``Fetch``, for hosts that the program names, on the public network alone (``docs/packs.md``)."""

import json
import math
import ssl
from _thread import allocate_lock
from collections.abc import Iterable
from typing import Any, NotRequired

import anyio
from typing_extensions import TypedDict  # pydantic takes that of `typing` from Python 3.12 on

from .. import __version__
from ..capabilities.capability import Capability, capability
from ..capabilities.run import current_call
from ..errors import CapabilityDefinitionError, CapabilityError
from .http_address import Resolver, public_among, system_resolver
from .http_exchange import Answer, Connect, ExchangeError, Headers, exchange
from .http_rules import METHODS, HttpRule
from .http_secrets import Secret, Secrets, is_token
from .http_url import Url, UrlError, parse_url
from .pack import Pack

__all__ = ["Fetched", "HttpRule", "Secret", "http"]

MAX_TIMEOUT = 600.0
_MOST_BYTES = 64 << 20
_REDIRECTS = (301, 302, 303, 307, 308)
_SHOWN_RULES = 20

MAX_GUEST_HEADERS = 64
MAX_GUEST_HEADER_BYTES = 16_384
# What says how the message is carried, where to, or which method it really is.
_REFUSED_HEADERS = frozenset(
    (
        "accept-encoding", "connection", "content-length", "expect", "host", "http2-settings", "keep-alive", "te",
        "trailer", "transfer-encoding", "upgrade", "x-http-method", "x-http-method-override", "x-method-override",
    )
)  # fmt: skip
# Given by the guest for one origin; they stay there.
_OF_ORIGIN = frozenset(("authorization", "cookie"))
_OF_BODY = ("content-type", "content-encoding", "content-language", "content-location")

# Charsets by the names that are decoded; anything else that a server names could be any codec of Python.
_CHARSETS = {
    "utf-8": "utf-8", "utf8": "utf-8", "us-ascii": "ascii", "ascii": "ascii", "iso-8859-1": "cp1252",
    "latin1": "cp1252", "iso-8859-15": "iso8859-15", "windows-1252": "cp1252", "windows-1251": "cp1251",
    "windows-1250": "cp1250", "iso-8859-2": "iso8859-2", "utf-16": "utf-16", "utf-16le": "utf-16-le",
    "utf-16be": "utf-16-be", "shift_jis": "shift_jis", "euc-jp": "euc_jp", "gbk": "gbk", "gb2312": "gb2312",
    "gb18030": "gb18030", "big5": "big5", "euc-kr": "euc_kr", "koi8-r": "koi8-r",
}  # fmt: skip
_TEXT_TYPES = frozenset(
    (
        "application/json", "application/xml", "application/javascript", "application/ecmascript",
        "application/x-ndjson", "application/x-www-form-urlencoded", "application/yaml", "application/toml",
        "application/sql", "application/graphql", "application/x-sh",
    )
)  # fmt: skip


class Fetched(TypedDict):
    """What ``Fetch`` gives: names of ``headers`` are in lower case, ``url`` is the one that answered after redirects;
    ``text`` for what is text, ``bytes`` for anything else."""

    status: int
    url: str
    headers: dict[str, str]
    text: NotRequired[str]
    bytes: NotRequired[bytes]


def http(
    allow: Iterable[HttpRule | str],
    *,
    secrets: Iterable[Secret] = (),
    max_bytes: int = 4 << 20,
    max_body: int = 1 << 20,
    timeout: float = 30.0,
    max_redirects: int = 5,
    concurrency: int = 8,
    isolation: str | Iterable[str] = "web",
    tls: ssl.SSLContext | None = None,
    resolver: Resolver = system_resolver,
    connect: Connect | None = None,
) -> Pack:
    """A pack with ``Fetch``, a coroutine capability of class ``web``. Every request, and every redirect, must fit a
    rule, and goes to the very address that was checked to be public: no loopback, private, link-local, carrier,
    multicast or reserved address, also not inside an IPv6 one. Proxies of the environment are not used, cookies are
    not kept, each request has a connection of its own. Cancelling a call closes its connection.

    Args:
        allow: rules, each an :class:`HttpRule` or a line such as ``"GET,POST https://api.example.com/v1/*"``; a line
            without methods means GET and HEAD. What no rule fits is refused.
        secrets: put into requests by the host; guests never see them.
        max_bytes: of an answer, decompressed.
        max_body: bytes of a request's body.
        timeout: seconds for a call with all its redirects; a guest may ask for less.
        max_redirects: how many redirects of a call are followed.
        concurrency: calls of a session that run at a time.
        isolation: class or classes for the isolation latch.
        tls: how servers are checked; by default the system's certificate authorities.
        resolver: the addresses of a name, instead of the system's.
        connect: makes the connection to a checked address and port, such as through a proxy of your own; by default a
            TCP connection.

    Raises:
        CapabilityDefinitionError: no rule, a secret for a host that no rule names, a limit out of its range, or TLS
            that checks nothing.
    """
    rules = _rules(allow)
    kept = Secrets(secrets)
    for secret in kept.all:
        if not any(rule.covers_host(secret.host) and secret.port in rule.ports for rule in rules):
            raise CapabilityDefinitionError(f"no rule allows requests to {secret.host}, for which there is a secret")
    _in_range("max_bytes", max_bytes, 1, _MOST_BYTES)
    _in_range("max_body", max_body, 0, _MOST_BYTES)
    _in_range("timeout", timeout, 0.001, MAX_TIMEOUT)
    _in_range("max_redirects", max_redirects, 0, 20)
    if tls is not None and (tls.verify_mode is not ssl.CERT_REQUIRED or not tls.check_hostname):
        raise CapabilityDefinitionError("tls must check certificates and host names")
    fetcher = _Fetcher(rules, kept, max_bytes, max_body, timeout, max_redirects, tls, resolver, connect)

    # The pipeline's own time-out is the second one: the first says more.
    @capability(name="Fetch", timeout=timeout + 1, concurrency=concurrency, isolation=tuple(_classes(isolation)))
    async def fetch(
        url: str,
        method: str = "GET",
        headers: dict[str, str] | None = None,
        body: str | bytes | dict[str, Any] | list[Any] | None = None,
        timeout: float | None = None,
    ) -> Fetched:
        """Make an HTTP request and get {status, url, headers, text or bytes}. Redirects are followed. A dict or list as
        body is sent as JSON. An answer with an error status is a result, not an exception. timeout is in seconds."""
        return await fetcher.fetch(url, method, headers or {}, body, timeout)

    guide = [
        f"Fetch reaches only: {'; '.join(map(str, rules[:_SHOWN_RULES]))}{'; ...' if rules[_SHOWN_RULES:] else ''}"
    ]
    guide.append(f"Fetch: answers of at most {max_bytes} bytes, at most {timeout:g} s, no private addresses.")
    if kept:
        hosts = ", ".join(sorted({secret.host for secret in kept.all}))
        guide.append(f"Fetch: the host signs in by itself at {hosts}; send no credentials there.")
    return Pack("http", [Capability.of(fetch)], guide)


def _rules(allow: Any) -> tuple[HttpRule, ...]:
    if isinstance(allow, (str, HttpRule)):
        raise CapabilityDefinitionError(f"allow is a list of rules: [{allow!r}]")
    rules = tuple(HttpRule.of(rule) for rule in allow)
    if not rules:
        raise CapabilityDefinitionError("http needs at least one rule: without one every request is refused")
    return rules


def _classes(isolation: str | Iterable[str]) -> Iterable[str]:
    return (isolation,) if isinstance(isolation, str) and isolation else tuple(isolation)


def _in_range(name: str, value: Any, least: float, most: float) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise CapabilityDefinitionError(f"{name} is a number, not {value!r}")
    if not least <= value <= most:
        raise CapabilityDefinitionError(f"{name} is from {least:g} to {most:g}, not {value!r}")


class _Fetcher:
    def __init__(
        self,
        rules: tuple[HttpRule, ...],
        secrets: Secrets,
        max_bytes: int,
        max_body: int,
        timeout: float,
        max_redirects: int,
        tls: ssl.SSLContext | None,
        resolver: Resolver,
        connect: Connect | None,
    ) -> None:
        self._rules = rules
        self._secrets = secrets
        self._max_bytes = max_bytes
        self._max_body = max_body
        self._timeout = timeout
        self._max_redirects = max_redirects
        self._tls = tls
        self._tls_lock = allocate_lock()
        self._resolver = resolver
        self._connect = connect

    async def fetch(self, url: str, method: str, headers: dict[str, str], body: Any, timeout: float | None) -> Fetched:
        seconds = self._seconds(timeout)
        try:
            with anyio.fail_after(seconds):
                return await self._fetch(url, method.upper(), headers, body)
        except TimeoutError:
            raise CapabilityError(
                f"no complete answer within {seconds:g} s; the request may have been carried out", type="TimeoutError"
            ) from None
        except UrlError as error:
            raise CapabilityError(self._secrets.in_text(str(error)), type="ValueError") from None
        except ExchangeError as error:
            raise CapabilityError(self._secrets.in_text(str(error)), type=error.type) from None

    def _seconds(self, timeout: float | None) -> float:
        if timeout is None:
            return self._timeout
        if not math.isfinite(timeout) or not 0 < timeout <= self._timeout:
            raise CapabilityError(
                f"timeout is a number of seconds above 0 and at most {self._timeout:g}", type="ValueError"
            )
        return timeout

    async def _fetch(self, text: str, method: str, given: dict[str, str], body: Any) -> Fetched:
        if method not in METHODS:
            raise _bad(f"the method is one of {', '.join(METHODS)}, not {method[:40]!r}")
        url = parse_url(text)
        headers = _guest_headers(given)
        data = self._body(body, method, headers)
        self._check(url, method, "")
        for secret in self._secrets.of(url):
            if secret.header is not None and any(name == secret.header for name, _ in headers):
                raise _bad(f"the header {secret.header!r} is set by the host for {url.host}: leave it out")
            if secret.query is not None and url.has_parameter(secret.query):
                raise _bad(f"the parameter {secret.query!r} is set by the host for {url.host}: leave it out")
        for _ in range(self._max_redirects + 1):
            answer = await self._ask(url, method, headers, data)
            location = answer.header("location")
            if answer.status not in _REDIRECTS or not location:
                return self._told(url, answer)
            target = self._target(url, location)
            # As browsers do: 307 and 308 repeat the request, the others become a GET.
            if method != "HEAD" and (answer.status == 303 or (answer.status in (301, 302) and method == "POST")):
                method, data = "GET", b""
                headers = [one for one in headers if one[0] not in _OF_BODY]
            if target.origin != url.origin:
                headers = [one for one in headers if one[0] not in _OF_ORIGIN]
            self._check(target, method, f"{url.host} redirects to it; ")
            url = target
        raise ExchangeError(f"more than {self._max_redirects} redirects, the last one to {url}")

    def _check(self, url: Url, method: str, why: str) -> None:
        """
        Raises:
            CapabilityError: no rule allows the request.
        """
        if any(rule.allows(url, method) for rule in self._rules):
            return
        lines = [str(rule) for rule in self._rules[:_SHOWN_RULES]]
        more = "; ..." if self._rules[_SHOWN_RULES:] else ""
        shown = self._secrets.in_text(f"{method} {url}"[:300])
        raise CapabilityError(
            f"{shown} is not allowed: {why}allowed are: {'; '.join(lines)}{more}", type="PermissionError"
        )

    def _target(self, url: Url, location: str) -> Url:
        """Where a redirect leads. A secret that the server has put into it goes nowhere else."""
        try:
            # What browsers do with bytes beyond ASCII.
            text = location.encode("latin-1").decode("utf-8", "replace")
            target = url.joined(text)
        except UrlError as error:
            raise ExchangeError(f"{url.host} redirects to what cannot be asked for: {error}") from None
        for secret in self._secrets.all:
            if secret.query is not None and secret.belongs_to(target):
                target = target.without_parameter(secret.query)
            if secret.is_in(str(target).encode()):
                raise CapabilityError(
                    f"{url.host} redirects to a URL with a secret in it; it is not followed", type="PermissionError"
                )
        return target

    async def _ask(self, url: Url, method: str, headers: Headers, data: bytes) -> Answer:
        addresses = await self._addresses(url)
        sent = [*headers, ("accept-encoding", "gzip, deflate"), ("connection", "close")]
        names = {name for name, _ in headers}
        sent += [one for one in (("accept", "*/*"), ("user-agent", f"wasmhost/{__version__}")) if one[0] not in names]
        if data or method in ("POST", "PUT", "PATCH"):
            sent.append(("content-length", str(len(data))))
        target = url
        for secret in self._secrets.of(url):
            target = secret.placed(target)
            if secret.header is not None:
                sent = [one for one in sent if one[0] != secret.header]
                sent.append((secret.header, secret.header_value))
        return await exchange(
            method,
            target,
            sent,
            data,
            addresses,
            connect=self._connect,
            tls=self._context() if url.scheme == "https" else None,
            max_bytes=self._max_bytes,
            reads_body=lambda status: method != "HEAD" and status not in _REDIRECTS,
        )

    async def _addresses(self, url: Url) -> list[str]:
        if url.address is not None:
            found = [str(url.address)]
        else:
            try:
                found = [str(one) for one in await self._resolver(url.host, url.port)]
            except (OSError, UnicodeError):
                raise ExchangeError(f"there is no address for the name {url.host}") from None
        addresses = public_among(found)
        if not addresses:
            record = current_call()
            if record is not None:  # for the program alone: names of its own network are no business of a guest
                record.notes.append(f"{url.host}: none of {', '.join(found[:10])[:400] or 'no address'} is public")
            raise CapabilityError(f"{url.host} has no address on the public network", type="PermissionError")
        return addresses

    def _context(self) -> ssl.SSLContext:
        with self._tls_lock:
            if self._tls is None:
                self._tls = ssl.create_default_context()
                self._tls.set_alpn_protocols(["http/1.1"])
            return self._tls

    def _body(self, body: Any, method: str, headers: Headers) -> bytes:
        if body is None:
            return b""
        if method in ("GET", "HEAD"):
            raise _bad(f"a {method} has no body")
        kind = ""
        try:
            if isinstance(body, (dict, list)):
                kind = "application/json"
                data = json.dumps(body, allow_nan=False, ensure_ascii=False).encode()
            elif isinstance(body, str):
                kind = "text/plain; charset=utf-8"
                data = body.encode()
            else:
                data = bytes(body)
        except (TypeError, ValueError, RecursionError) as error:
            raise _bad(f"the body cannot be sent: {str(error)[:200]}") from None
        if len(data) > self._max_body:
            raise _bad(f"the body has {len(data)} bytes; at most {self._max_body} are sent")
        if kind and all(name != "content-type" for name, _ in headers):
            headers.append(("content-type", kind))
        return data

    def _told(self, url: Url, answer: Answer) -> Fetched:
        """The answer for the guest, without secrets."""
        secrets = self._secrets
        headers: dict[str, str] = {}
        for name, value in answer.headers:
            name, value = secrets.in_text(name), secrets.in_text(value)
            headers[name] = f"{headers[name]}, {value}" if name in headers else value
        made: Fetched = {"status": answer.status, "url": secrets.in_text(str(url)), "headers": headers}
        body = secrets.in_bytes(answer.body)
        text = _as_text(answer, body)
        if text is None:
            made["bytes"] = body
        else:
            made["text"] = secrets.in_text(text)
        return made


def _as_text(answer: Answer, body: bytes) -> str | None:
    """The body as text, or None if it is none."""
    kind, _, parameters = answer.header("content-type").lower().partition(";")
    kind = kind.strip()
    if not body:
        return ""
    if not kind:
        try:
            return None if b"\0" in body else body.decode("utf-8-sig")
        except UnicodeDecodeError:
            return None
    if not (kind.startswith("text/") or kind in _TEXT_TYPES or kind.endswith(("+json", "+xml"))):
        return None
    charset = "utf-8"
    for parameter in parameters.split(";"):
        name, _, value = parameter.partition("=")
        if name.strip() == "charset":
            charset = _CHARSETS.get(value.strip().strip("\"'"), "")
    if not charset:
        return None
    return body.decode("utf-8-sig" if charset == "utf-8" else charset, "replace")


def _guest_headers(given: dict[str, str]) -> Headers:
    if len(given) > MAX_GUEST_HEADERS or sum(map(len, given.keys())) + sum(map(len, given.values())) > (
        MAX_GUEST_HEADER_BYTES
    ):
        raise _bad(f"at most {MAX_GUEST_HEADERS} headers with {MAX_GUEST_HEADER_BYTES} characters are sent")
    headers: Headers = []
    for name, value in given.items():
        lower = name.lower()
        if not is_token(name):
            raise _bad(f"{name[:60]!r} is no name of a header")
        if lower in _REFUSED_HEADERS or lower.startswith("proxy-"):
            raise _bad(f"the header {name!r} is set by the host: leave it out")
        if not value.isascii() or not all(char.isprintable() or char == "\t" for char in value):
            raise _bad(f"the value of the header {name!r} has characters that are not printable ASCII")
        if any(lower == other for other, _ in headers):
            raise _bad(f"the header {name!r} is given twice")
        headers.append((lower, value.strip()))
    return headers


def _bad(message: str) -> CapabilityError:
    return CapabilityError(message, type="ValueError")
