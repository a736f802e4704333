"""Where a server listens, and by which names it is called there."""

import ipaddress
import socket

from ..errors import SettingsError

LOOPBACK = "127.0.0.1"


class Address:
    """``PORT``, ``ADDRESS:PORT`` or ``[ADDRESS]:PORT``; without an address it is 127.0.0.1, port 0 is any free one.

    Args:
        text: as a person writes it.
        names: host names, with or without a port, by which clients may call the server beside its address.

    Raises:
        SettingsError: not an address.
    """

    def __init__(self, text: str, names: tuple[str, ...] = ()) -> None:
        host, _, port = text.rpartition(":")
        host = host.removeprefix("[").removesuffix("]") or LOOPBACK
        try:
            self.host: str = str(ipaddress.ip_address("127.0.0.1" if host == "localhost" else host))
            self.port: int = int(port)
            if not 0 <= self.port <= 65_535:
                raise ValueError(port)
        except ValueError:
            raise SettingsError(f"{text!r} is not PORT, ADDRESS:PORT or [ADDRESS]:PORT") from None
        self.names: tuple[str, ...] = names

    @property
    def is_loopback(self) -> bool:
        """Whether only programs of this machine reach it."""
        return ipaddress.ip_address(self.host).is_loopback

    def listen(self) -> socket.socket:
        """A socket that listens there.

        Raises:
            OSError: it cannot be had.
        """
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        return socket.create_server((self.host, self.port), family=family, backlog=128)

    def hosts(self, port: int) -> list[str]:
        """What a ``Host`` header may say, the address itself first."""
        here = [f"[{self.host}]" if ":" in self.host else self.host]
        if self.is_loopback:
            here += [one for one in (LOOPBACK, "localhost", "[::1]") if one not in here]
        found = [f"{one}:{port}" for one in here]
        for name in self.names:
            found += [name] if ":" in name.rpartition("]")[2] else [name, f"{name}:{port}"]
        return found
