"""Sockets as a sandbox has them: the names are there, so that asyncio, http.client, urllib and the like can be
imported. What would reach a network raises OSError; functions that only convert addresses work."""

import errno as _errno
from enum import IntEnum as _IntEnum
from enum import IntFlag as _IntFlag

__all__ = [
    "AddressFamily",
    "SocketKind",
    "SocketType",
    "create_connection",
    "create_server",
    "error",
    "gaierror",
    "getaddrinfo",
    "getdefaulttimeout",
    "getfqdn",
    "gethostbyaddr",
    "gethostbyname",
    "gethostbyname_ex",
    "gethostname",
    "getnameinfo",
    "getservbyname",
    "getservbyport",
    "has_dualstack_ipv6",
    "has_ipv6",
    "herror",
    "htonl",
    "htons",
    "inet_aton",
    "inet_ntoa",
    "inet_ntop",
    "inet_pton",
    "ntohl",
    "ntohs",
    "setdefaulttimeout",
    "socket",
    "socketpair",
    "timeout",
]


class AddressFamily(_IntEnum):
    AF_UNSPEC = 0
    AF_INET = 1
    AF_INET6 = 2
    AF_UNIX = 3


class SocketKind(_IntEnum):
    SOCK_DGRAM = 5
    SOCK_STREAM = 6


class MsgFlag(_IntFlag):
    MSG_PEEK = 1
    MSG_WAITALL = 2
    MSG_OOB = 4
    MSG_DONTWAIT = 64
    MSG_NOSIGNAL = 16384


class AddressInfo(_IntFlag):
    AI_PASSIVE = 1
    AI_CANONNAME = 2
    AI_NUMERICHOST = 4
    AI_NUMERICSERV = 1024


for _kind in (AddressFamily, SocketKind, MsgFlag, AddressInfo):
    globals().update(_kind.__members__)
    __all__ += _kind.__members__

_NUMBERS = {
    "EAI_AGAIN": -3,
    "EAI_FAIL": -4,
    "EAI_FAMILY": -6,
    "EAI_NONAME": -2,
    "EAI_SERVICE": -8,
    "INADDR_ANY": 0,
    "INADDR_BROADCAST": 0xFFFFFFFF,
    "INADDR_LOOPBACK": 0x7F000001,
    "IPPROTO_ICMP": 1,
    "IPPROTO_IP": 0,
    "IPPROTO_IPV6": 41,
    "IPPROTO_TCP": 6,
    "IPPROTO_UDP": 17,
    "IPV6_V6ONLY": 26,
    "NI_DGRAM": 16,
    "NI_NUMERICHOST": 1,
    "NI_NUMERICSERV": 2,
    "SHUT_RD": 1,
    "SHUT_RDWR": 3,
    "SHUT_WR": 2,
    "SOL_SOCKET": 0x7FFFFFFF,
    "SOMAXCONN": 128,
    "SO_BROADCAST": 6,
    "SO_ERROR": 4,
    "SO_KEEPALIVE": 9,
    "SO_LINGER": 13,
    "SO_RCVBUF": 8,
    "SO_REUSEADDR": 2,
    "SO_SNDBUF": 7,
    "SO_TYPE": 3,
    "TCP_NODELAY": 1,
}
globals().update(_NUMBERS)
__all__ += _NUMBERS

has_ipv6 = False
_GLOBAL_DEFAULT_TIMEOUT = object()
_default_timeout = None

error = OSError
timeout = TimeoutError


class herror(OSError):
    pass


class gaierror(OSError):
    pass


def _refuse(*arguments, **keywords):
    raise OSError(_errno.ENOTSUP, "a sandbox has no network")


class socket:
    """A class that has no instances."""

    def __init__(self, family=-1, type=-1, proto=-1, fileno=None):
        _refuse()


SocketType = socket


def getaddrinfo(host, port, family=0, type=0, proto=0, flags=0):
    raise gaierror(_NUMBERS["EAI_FAIL"], "a sandbox has no network")


create_connection = create_server = fromfd = socketpair = _refuse
gethostbyaddr = gethostbyname = gethostbyname_ex = gethostname = getnameinfo = _refuse
getservbyname = getservbyport = getprotobyname = if_nameindex = _refuse


def getfqdn(name=""):
    return name


def has_dualstack_ipv6():
    return False


def getdefaulttimeout():
    return _default_timeout


def setdefaulttimeout(seconds):
    global _default_timeout
    _default_timeout = None if seconds is None else float(seconds)


def inet_aton(text):
    import ipaddress

    try:
        return ipaddress.IPv4Address(text).packed
    except ipaddress.AddressValueError:
        raise OSError("illegal IP address string passed to inet_aton") from None


def inet_ntoa(packed):
    if len(packed) != 4:
        raise OSError("packed IP wrong length")
    return ".".join(map(str, packed))


def inet_pton(family, text):
    import ipaddress

    kind = {AddressFamily.AF_INET: ipaddress.IPv4Address, AddressFamily.AF_INET6: ipaddress.IPv6Address}.get(family)
    if kind is None:
        raise OSError(_errno.EAFNOSUPPORT, "unknown address family")
    try:
        return kind(text).packed
    except ipaddress.AddressValueError:
        raise OSError("illegal IP address string passed to inet_pton") from None


def inet_ntop(family, packed):
    import ipaddress

    kind, size = {
        AddressFamily.AF_INET: (ipaddress.IPv4Address, 4),
        AddressFamily.AF_INET6: (ipaddress.IPv6Address, 16),
    }.get(family, (None, 0))
    if kind is None:
        raise OSError(_errno.EAFNOSUPPORT, "unknown address family")
    if len(packed) != size:
        raise ValueError("invalid length of packed IP address string")
    return str(kind(bytes(packed)))


def _swapped(number, size):
    if number < 0 or number >> (8 * size):
        raise OverflowError(f"number does not fit {size * 8} bits")
    return int.from_bytes(number.to_bytes(size, "little"), "big")


def htons(x):
    return _swapped(x, 2)


def htonl(x):
    return _swapped(x, 4)


ntohs, ntohl = htons, htonl
