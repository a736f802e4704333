"""Calls of a pack's capabilities from a guest, in the language of each."""

from typing import Any

from tests.support.drivers import DRIVERS, Driver
from tests.support.guests import Guest
from tests.support.tools import call, caught
from wasmhost.packs import Pack
from wasmhost.session.session import Session

# Plain functions for Python; everything else is awaited there.
ASYNC = {"Bash"}


class Calls:
    """One session that has a pack, and may call everything in it."""

    def __init__(self, guest: Guest, *packs: Pack, driver: Driver | None = None, **options: Any) -> None:
        self.guest = guest
        self.driver = driver or DRIVERS["blocking"]
        self.session: Session = guest.runtime(capabilities=packs, **{"policy": "allow", **options})

    def __call__(self, tool: str, **arguments: Any) -> Any:
        """What a call gives."""
        return self.driver.value(self.session, self.expression(tool, **arguments))

    def refused(self, tool: str, **arguments: Any) -> tuple[str, str]:
        """Type and message of the error of a call that must fail."""
        told = self.driver.value(self.session, caught(self.guest, self.expression(tool, **arguments)))
        assert isinstance(told, list), told
        assert len(told) == 2, told
        return told[0], told[1]

    def expression(self, tool: str, **arguments: Any) -> str:
        return call(self.guest, tool, sync=tool not in ASYNC, **arguments)

    def close(self) -> None:
        self.session.close()
