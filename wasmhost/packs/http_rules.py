"""What guests may ask for: rules of host, method, port and path. What no rule covers is refused."""

from collections.abc import Iterable

from ..errors import CapabilityDefinitionError
from .http_url import PORTS, Url, UrlError, as_address, normal_path, parse_host, readings

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
READING = ("GET", "HEAD")


class HttpRule:
    """Requests that guests may make. Immutable.

    Args:
        host: a host name; ``*.example.com`` for every name below it (not itself); ``*`` for every name. An address has
            to be written out, in its usual form. Addresses that are not public stay refused whatever a rule says.
        methods: ``"*"`` for all of GET, HEAD, POST, PUT, PATCH, DELETE and OPTIONS.
        ports: by default those of the schemes.
        paths: exact, or with ``*`` as their last character for all that begin so. With paths, whatever way of decoding
            a path leads out of them is refused.
        schemes: ``https``, ``http``.

    Raises:
        CapabilityDefinitionError: something that could never fit.
    """

    __slots__ = ("host", "methods", "paths", "ports", "schemes")

    def __init__(
        self,
        host: str,
        methods: Iterable[str] = READING,
        *,
        ports: Iterable[int] | None = None,
        paths: Iterable[str] = ("*",),
        schemes: Iterable[str] = ("https", "http"),
    ) -> None:
        self.host: str = _pattern(host)
        given = METHODS if methods == "*" else (methods,) if isinstance(methods, str) else tuple(methods)
        self.methods: tuple[str, ...] = tuple(method.upper() for method in given)
        self.schemes: tuple[str, ...] = (schemes,) if isinstance(schemes, str) else tuple(schemes)
        self.ports: tuple[int, ...] = tuple(PORTS[one] for one in self.schemes if one in PORTS) if ports is None else ()
        if ports is not None:
            self.ports = tuple(ports)
        self.paths: tuple[str, ...] = (paths,) if isinstance(paths, str) else tuple(paths)
        for method in self.methods:
            if method not in METHODS:
                raise CapabilityDefinitionError(f"a rule's methods are among {', '.join(METHODS)}, not {method!r}")
        for scheme in self.schemes:
            if scheme not in PORTS:
                raise CapabilityDefinitionError(f"a rule's schemes are https and http, not {scheme!r}")
        for port in self.ports:
            if type(port) is not int or not 0 < port < 65_536:
                raise CapabilityDefinitionError(f"a port is a number from 1 to 65535, not {port!r}")
        for path in self.paths:
            stem = path.removesuffix("*")
            if "*" in stem or (path != "*" and (not stem.startswith("/") or normal_path(stem) != stem)):
                raise CapabilityDefinitionError(
                    f"a rule's path is absolute, percent-encoded, without dots, with * only at its end, not {path!r}"
                )

    @classmethod
    def of(cls, rule: "HttpRule | str") -> "HttpRule":
        """A rule from one line: ``[METHOD,METHOD ][scheme://]host[:port][/path[*]]``.

        Raises:
            CapabilityDefinitionError: not such a line.
        """
        if isinstance(rule, HttpRule):
            return rule
        if not isinstance(rule, str):
            raise CapabilityDefinitionError(f"a rule is a text or an HttpRule, not {type(rule).__name__}")
        methods, _, rest = rule.strip().rpartition(" ")
        scheme, separator, after = rest.partition("://")
        if not separator:
            scheme, after = "", rest
        authority, slash, path = after.partition("/")
        host, port = authority, ""
        if authority.startswith("["):
            host, _, port = authority[1:].partition("]")
            port = port.removeprefix(":")
        elif ":" in authority:
            host, _, port = authority.partition(":")
        if port and not (port.isascii() and port.isdigit()):
            raise CapabilityDefinitionError(f"rule {rule!r}: a port is a number from 1 to 65535")
        words = "*" if methods.strip() == "*" else [word.strip() for word in methods.split(",") if word.strip()]
        return cls(
            host,
            words or READING,
            ports=[int(port)] if port else None,
            paths=[f"/{path}"] if slash else ["*"],
            schemes=[scheme] if scheme else ("https", "http"),
        )

    def covers_host(self, host: str) -> bool:
        if self.host == host:
            return True
        if as_address(host) is not None:
            return False
        return self.host == "*" or (self.host.startswith("*.") and host.endswith(self.host[1:]))

    def allows(self, url: Url, method: str) -> bool:
        """Whether the request is one of those meant."""
        return (
            method in self.methods
            and url.scheme in self.schemes
            and url.port in self.ports
            and self.covers_host(url.host)
            and self._covers_path(url.path)
        )

    def _covers_path(self, path: str) -> bool:
        if "*" in self.paths:
            return True
        try:
            every = readings(path)
        except UrlError:
            return False
        return any(all(_fits(pattern, reading) for reading in every) for pattern in self.paths)

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        scheme = f"{self.schemes[0]}://" if len(self.schemes) == 1 else ""
        usual = tuple(PORTS[one] for one in self.schemes)
        ports = "" if self.ports == usual else f":{','.join(map(str, self.ports))}"
        paths = "" if "*" in self.paths else " or ".join(self.paths)
        return f"{','.join(self.methods)} {scheme}{host}{ports}{paths}"

    def __repr__(self) -> str:
        return f"HttpRule({str(self)!r})"


def _fits(pattern: str, path: str) -> bool:
    return path.startswith(pattern[:-1]) if pattern.endswith("*") else path == pattern


def _pattern(host: str) -> str:
    if host == "*":
        return host
    star, name = ("*.", host[2:]) if host.startswith("*.") else ("", host)
    address = as_address(name)
    if address is not None and not star:
        return str(address)
    try:
        return star + parse_host(name)
    except UrlError as error:
        raise CapabilityDefinitionError(f"a rule's host is a name, *.name or *, not {host!r}: {error}") from None
