"""Which addresses a request may go to, and where names lead."""

import socket
from _thread import allocate_lock
from collections.abc import Awaitable, Callable, Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from anyio import CapacityLimiter, to_thread

Resolver = Callable[[str, int], Awaitable[Iterable[str]]]

# Look-ups cannot be cancelled: one that hangs holds a thread until the system gives it up. So many at a time, at most.
MAX_LOOKUPS = 32
MAX_ADDRESSES = 4

# The registries of special addresses (RFC 6890 and its successors), written out: what `ipaddress` calls private differs
# between versions of Python.
_NOT_PUBLIC_4 = [
    ip_network(text)
    for text in (
        "0.0.0.0/8",  # this host
        "10.0.0.0/8",
        "100.64.0.0/10",  # between carriers and their customers
        "127.0.0.0/8",
        "169.254.0.0/16",  # link-local: also where clouds give out credentials
        "172.16.0.0/12",
        "192.0.0.0/24",  # protocols of the IETF
        "192.0.2.0/24",  # documentation, as are 198.51.100 and 203.0.113; some networks use them inside
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
    )
]
# Of IPv6, the global unicast addresses alone, which leaves out loopback, unspecified, mapped and compatible IPv4,
# NAT64 (64:ff9b::/96, 64:ff9b:1::/48), unique local, link-local, site-local and multicast; and without:
_PUBLIC_6 = ip_network("2000::/3")
_NOT_PUBLIC_6 = [
    ip_network(text)
    for text in (
        "2001::/23",  # protocols of the IETF: Teredo, which carries IPv4, ORCHID, benchmarks
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4: carries an IPv4 address
        "3fff::/20",  # documentation
    )
]


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address is one of the public network, by the registries of special addresses."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _NOT_PUBLIC_4)
    # An interface id that carries an IPv4 address in the way of ISATAP is a tunnel into a private network.
    if address.scope_id or (int(address) >> 32) & 0xFDFF_FFFF == 0x5EFE:
        return False
    return address in _PUBLIC_6 and not any(address in network for network in _NOT_PUBLIC_6)


def public_among(addresses: Iterable[str]) -> list[str]:
    """Those to which a request may go, in their order, without what is no address at all."""
    found: list[str] = []
    for text in addresses:
        try:
            address = ip_address(text)
        except ValueError:
            continue
        if is_public(address) and str(address) not in found:
            found.append(str(address))
    return found[:MAX_ADDRESSES]


_lock = allocate_lock()
_lookups = 0


async def system_resolver(host: str, port: int) -> list[str]:
    """The addresses that the system's resolver gives. Cancelling returns at once; the look-up itself goes on in its
    thread until the system gives it up.

    Raises:
        OSError: there is no such name, or too many look-ups hang.
    """

    def look_up() -> list[str]:
        global _lookups
        with _lock:
            if _lookups >= MAX_LOOKUPS:
                raise OSError(f"{_lookups} look-ups of names are under way")
            _lookups += 1
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        finally:
            with _lock:
                _lookups -= 1
        return [str(address[0]) for *_, address in found]

    return await to_thread.run_sync(look_up, abandon_on_cancel=True, limiter=CapacityLimiter(1))
