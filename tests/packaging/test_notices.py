"""Everything third-party that ends up in a guest has a license and a notice, and stands in the bill of materials."""

import hashlib
import json
import tomllib
from pathlib import Path
from typing import Any

import components as parts
import pins
import plan
import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from fetch import Fetcher
from report import BuildError, Reporter

ROOT = Path(__file__).resolve().parents[2]
PINS = tomllib.loads(pins.PINS.read_text(encoding="utf-8"))
COMPONENTS = parts.load()


def test_every_pin_is_bundled_with_a_notice_or_said_not_to_be_bundled() -> None:
    assert COMPONENTS.uncovered([row["name"] for row in PINS["source"]]) == []


def test_a_pin_that_nobody_said_anything_about_is_found() -> None:
    assert COMPONENTS.uncovered(["zlib", "newlib", "cpython"]) == ["newlib"]


def test_nothing_is_said_about_a_pin_that_is_gone() -> None:
    named = {component.pin for component in COMPONENTS.bundled} | set(COMPONENTS.not_bundled)
    assert named <= {row["name"] for row in PINS["source"]}


def test_the_sources_that_guests_are_made_of_are_bundled() -> None:
    bundled = {component.pin for component in COMPONENTS.bundled}
    assert {*plan.QUICKJS_SOURCES, *plan.PYTHON_SOURCES} <= bundled


@pytest.mark.parametrize("component", COMPONENTS.bundled, ids=lambda component: component.id)
def test_a_component_has_its_notice(component: parts.Component) -> None:
    text = component.notice.read_text(encoding="utf-8")
    assert len(text) > 300
    assert any(word in text.lower() for word in ("copyright", "license", "public domain"))
    assert set(component.guests) <= set(plan.NAMES)


def test_no_notice_is_left_over() -> None:
    wanted = {component.notice.name for component in COMPONENTS.bundled} | {"README.md", "components.toml"}
    assert {path.name for path in parts.LICENSES.iterdir()} == wanted


def test_the_package_metadata_names_every_license() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["license"] == COMPONENTS.expression()


def test_the_list_of_components_is_that_of_the_pins() -> None:
    expected = parts.index(COMPONENTS, parts.first_sources())
    assert (parts.LICENSES / "README.md").read_text(encoding="utf-8") == expected


def test_notices_are_those_of_the_pinned_sources() -> None:
    fetcher = Fetcher(plan.cache_folder(), Reporter())
    pinned = {component.pin for component in COMPONENTS.bundled}
    if not all(fetcher.path(parts.first_sources()[name]).is_file() for name in pinned):
        pytest.skip("the sources are not in the cache: this build used other ones, or none")
    assert parts.write_notices(fetcher, check=True) == []


def test_a_comment_is_taken_without_its_decoration() -> None:
    text = parts.Text("x.c", comment="Permission")
    source = "/* another */\n/*\n * Copyright A\n *\n *   Permission is granted\n */\nint x; /* Permission */\n"
    assert parts._comment(source, text) == "Copyright A\n\n  Permission is granted"
    with pytest.raises(BuildError, match=r"x\.c has no comment"):
        parts._comment("int x;", text)


# ---- the bill of materials ----

IMAGES = (parts.ImageFile("python", "a" * 64), parts.ImageFile("quickjs", "b" * 64))


@pytest.fixture
def document() -> dict[str, Any]:
    return parts.sbom("1.2.3", IMAGES, parts.first_sources())


def problems(document: dict[str, Any]) -> object:
    return JsonStrictValidator(SchemaVersion.V1_6).validate_str(json.dumps(document))


def test_the_bill_of_materials_is_valid(document: dict[str, Any]) -> None:
    assert problems(document) is None


def test_the_validator_is_one(document: dict[str, Any]) -> None:
    document["components"][0]["type"] = "no such type"
    assert problems(document) is not None


def test_the_bill_of_materials_of_this_checkout_is_valid() -> None:
    document = parts.sbom_of_checkout()
    assert problems(document) is None
    for row in document["components"][:2]:
        name = row["bom-ref"].removeprefix("image:")
        wasm = (ROOT / "wasmhost" / "images" / f"{name}.wasm").read_bytes()
        assert row["hashes"][0]["content"] == hashlib.sha256(wasm).hexdigest()


def test_every_component_and_every_guest_is_in_it(document: dict[str, Any]) -> None:
    refs = [row["bom-ref"] for row in document["components"]]
    assert len(refs) == len(set(refs))
    assert {f"component:{each.id}" for each in COMPONENTS.bundled} | {"image:python", "image:quickjs"} == set(refs)
    reached = {ref for row in document["dependencies"] for ref in row.get("dependsOn", [])}
    assert reached == set(refs)


def test_hashes_are_those_of_the_pins(document: dict[str, Any]) -> None:
    known = {row["sha256"] for row in PINS["source"]}
    for row in document["components"]:
        if row["bom-ref"].startswith("component:"):
            properties = {each["name"]: each["value"] for each in row["properties"]}
            assert properties["wasmhost:source:sha256"] in known
            assert (ROOT / properties["wasmhost:notice"]).is_file()


def test_versions_are_those_of_the_pins(document: dict[str, Any]) -> None:
    told = {row["bom-ref"]: row.get("version") for row in document["components"]}
    for component in COMPONENTS.bundled:
        if component.version is None:
            assert told[f"component:{component.id}"] == parts.first_sources()[component.pin].version


def test_the_same_parts_give_the_same_document(document: dict[str, Any]) -> None:
    assert parts.sbom("1.2.3", IMAGES, parts.first_sources()) == document
    other = parts.sbom("1.2.4", IMAGES, parts.first_sources())
    assert other["serialNumber"] != document["serialNumber"]


def test_a_version_that_the_source_tells_wins() -> None:
    expat = next(each for each in COMPONENTS.bundled if each.id == "expat")

    class Header:
        def text(self, member: str) -> str:
            return "#  define XML_MAJOR_VERSION 3\n#define XML_MINOR_VERSION 0\n# define XML_MICRO_VERSION 1\n"

    source = parts.first_sources()["cpython"]
    assert parts.version_of(expat, source) == expat.version
    assert parts.version_of(expat, source, Header()) == "3.0.1"  # type: ignore[arg-type]
