"""What of others is inside the guests: its licenses, its notices, and the bill of materials (SBOM) of the wheel.

``licenses/components.toml`` says for each pin of ``pins.toml`` what of it ends up in a guest. Notices are taken from
the pinned archives, so that they are those of the very sources that were compiled; they are kept in ``licenses/``, so
that who reads the checkout, and a build without the archives, has them too.
"""

from __future__ import annotations

import json
import re
import tarfile
import tomllib
import uuid
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pins
import plan
from fetch import Fetcher
from pins import Source
from report import BuildError, Reporter

ROOT = Path(__file__).resolve().parent.parent.parent
LICENSES = ROOT / "licenses"
OWN_LICENSE = "Apache-2.0"
DISTRIBUTION = "wasmhost-runtime"
# Fixed, so that the same parts give the same serial number.
_NAMESPACE = uuid.UUID("5f0c2b8e-6d0f-4a8e-9f62-0c1f2f0f7a11")
_RULE = "-" * 100


@dataclass(frozen=True)
class Text:
    member: str
    whole: bool = False
    comment: str = ""


@dataclass(frozen=True)
class Component:
    id: str
    name: str
    pin: str
    spdx: str
    guests: tuple[str, ...]
    texts: tuple[Text, ...]
    version: str | None = None  # None: the pin's
    version_in: Mapping[str, str] = field(default_factory=dict)
    purl: str = ""
    cpe: str = ""
    notice_of: str = ""

    @property
    def notice(self) -> Path:
        return LICENSES / f"{self.notice_of or self.id}.txt"


@dataclass(frozen=True)
class Components:
    bundled: tuple[Component, ...]
    not_bundled: Mapping[str, str]  # pin: why

    def uncovered(self, names: Sequence[str]) -> list[str]:
        """Pins that nobody said anything about."""
        known = {component.pin for component in self.bundled} | set(self.not_bundled)
        return sorted(set(names) - known)

    def expression(self, guest: str = "") -> str:
        """The license expression (SPDX) of the wheel, or of one guest: ours and everything that is inside."""
        inside = [component for component in self.bundled if not guest or guest in component.guests]
        terms = {term for component in inside for term in component.spdx.split(" AND ")} - {OWN_LICENSE}
        return " AND ".join([OWN_LICENSE, *sorted(terms)])


def load(path: Path = LICENSES / "components.toml") -> Components:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        bundled = tuple(
            Component(
                **{
                    **row,
                    "guests": tuple(row["guests"]),
                    "texts": tuple(Text(**text) for text in row["texts"]),
                }
            )
            for row in table["component"]
        )
        return Components(bundled, table["not_bundled"])
    except (OSError, tomllib.TOMLDecodeError, TypeError, KeyError) as error:
        raise BuildError(f"{path.name} cannot be read: {error}") from error


# ---- archives -------------------------------------------------------------------------------------------------------


class Archive:
    """Some members of a pinned archive, without the folder that a source archive puts around them."""

    def __init__(self, path: Path, members: set[str]) -> None:
        self._path = path
        self._found = dict(_of_wheel(path, members) if zipfile.is_zipfile(path) else _of_tar(path, members))

    def text(self, member: str) -> str:
        if member not in self._found:
            raise BuildError(f"{self._path.name} has no {member}")
        return self._found[member].decode("utf-8")


def _of_wheel(path: Path, members: set[str]) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(path) as wheel:
        for name in members.intersection(wheel.namelist()):
            yield name, wheel.read(name)


def _of_tar(path: Path, members: set[str]) -> Iterator[tuple[str, bytes]]:
    # In one pass: going back in an xz file means to unpack it again.
    wanted = set(members)
    with tarfile.open(path, "r|*") as tar:
        for item in tar:
            name = item.name.partition("/")[2]
            file = tar.extractfile(item) if name in wanted else None
            if file is not None:
                yield name, file.read()
                wanted.remove(name)
                if not wanted:
                    return


def open_archives(
    files: Mapping[str, Path], sources: Mapping[str, Source], components: Components
) -> dict[str, Archive]:
    """The archives in these files, by the name of their pin, with what the components want to know of them."""
    members: dict[str, set[str]] = {name: set() for name in files}
    for component in components.bundled:
        if component.pin in members:
            wanted = [text.member.format(version=sources[component.pin].version) for text in component.texts]
            members[component.pin].update(wanted, [component.version_in["member"]] if component.version_in else [])
    return {name: Archive(path, members[name]) for name, path in files.items()}


def notice(component: Component, archive: Archive, version: str) -> str:
    """The text that the license of a component wants to be kept with it."""
    found = []
    for text in component.texts:
        whole = archive.text(text.member.format(version=version))
        found.append((whole if text.whole else _comment(whole, text)).strip("\n").rstrip() + "\n")
    different = list(dict.fromkeys(found))
    return f"\n{_RULE}\n\n".join(different)


def _comment(source: str, text: Text) -> str:
    for match in re.finditer(r"/\*(.*?)\*/", source, re.DOTALL):
        if text.comment in match[1]:
            lines = [re.sub(r"^[ \t]?\*{1,2} ?", "", line).rstrip() for line in match[1].splitlines()]
            # Rules of asterisks around SQLite's comments.
            return "\n".join(line for line in lines if not re.fullmatch(r"\*+", line)).strip("*\n ")
    raise BuildError(f"{text.member} has no comment with {text.comment!r}")


# ---- versions -------------------------------------------------------------------------------------------------------


def version_of(component: Component, source: Source, archive: Archive | None = None) -> str:
    """Version of a component; read in the archive where there is one. Empty where nobody can tell."""
    if component.version is None:
        return source.version
    if archive is None or not component.version_in:
        return component.version
    pattern, text = component.version_in["pattern"], archive.text(component.version_in["member"])
    found = re.findall(pattern, text, re.DOTALL)
    if not found:
        raise BuildError(f"{component.version_in['member']} does not tell the version of {component.name}")
    return ".".join(found)


# ---- the bill of materials ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ImageFile:
    """An image of the wheel: the guest that the components are inside of."""

    name: str  # quickjs | python
    sha256: str


def sbom(
    version: str,
    images: Sequence[ImageFile],
    sources: Mapping[str, Source],
    archives: Mapping[str, Archive] | None = None,
    components: Components | None = None,
) -> dict[str, Any]:
    """The CycloneDX document of a wheel with these images, made of these sources."""
    components = components or load()
    archives = archives or {}
    root = f"pkg:pypi/{DISTRIBUTION}@{version}"
    rows: list[dict[str, Any]] = []
    inside: dict[str, list[str]] = {image.name: [] for image in images}
    for component in components.bundled:
        guests = [name for name in component.guests if name in inside]
        if not guests:
            continue
        source = sources[component.pin]
        row = _row(component, source, version_of(component, source, archives.get(component.pin)))
        rows.append(row)
        for name in guests:
            inside[name].append(row["bom-ref"])
    guest_rows = [
        {
            "type": "application",
            "bom-ref": f"image:{image.name}",
            "name": f"wasmhost-{image.name}-guest",
            "version": version,
            "description": f"wasmhost/images/{image.name}.wasm: the pre-initialised guest",
            "hashes": [{"alg": "SHA-256", "content": image.sha256}],
            "licenses": [{"expression": components.expression(image.name)}],
        }
        for image in images
    ]
    document: dict[str, Any] = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "bom-ref": root,
                "name": DISTRIBUTION,
                "version": version,
                "purl": root,
                "licenses": [{"expression": components.expression()}],
            },
        },
        "components": [*guest_rows, *rows],
        "dependencies": [
            {"ref": root, "dependsOn": [row["bom-ref"] for row in guest_rows]},
            *({"ref": f"image:{name}", "dependsOn": sorted(refs)} for name, refs in inside.items()),
            *({"ref": row["bom-ref"]} for row in rows),
        ],
    }
    document["serialNumber"] = uuid.uuid5(_NAMESPACE, json.dumps(document, sort_keys=True)).urn
    return document


def _row(component: Component, source: Source, version: str) -> dict[str, Any]:
    words = {"version": version, "underscored": version.replace(".", "_")}
    row: dict[str, Any] = {"type": "library", "bom-ref": f"component:{component.id}", "name": component.name}
    if version:
        row["version"] = version
    term = {"license": {"id": component.spdx}} if " " not in component.spdx else {"expression": component.spdx}
    row["licenses"] = [term]
    if component.version is None:
        # The archive is this component; of others it is only where they were found.
        row["hashes"] = [{"alg": "SHA-256", "content": source.sha256}]
    if component.purl:
        row["purl"] = component.purl.format(**words)
    if component.cpe:
        row["cpe"] = component.cpe.format(**words)
    row["properties"] = [
        {"name": "wasmhost:source:file", "value": source.file},
        {"name": "wasmhost:source:sha256", "value": source.sha256},
        {"name": "wasmhost:notice", "value": f"licenses/{component.notice.name}"},
    ]
    return row


def own_version() -> str:
    found = re.search(r'^__version__ = "(.+)"$', (ROOT / "wasmhost" / "__init__.py").read_text(encoding="utf-8"), re.M)
    if found is None:
        raise BuildError("wasmhost/__init__.py has no __version__")
    return found[1]


def sbom_of_checkout(images: Path = ROOT / "wasmhost" / "images") -> dict[str, Any]:
    """The document of the images that were built, with the sources that a build takes here."""
    found = []
    for info in sorted(images.glob("*.info")):
        words = info.read_text(encoding="ascii").split()
        found.append(ImageFile(info.stem, words[words.index("sha256") + 1]))
    if not found:
        raise BuildError("no image is built: run ./build.sh")
    components = load()
    sources: dict[str, Source] = {}
    fetcher = Fetcher(plan.cache_folder(), Reporter())
    for name in sorted({component.pin for component in components.bundled}):
        # As the build does: the first that is at hand, else the preferred one.
        alternatives = fetcher.alternatives(name)
        sources[name] = next((each for each in alternatives if fetcher.path(each).is_file()), alternatives[0])
    # Where another source was taken, it tells the versions of what is in it.
    preferred = first_sources()
    files = {name: fetcher.path(each) for name, each in sources.items() if each != preferred[name]}
    return sbom(own_version(), found, sources, open_archives(files, sources, components), components)


def first_sources() -> dict[str, Source]:
    """What pins.toml names first, for this platform: what a build takes unless it cannot be had."""
    return {name: found[0] for name, found in pins.load().items() if found}


# ---- the list for people --------------------------------------------------------------------------------------------


def index(components: Components, sources: Mapping[str, Source]) -> str:
    """``licenses/README.md``."""
    lines = [
        "# What is inside the guests, and under which license",
        "",
        "Made by `scripts/notices` from `components.toml` and the pinned sources. `wasmhost` itself is under the",
        "Apache License 2.0 (`LICENSE`). The wheel holds both guests, and so what is listed here; its `.dist-info`",
        "folder has these files in `licenses/` and the bill of materials (CycloneDX) in `sboms/`. What `pip` installs",
        "beside it (wasmtime, pydantic, anyio and what they need) comes from its own wheels, with its own notices.",
        "",
        "| what | version | license | in | notice |",
        "|---|---|---|---|---|",
    ]
    for component in components.bundled:
        version = version_of(component, sources[component.pin]) or f"that of {component.pin}"
        if len(version) == 40:
            version = version[:12]
        guests = ", ".join(component.guests)
        name = component.notice.name
        lines.append(f"| {component.name} | {version} | {component.spdx} | {guests} | [{name}]({name}) |")
    return "\n".join(lines) + "\n"


# ---- writing and comparing ------------------------------------------------------------------------------------------


def write_notices(fetcher: Fetcher, check: bool) -> list[str]:
    """Brings licenses/ up to date with the pins, or says what is not."""
    components = load()
    names = sorted({component.pin for component in components.bundled})
    missing = components.uncovered(list(pins.load()))
    if missing:
        raise BuildError(f"licenses/components.toml says nothing about {', '.join(missing)} of pins.toml")
    sources = fetcher.get(names)
    first = first_sources()
    archives = open_archives({name: fetcher.verified(each) for name, each in sources.items()}, sources, components)
    different = []
    for component in components.bundled:
        if sources[component.pin] != first[component.pin]:
            continue  # licenses/ is that of the preferred source
        archive = archives[component.pin]
        told = version_of(component, sources[component.pin], archive)
        if component.version not in (None, told):
            different.append(f"components.toml: {component.id} is {component.version}, its source says {told}")
        if not component.notice_of:
            text = notice(component, archive, told)
            different += _bring(component.notice, text, check)
    different += _bring(LICENSES / "README.md", index(components, first), check)
    return different


def _bring(path: Path, text: str, check: bool) -> list[str]:
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return []
    if not check:
        path.write_text(text, encoding="utf-8")
    return [f"licenses/{path.name}: {'differs from the pinned source' if check else 'written'}"]
