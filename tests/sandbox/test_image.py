"""An image is linked only if it is what the ABI says: imports, exports, addresses, version."""

from pathlib import Path

import pytest

from tests.support.hostile import (
    IMPORTS,
    MEMORY,
    PAGES,
    Probe,
    Script,
    hostile_image,
    image_of,
    info_lines,
    module,
    parsed,
    to_wasm,
)
from wasmhost.errors import EngineError, ImageError
from wasmhost.sandbox.engine import engine
from wasmhost.sandbox.image import Image, read_info

pytestmark = pytest.mark.spec("D1", "S6")


def test_a_guest_of_the_abi_is_linked_and_runs() -> None:
    probe = Probe(hostile_image())
    assert probe.start(Script().frame(head={"v": 1})).head == b'{"v": 1}'
    assert probe.instance.memory_bytes == MEMORY
    probe.close()


@pytest.mark.parametrize(
    "extra",
    [
        '(import "wasmhost" "open" (func (param i32) (result i32)))',
        '(import "wasi_snapshot_preview1" "fd_write" (func (param i32 i32 i32 i32) (result i32)))',
        '(import "env" "memory2" (global i32))',
        '(import "wasmhost" "table" (table 1 funcref))',
    ],
)
def test_an_import_beyond_the_seven_is_not_linked(extra: str) -> None:
    with pytest.raises(EngineError, match="does not fit"):
        image_of(module(imports=IMPORTS + extra))


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("(func $write (param i32 i32 i32))", "(func $write (param i32 i32 i64))"),
        ("(func $take (param i32 i32))", "(func $take (param i32 i32) (result i64))"),
        ("(func $sleep (param i64) (result i32))", "(func $sleep (param i32) (result i32))"),
    ],
)
def test_an_import_of_another_type_is_not_linked(right: str, wrong: str) -> None:
    # Only the import changes; the calls of it would not validate, so they go as well.
    wat = module(imports=IMPORTS.replace(right, wrong))
    for call in (
        "(call $write (local.get $a) (local.get $b) (local.get $c))",
        "(call $take (local.get $a) (local.get $b))",
    ):
        wat = wat.replace(call, "(nop)")
    wat = wat.replace("(call $note (i64.extend_i32_u (call $sleep (local.get $wide))))", "(nop)")
    with pytest.raises(EngineError, match="does not fit"):
        image_of(wat)


def exports(**changed: str | None) -> str:
    values: dict[str, str | None] = {
        "memory": "(memory 0)",
        "__stack_pointer": "(global 0)",
        "wh_alloc": "(func $wh_alloc)",
        "wh_free": "(func $wh_free)",
        "wh_start": "(func $wh_start)",
        "wh_resume": "(func $wh_resume)",
    }
    values.update(changed)
    return "".join(f'(export "{name}" {what})' for name, what in values.items() if what is not None)


WIDE = "(func $wide (param i64 i32) (result i32) (i32.const 0))"


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"wh_free": None}, "wh_free"),
        ({"memory": None}, "memory"),
        ({"wh_init": "(func $wh_alloc)"}, "wh_init"),
        ({"wh_start": "(func $wh_alloc)"}, "wh_start"),
        ({"wh_start": "(memory 0)"}, "wh_start"),
        ({"wh_resume": "(func $wide)"}, "wh_resume"),
        ({"wh_alloc": "(func $note)"}, "wh_alloc"),
    ],
)
def test_exports_are_exactly_those_of_the_abi(changed: dict[str, str | None], named: str) -> None:
    # They are called without type checks: a wrong type would corrupt the host.
    with pytest.raises(ImageError, match=named):
        image_of(module(more=WIDE, exports=exports(**changed)))


@pytest.mark.parametrize(
    "changed",
    [
        {"in_buf": "0"},
        {"in_buf": str(MEMORY)},
        {"in_cap": str(MEMORY)},
        {"in_cap": "-5000"},
        {"out_buf0": str(MEMORY - 100)},
        {"out_buf1": "-1"},
        {"out_len0": str(MEMORY - 3)},
        {"out_len1": "0x100000000"},
        {"out_cap": str(1 << 40)},
        {"poke": f"0 {MEMORY} 1"},
        {"poke": f"0 1024 1 1 {MEMORY - 2} 1"},
    ],
)
def test_addresses_outside_the_image_are_refused(changed: dict[str, str]) -> None:
    with pytest.raises(ImageError, match="addresses outside"):
        image_of(module(), **changed)


@pytest.mark.parametrize(
    "changed",
    [
        {"in_buf": None},
        {"out_cap": "many"},
        {"sha256": None},
        {"poke": "0 1024"},
        {"abi": None},
        {"memory_pages": "1e3"},
    ],
)
def test_a_damaged_info_file_is_an_image_error(changed: dict[str, str | None]) -> None:
    with pytest.raises(ImageError, match="damaged"):
        image_of(module(), **changed)


def test_another_abi_version_is_refused_with_what_to_do() -> None:
    with pytest.raises(ImageError, match=r"speaks ABI 2.*build it again"):
        image_of(module(), abi="2")


def test_memory_smaller_than_the_info_says_never_leads_outside(tmp_path: Path) -> None:
    # The info is trusted no further than the memory as it is: a page count that is too high would let addresses pass.
    image = image_of(module(), memory_pages=str(PAGES + 100), in_buf=str(MEMORY + PAGES))
    probe = Probe(image)
    with pytest.raises(Exception, match="outside the memory"):
        probe.start(Script().frame())
    probe.close()


def test_a_module_that_is_none_is_refused() -> None:
    with pytest.raises(EngineError):
        engine().compile(b"\0asm\x01\0\0\0 and more")
    wasm = to_wasm(module())
    with pytest.raises(EngineError, match="compiled image refused"):
        Image(engine(), "hostile", parsed(info_lines(wasm)), b"not a compiled image")


def test_info_lines_with_the_same_key_follow_one_another(tmp_path: Path) -> None:
    path = tmp_path / "x.info"
    path.write_text("abi 1\n\npoke 0 1 2\npoke 1 3 4\n")
    assert read_info(str(path)) == {"abi": ["1"], "poke": ["0", "1", "2", "1", "3", "4"]}
