"""Secrets that the host puts into requests, and takes out of what comes back."""

from base64 import b64encode
from collections.abc import Iterable
from html import escape
from json import dumps
from urllib.parse import quote, quote_plus

from ..errors import CapabilityDefinitionError
from .http_url import Url, UrlError, as_address, parse_host

MIN_SECRET = 8
_INSTEAD = "[secret]"


class Secret:
    """A secret that the host puts into requests to one host, over TLS alone; guests never see it. Immutable.

    It is taken out of what comes back, as it is and in the usual encodings (percent, base64, hexadecimal, JSON, HTML).
    A server that gives it back in another form, in pieces or letter by letter, gives it away: name only hosts that
    you trust with it.

    Args:
        value: the secret itself, of at least eight characters.
        host: the exact name of the host.
        header: the header that carries it, after ``prefix`` (such as ``"Bearer "``).
        query: or the parameter of the query that does. A query is in the logs of servers: prefer a header.
        port: of the host.

    Raises:
        CapabilityDefinitionError: too short, with characters that a header cannot have, or without a place.
    """

    __slots__ = ("_forms", "_value", "header", "host", "port", "prefix", "query")

    def __init__(
        self,
        value: str,
        *,
        host: str,
        header: str | None = None,
        query: str | None = None,
        prefix: str = "",
        port: int = 443,
    ) -> None:
        if not isinstance(value, str) or len(value) < MIN_SECRET:
            raise CapabilityDefinitionError(f"a secret is a text of at least {MIN_SECRET} characters")
        if not (value + prefix).isascii() or not (value + prefix).isprintable() or value != value.strip():
            raise CapabilityDefinitionError("a secret has printable ASCII characters, and no space around them")
        if (header is None) == (query is None) or not (header or query):
            raise CapabilityDefinitionError("a secret goes into a header or into the query: give one of the two")
        try:
            name = host if as_address(host) is not None else parse_host(host)
        except UrlError as error:
            raise CapabilityDefinitionError(f"the host of a secret is one name, not {host!r}: {error}") from None
        if header is not None and not is_token(header):
            raise CapabilityDefinitionError(f"{header!r} is no name of a header")
        self.host: str = name
        self.port: int = port
        self.header: str | None = None if header is None else header.lower()
        self.query: str | None = query
        self.prefix: str = prefix
        self._value: str = value
        # The longest first: a shorter one may be a part of it.
        self._forms: dict[bytes, bytes] = dict(sorted(_forms(value).items(), key=lambda one: len(one[0]), reverse=True))

    def belongs_to(self, url: Url) -> bool:
        """Whether it goes with a request to this URL."""
        return url.origin == ("https", self.host, self.port)

    @property
    def header_value(self) -> str:
        return self.prefix + self._value

    def placed(self, url: Url) -> Url:
        """The URL with the secret, if it goes into the query."""
        return url if self.query is None else url.without_parameter(self.query).with_parameter(self.query, self._value)

    def is_in(self, data: bytes) -> bool:
        lower = data.lower()
        return any(form in lower for form in self._forms)

    def taken_out(self, data: bytes) -> bytes:
        """The data without it, in whatever case: one in lower case is as good as given away."""
        for form, instead in self._forms.items():
            lower = data.lower()
            at = lower.find(form)
            if at < 0:
                continue
            parts = []
            start = 0
            while at >= 0:
                parts.append(data[start:at])
                start = at + len(form)
                at = lower.find(form, start)
            data = instead.join([*parts, data[start:]])
        return data

    def __repr__(self) -> str:
        place = f"header {self.header}" if self.header is not None else f"query {self.query}"
        return f"Secret(host={self.host!r}, {place})"

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a secret is not stored")


def _forms(value: str) -> dict[bytes, bytes]:
    """How a server may give it back, in lower case, and what to put in its place."""
    texts = {
        value,
        escape(value),
        escape(value, quote=False),
        dumps(value)[1:-1],
        dumps(value)[1:-1].replace("/", "\\/"),
    }
    texts |= {value.encode().hex(), quote(value), quote(value, safe=""), quote_plus(value)}
    raw = value.encode()
    for before in range(3):  # base64 looks different at each place in a group of three
        body = b64encode(b"\0" * before + raw).decode()
        # The first and last characters depend on what stands around it.
        start = -(-before * 8 // 6)
        whole = (before + len(raw)) * 8 // 6
        texts |= {body[start:whole], body[start:whole].replace("+", "-").replace("/", "_")}
    made = {text.lower().encode(): _INSTEAD.encode() for text in texts}
    for wide in ("utf-16-le", "utf-16-be"):
        made[value.lower().encode(wide)] = _INSTEAD.encode(wide)
    return made


class Secrets:
    """Those of a pack."""

    def __init__(self, secrets: Iterable[Secret]) -> None:
        self.all: tuple[Secret, ...] = tuple(secrets)
        for secret in self.all:
            if not isinstance(secret, Secret):
                raise CapabilityDefinitionError(f"secrets is a list of Secret, not of {type(secret).__name__}")

    def __bool__(self) -> bool:
        return bool(self.all)

    def of(self, url: Url) -> list[Secret]:
        """Those that go with a request to a URL."""
        return [secret for secret in self.all if secret.belongs_to(url)]

    def in_bytes(self, data: bytes) -> bytes:
        """The data without any of them."""
        for secret in self.all:
            data = secret.taken_out(data)
        return data

    def in_text(self, text: str) -> str:
        """The text without any of them."""
        if not self.all:
            return text
        return self.in_bytes(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")


_TOKEN = frozenset("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")


def is_token(text: str) -> bool:
    """Whether it can be the name of a header."""
    return 0 < len(text) <= 200 and _TOKEN.issuperset(text)
