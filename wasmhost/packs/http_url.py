"""URLs from guests and from servers, read strictly: what two programs could read differently is refused."""

from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import quote, unquote, unquote_plus

MAX_URL = 8_192
PORTS = {"http": 80, "https": 443}

_HOST_CHARS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_.")
_HEX = frozenset("0123456789abcdefABCDEF")
# Kept as they are; all else is percent-encoded, as browsers do. ``%`` stays where two digits follow it.
_PATH_SAFE = "!$&'()*+,;=:@/-._~%"
_QUERY_SAFE = _PATH_SAFE + "?[]"


class UrlError(ValueError):
    """Not a URL that can be asked for; the text says why."""


class Url:
    """One HTTP URL in its normal form: lower-case scheme and host (an internationalised one as ``xn--``), a port, a
    path without dot segments, percent-encoded. Immutable."""

    __slots__ = ("address", "host", "path", "port", "query", "scheme")

    def __init__(
        self, scheme: str, host: str, address: IPv4Address | IPv6Address | None, port: int, path: str, query: str | None
    ) -> None:
        self.scheme: str = scheme
        self.host: str = host  # an IPv6 address without its brackets
        self.address: IPv4Address | IPv6Address | None = address  # where the host is written as one
        self.port: int = port
        self.path: str = path
        self.query: str | None = query

    @property
    def origin(self) -> tuple[str, str, int]:
        return self.scheme, self.host, self.port

    @property
    def authority(self) -> str:
        """As the ``Host`` header has it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def target(self) -> str:
        """As the request line has it."""
        return self.path if self.query is None else f"{self.path}?{self.query}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}{self.target}"

    def has_parameter(self, name: str) -> bool:
        """Whether the query has a parameter of that name, however it is written."""
        return any(_parameter(part) == name for part in (self.query or "").split("&"))

    def without_parameter(self, name: str) -> "Url":
        kept = [part for part in (self.query or "").split("&") if part and _parameter(part) != name]
        return self._with_query("&".join(kept) or None)

    def with_parameter(self, name: str, value: str) -> "Url":
        added = f"{quote(name, safe='')}={quote(value, safe='')}"
        return self._with_query(f"{self.query}&{added}" if self.query else added)

    def _with_query(self, query: str | None) -> "Url":
        return Url(self.scheme, self.host, self.address, self.port, self.path, query)

    def joined(self, location: str) -> "Url":
        """Where a redirect from here leads.

        Raises:
            UrlError: nowhere that can be asked for.
        """
        origin = f"{self.scheme}://{self.authority}"
        location = location.strip(" ")
        before = location.partition("#")[0]
        if location.startswith("//"):
            return parse_url(f"{self.scheme}:{location}")
        if location.startswith("/"):
            return parse_url(origin + location)
        if ":" in before.partition("/")[0].partition("?")[0]:
            return parse_url(location)
        if not before:
            return self
        if before.startswith("?"):
            return parse_url(origin + self.path + location)
        return parse_url(f"{origin}{self.path.rpartition('/')[0]}/{location}")


def parse_url(text: str) -> Url:
    """A URL in its normal form, without its fragment.

    Raises:
        UrlError: not one of ``http`` or ``https``, with a user name, a control character, an odd way to write an
            address, or too long.
    """
    if len(text) > MAX_URL:
        raise UrlError(f"a URL has at most {MAX_URL} characters, this one has {len(text)}")
    for char in text:
        if not char.isprintable():
            raise UrlError(f"a URL cannot have the character {char!a}; percent-encode it")
    scheme, separator, rest = text.partition("://")
    scheme = scheme.lower()
    if not separator or scheme not in PORTS:
        raise UrlError(f"a URL starts with https:// or http://, not {text[:40]!r}")
    rest = rest.partition("#")[0]
    end = min((at for at in (rest.find("/"), rest.find("?")) if at >= 0), default=len(rest))
    authority, rest = rest[:end], rest[end:]
    path, asks, query = rest.partition("?")
    if "\\" in authority or "\\" in path:
        raise UrlError("a URL cannot have a backslash before its query; write / or %5C")
    if "@" in authority:
        raise UrlError("a URL cannot have a user name or password before the host")
    host, address, port = _authority(authority, scheme)
    return Url(scheme, host, address, port, normal_path(path), _encoded(query, _QUERY_SAFE) if asks else None)


def _authority(text: str, scheme: str) -> tuple[str, IPv4Address | IPv6Address | None, int]:
    if text.startswith("["):
        inner, closed, rest = text[1:].partition("]")
        if not closed or (rest and not rest.startswith(":")):
            raise UrlError(f"an IPv6 address stands in brackets: {text[:60]!r}")
        digits = rest[1:]
        if "%" in inner:
            raise UrlError("an IPv6 address in a URL cannot name an interface")
        try:
            address = IPv6Address(inner)
        except ValueError:
            raise UrlError(f"{inner[:60]!r} is no IPv6 address") from None
        return str(address), address, _port(digits, scheme)
    name, _, digits = text.partition(":")
    port = _port(digits, scheme)
    host = parse_host(name)
    return host, as_address(host), port


def _port(digits: str, scheme: str) -> int:
    if not digits:
        return PORTS[scheme]
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 5 and 0 < int(digits) < 65_536):
        raise UrlError(f"a port is a number from 1 to 65535, not {digits[:20]!r}")
    return int(digits)


def parse_host(name: str) -> str:
    """A host name or an IPv4 address in its normal form: lower case, ``xn--`` for what is not ASCII, no dot at the end.

    Raises:
        UrlError: no host name.
    """
    shown = repr(name[:60])
    if not name or len(name) > 255:
        raise UrlError("a URL names a host of at most 253 characters")
    host = name.lower()
    if not host.isascii():
        import idna

        try:
            host = idna.encode(host, uts46=True, std3_rules=True, transitional=False).decode("ascii").lower()
        except (idna.IDNAError, UnicodeError):
            raise UrlError(f"{shown} is no internationalised host name") from None
    host = host.removesuffix(".")
    if not host or len(host) > 253 or not _HOST_CHARS.issuperset(host):
        raise UrlError(f"{shown} is no host name: letters, digits, - _ and dots")
    if any(not 0 < len(label) <= 63 for label in host.split(".")):
        raise UrlError(f"{shown} is no host name: each part has 1 to 63 characters")
    # Whatever a resolver could take for an address has to be one in the usual form: 127.1, 0x7f000001 and 017700000001
    # are all the loopback to some.
    last = host.rpartition(".")[2]
    if (last.isdigit() or (last.startswith("0x") and _HEX.issuperset(last[2:]))) and as_address(host) is None:
        raise UrlError(f"{shown} is no host: an IPv4 address is four decimal numbers")
    return host


def as_address(host: str) -> IPv4Address | IPv6Address | None:
    """The address, if a host is written as one."""
    try:
        return ip_address(host)
    except ValueError:
        return None


def normal_path(path: str) -> str:
    """Percent-encoded, and without dot segments, ``%2e`` for a dot included."""
    made: list[str] = []
    segments = _encoded(path, _PATH_SAFE).removeprefix("/").split("/")
    for number, segment in enumerate(segments, 1):
        dots = segment.lower().replace("%2e", ".")
        if dots not in (".", ".."):
            made.append(segment)
            continue
        if dots == ".." and made:
            made.pop()
        if number == len(segments):
            made.append("")
    return "/" + "/".join(made)


def readings(path: str) -> list[str]:
    """The ways in which a server might read a path: as it is, and decoded once or more, with ``\\`` for ``/`` and
    without ``;parameters``, each in its normal form. For rules about paths."""
    found = [path]
    for _ in range(8):
        decoded = unquote(path, errors="replace")
        slashed = "/".join(part.partition(";")[0] for part in decoded.replace("\\", "/").split("/"))
        found.append(unquote(normal_path(slashed), errors="replace"))
        if decoded == path:
            return found
        path = decoded
    raise UrlError("the path is percent-encoded again and again")


def _encoded(text: str, safe: str) -> str:
    if "%" in text:
        parts = text.split("%")
        # A percent sign that begins no escape is one itself.
        text = parts[0] + "".join(
            f"%{part}" if len(part) >= 2 and _HEX.issuperset(part[:2]) else f"%25{part}" for part in parts[1:]
        )
    try:
        return quote(text, safe=safe)
    except UnicodeEncodeError:
        raise UrlError("a URL cannot have half of a character") from None


def _parameter(part: str) -> str:
    return unquote_plus(part.partition("=")[0], errors="replace")
