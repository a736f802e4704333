"""A table of attacks on each guest. After each: the host is there, and the same session answers with its state."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.guests import GUESTS, Guest
from wasmhost import Limits

from . import attacks_javascript, attacks_python
from .tools import ending

pytestmark = pytest.mark.spec("A3", "C4", "D1", "D6")

TABLES = ("ENDLESS", "MEMORY", "DEEP", "ENDS")
MEMORY_BYTES = 128 << 20
# An attack that ends by itself gets time for it, one that does not is stopped soon.
SHORT_MS, LONG_MS = 60, 5_000


def attacks(guest: Guest, module: Any) -> Iterator[Any]:
    for table in TABLES:
        for endings, sources in getattr(module, table).items():
            for name, source in sources.items():
                yield pytest.param(guest, source, set(endings.split()), id=f"{guest.name}: {table.lower()}: {name}")


@pytest.mark.spec("D6.3")
@pytest.mark.parametrize(
    ("guest", "source", "endings"),
    [
        *attacks(GUESTS["python"], attacks_python),
        *attacks(GUESTS["javascript"], attacks_javascript),
    ],
)
def test_attack(guest: Guest, source: str, endings: set[str]) -> None:
    script_ms = SHORT_MS if endings & {"soft", "hard"} else LONG_MS
    with guest.runtime(limits=Limits(script_ms=script_ms, memory_bytes=MEMORY_BYTES)) as session:
        assert session.run(guest.assign("kept", "[7]")).ok
        result = session.run(source)
        assert ending(result) in endings, result
        assert result.wall_ms < script_ms + 10_000
        ended_by_itself = ending(result) in ("value", "error", "deadlock", "soft")
        assert result.state == ("kept" if ended_by_itself else "restored")
        # Some of the attacks hold all of the memory in this variable.
        session.run("x = None")
        after = session.run("kept")
        assert after.ok, after.error
        assert after.value == [7]
        assert session.run("1 + 1").value == 2
