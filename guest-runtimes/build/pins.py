"""pins.toml: what the build starts from, each file by its hash."""

from __future__ import annotations

import platform
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

from report import BuildError

PINS = Path(__file__).resolve().parent.parent / "pins.toml"


@dataclass(frozen=True)
class Place:
    kind: str  # pypi | npm | debian | upstream
    package: str = ""
    version: str = ""
    what: str = ""  # pypi: wheel | sdist
    suite: str = ""  # debian
    url: str = ""  # upstream

    def __str__(self) -> str:
        if self.kind == "upstream":
            return self.url
        return f"{self.kind} package {self.package} {self.version}"


@dataclass(frozen=True)
class Source:
    name: str
    version: str
    file: str
    sha256: str
    places: tuple[Place, ...]
    patches: str = ""  # name of the source whose debian/patches are applied to this one
    platform: str = ""


def this_platform() -> str:
    return f"{sys.platform}-{platform.machine().lower().replace('arm64', 'aarch64').replace('amd64', 'x86_64')}"


def load(path: Path = PINS) -> dict[str, list[Source]]:
    """Every source by name, the one to prefer first. Entries for other platforms are left out."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        rows = [
            Source(**{**row, "places": tuple(Place(**place) for place in row["places"])}) for row in table["source"]
        ]
    except (tomllib.TOMLDecodeError, TypeError, KeyError) as error:
        raise BuildError(f"{path.name} cannot be read: {error}") from error
    found: dict[str, list[Source]] = {}
    here = this_platform()
    for row in rows:
        found.setdefault(row.name, [])
        if row.platform in ("", here):
            found[row.name].append(row)
    return found
