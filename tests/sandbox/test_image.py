"""An image is linked only if it is what the ABI says: imports, exports, addresses, version."""

import io
import os
import re
import stat
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
from tests.support.images import ImagesFolder
from wasmhost.errors import EngineError, ImageError
from wasmhost.sandbox import engine as engine_module
from wasmhost.sandbox import image as image_module
from wasmhost.sandbox._wasmtime import SUPPORTED_MAJORS, machine_name
from wasmhost.sandbox.engine import engine
from wasmhost.sandbox.image import Image, read_info

EMPTY = b"\0asm\1\0\0\0"

pytestmark = pytest.mark.spec("D1", "S6")


def test_a_guest_of_the_abi_is_linked_and_runs() -> None:
    probe = Probe(hostile_image())
    assert probe.start(Script().frame(head={"v": 1})).head == b'{"v": 1}'
    assert probe.instance.memory_bytes == MEMORY
    probe.close()


@pytest.mark.spec("D1.1")
@pytest.mark.parametrize(
    "extra",
    [
        '(import "wasmhost" "open" (func (param i32) (result i32)))',
        '(import "wasi_snapshot_preview1" "fd_write" (func (param i32 i32 i32 i32) (result i32)))',
        '(import "env" "memory2" (global i32))',
        '(import "wasmhost" "table" (table 1 funcref))',
    ],
)
def test_an_import_beyond_those_of_the_abi_is_not_linked(extra: str) -> None:
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


@pytest.mark.spec("D1.1")
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
    with pytest.raises(ImageError, match=r"speaks ABI 5.*build it again"):
        image_of(module(), abi="5")


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


# ---- compiled images ----


def flags_of(compiled: bytes) -> dict[str, bool]:
    """What a compiled image says of the CPU features that it was made with."""
    return {name.decode(): value == b"\1" for name, value in re.findall(rb"(has_[a-z0-9_]+)\x02([\0\1])", compiled)}


@pytest.mark.skipif(machine_name() != "x86_64", reason="only x86-64 has a level that all images are compiled for")
def test_a_compiled_image_uses_nothing_above_the_level_of_the_wheel() -> None:
    # Whatever this CPU has. A flag that is new in this wasmtime is none of the two kinds, and has to be thought about.
    v2 = {"has_cmpxchg16b", "has_popcnt", "has_sse3", "has_sse41", "has_sse42", "has_ssse3"}
    above = {name.decode() for name in engine_module._ABOVE_V2_BY_MAJOR[major()].split()}
    found = flags_of(engine().compile(EMPTY))
    assert set(found) == v2 | above
    assert not [name for name, enabled in found.items() if enabled and name in above]


def test_every_supported_major_has_its_flags() -> None:
    assert set(engine_module._ABOVE_V2_BY_MAJOR) == set(SUPPORTED_MAJORS)


def major() -> int:
    return int(engine().lib.version.partition(".")[0])


def foreign(compiled: bytes) -> dict[str, bytes]:
    """The same image as other machines would have made it."""
    feature = re.search(rb"has_[a-z0-9_]+(?=\x02\x01)|use_[a-z0-9_]+(?=\x02)", compiled)
    assert feature is not None
    target = re.search(rb"(x86_64|aarch64)-[a-z0-9_-]+", compiled)
    assert target is not None
    unlike = {b"x86_64": b"riscv64", b"aarch64": b"riscv64"}[target[1]]
    return {
        "feature": compiled.replace(feature[0], b"has_" + b"q" * (len(feature[0]) - 4), 1),
        "target": compiled.replace(target[0], (unlike + b"-unknown-linux-gnu" + b"x" * 20)[: len(target[0])], 1),
        "version": compiled.replace(b"\x02%d" % major(), b"\x0212", 1),
        "cut": compiled[: len(compiled) // 2],
        "empty": b"",
    }


@pytest.mark.parametrize("what", ["feature", "target", "version", "cut", "empty"])
def test_a_compiled_image_of_another_machine_is_refused(what: str) -> None:
    compiled = engine().compile(EMPTY)
    changed = foreign(compiled)[what]
    assert changed != compiled
    with pytest.raises(EngineError, match="compiled image refused"):
        engine().load(changed)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_compiled_image_of_the_package_is_used(folder: ImagesFolder) -> None:
    assert folder.run() == 42
    assert folder.kept == []


@pytest.mark.parametrize("what", ["feature", "target", "cut"])
def test_an_image_that_does_not_fit_is_compiled_again_with_a_progress_line(
    folder: ImagesFolder, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    folder.compiled.write_bytes(foreign(folder.compiled.read_bytes())[what])
    shown = Terminal()
    monkeypatch.setattr("sys.stderr", shown)
    assert folder.run() == 42
    assert re.fullmatch(
        r"wasmhost: compiling the quickjs image, once for this machine \.\.\. [\d.]+ s\n", shown.getvalue()
    )
    (kept,) = folder.kept
    assert kept.name == folder.name
    assert stat.S_IMODE(kept.stat().st_mode) == 0o400
    # The next process finds it.
    monkeypatch.setattr(image_module, "_images", {})
    assert folder.run() == 42
    assert shown.getvalue().count("compiling") == 1


@pytest.mark.skipif(os.name == "nt", reason="modes of files")
@pytest.mark.spec("S9")
def test_an_image_may_be_as_writable_as_the_code_and_no_more(
    folder: ImagesFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.compiled.chmod(0o664)
    code = folder.images / "code.py"
    code.touch()
    code.chmod(0o664)
    monkeypatch.setattr(image_module, "__file__", str(code))
    assert folder.run() == 42
    assert folder.kept == []
    code.chmod(0o644)
    monkeypatch.setattr(image_module, "_images", {})
    assert folder.run() == 42
    assert [path.name for path in folder.kept] == [folder.name]


@pytest.mark.skipif(os.name == "nt", reason="links")
@pytest.mark.spec("S9")
def test_an_image_behind_a_link_is_not_loaded(folder: ImagesFolder) -> None:
    elsewhere = folder.images.parent / "elsewhere"
    folder.compiled.rename(elsewhere)
    folder.compiled.symlink_to(elsewhere)
    assert folder.run() == 42
    assert [path.name for path in folder.kept] == [folder.name]


@pytest.mark.skipif(os.name == "nt", reason="modes of files")
@pytest.mark.spec("S9")
def test_a_cache_folder_that_others_may_use_is_not_used(
    folder: ImagesFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.compiled.unlink()
    private = folder.cache / "wasmhost" / "compiled"
    private.mkdir(parents=True)
    private.chmod(0o755)
    assert folder.run() == 42
    assert folder.kept == []
    assert "no private cache folder" in capsys.readouterr().err


def test_the_image_loads_without_proc(folder: ImagesFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    # As on macOS and Windows: there the descriptor that was checked cannot be named, so its bytes are loaded.
    exists = os.path.exists
    monkeypatch.setattr("os.path.exists", lambda path: not str(path).startswith("/proc") and exists(path))
    assert folder.run() == 42
    assert folder.kept == []
