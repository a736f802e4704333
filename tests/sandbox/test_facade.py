"""Every signature and structure that the facade declares, held against the wheel's own generated bindings."""

import ctypes
import importlib
import os
from types import ModuleType
from typing import Any

import pytest

from wasmhost.sandbox import _wasmtime as facade

bindings: Any = importlib.import_module("wasmtime._bindings")
ffi: Any = importlib.import_module("wasmtime._ffi")

Layout = tuple[tuple[int, int, str], ...]

_SIGNED = (ctypes.c_int8, ctypes.c_int16, ctypes.c_int32, ctypes.c_int64)
_UNSIGNED = (ctypes.c_uint8, ctypes.c_uint16, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_size_t)


_FUNCTION_POINTER: Any = facade.FuncCallback.__mro__[1]


def is_pointer(kind: Any) -> bool:
    return kind in (ctypes.c_void_p, ctypes.c_char_p) or issubclass(kind, (ctypes._Pointer, _FUNCTION_POINTER))


def leaf(kind: Any) -> str:
    """What the calling convention sees of a type."""
    if kind is None:
        return "nothing"
    if is_pointer(kind):
        return "pointer"
    if kind is ctypes.c_bool:
        return "bool"
    if kind in _SIGNED:
        return f"signed {ctypes.sizeof(kind)}"
    if kind in _UNSIGNED:
        return f"unsigned {ctypes.sizeof(kind)}"
    if kind in (ctypes.c_float, ctypes.c_double):
        return f"float {ctypes.sizeof(kind)}"
    raise AssertionError(f"a type that the facade does not use: {kind}")


def layout(kind: Any, at: int = 0) -> Layout:
    """Offset, size and kind of each leaf of a structure; of a union all members, each with its name left out."""
    if issubclass(kind, (ctypes.Structure, ctypes.Union)):
        leaves: list[tuple[int, int, str]] = []
        for name, inner, *_ in kind._fields_:
            leaves += layout(inner, at + getattr(kind, name).offset)
        return tuple(sorted(leaves))
    if issubclass(kind, ctypes.Array):
        size = ctypes.sizeof(kind._type_)
        return tuple(item for i in range(kind._length_) for item in layout(kind._type_, at + i * size))
    return ((at, ctypes.sizeof(kind), leaf(kind)),)


STRUCTURES = [
    (facade.ByteVec, "wasm_byte_vec_t"),
    (facade.ByteVec, "wasm_exporttype_vec_t"),
    (facade.ByteVec, "wasm_valtype_vec_t"),
    (facade.Func, "wasmtime_func"),
    (facade.Memory, "wasmtime_memory"),
    (facade.Global, "wasmtime_global"),
    (facade.Instance, "wasmtime_instance"),
]


@pytest.mark.spec("D1.7")
@pytest.mark.parametrize(("mine", "name"), STRUCTURES, ids=[name for _, name in STRUCTURES])
def test_a_structure_is_laid_out_as_the_library_has_it(mine: Any, name: str) -> None:
    theirs = getattr(bindings, name)
    assert layout(mine) == layout(theirs)
    assert (ctypes.sizeof(mine), ctypes.alignment(mine)) == (ctypes.sizeof(theirs), ctypes.alignment(theirs))


@pytest.mark.parametrize(
    ("mine", "name"),
    [(facade.Extern, "wasmtime_extern"), (facade.Val, "wasmtime_val"), (facade.ValRaw, "wasmtime_val_raw")],
)
def test_a_union_has_the_same_size_and_members_at_the_same_places(mine: Any, name: str) -> None:
    theirs = getattr(bindings, name)
    assert (ctypes.sizeof(mine), ctypes.alignment(mine)) == (ctypes.sizeof(theirs), ctypes.alignment(theirs))
    compare_members(mine, theirs)


def compare_members(mine: Any, theirs: Any) -> None:
    fields = {field[0]: field[1] for field in theirs._fields_}
    for name, kind, *_ in mine._fields_:
        if name == "raw":  # only there to give the union its size
            continue
        assert getattr(mine, name).offset == getattr(theirs, name).offset, name
        if issubclass(kind, ctypes.Union):
            assert ctypes.sizeof(kind) == ctypes.sizeof(fields[name])
            compare_members(kind, fields[name])
        else:
            assert layout(kind) == layout(fields[name]), name


def arguments(kinds: Any) -> list[str]:
    return [leaf(kind) for kind in kinds]


@pytest.mark.spec("D1.7")
@pytest.mark.parametrize("name", sorted(facade.SIGNATURES))
def test_a_function_takes_and_gives_what_the_facade_declares(name: str) -> None:
    result, taken = facade.SIGNATURES[name]
    theirs = getattr(bindings, f"_{name}")
    assert arguments(taken) == arguments(theirs.argtypes)
    assert leaf(result) == leaf(theirs.restype)


@pytest.mark.parametrize("name", sorted(facade.SIGNATURES))
def test_a_pointer_to_a_structure_points_to_the_same_structure(name: str) -> None:
    by_layout = {mine: theirs for mine, theirs in STRUCTURES if theirs != "wasm_valtype_vec_t"}
    for mine, theirs in zip(facade.SIGNATURES[name][1], getattr(bindings, f"_{name}").argtypes, strict=True):
        target: Any = getattr(mine, "_type_", None)
        if not (isinstance(target, type) and issubclass(target, ctypes.Structure)):
            continue
        pointed = theirs._type_
        assert ctypes.sizeof(target) == ctypes.sizeof(pointed), (name, pointed)
        if target in by_layout:
            assert layout(target) == layout(pointed), (name, pointed)


def callback_of(name: str, index: int) -> Any:
    return getattr(bindings, f"_{name}").argtypes[index]


def test_a_callback_is_called_with_what_the_facade_declares() -> None:
    theirs = callback_of("wasmtime_linker_define_func_unchecked", 6)
    mine: Any = facade.FuncCallback
    assert arguments(mine._argtypes_) == arguments(theirs._argtypes_)
    # The bindings say size_t for the pointer to a trap that is given back.
    assert ctypes.sizeof(mine._restype_) == ctypes.sizeof(theirs._restype_)


def test_constants_are_those_of_the_library() -> None:
    externs = ("FUNC", "GLOBAL", "TABLE", "MEMORY")
    assert [getattr(facade, f"EXTERN_{name}") for name in externs] == [
        getattr(ffi, f"WASMTIME_EXTERN_{name}").value for name in externs
    ]
    assert ffi.WASM_I32.value == facade.KIND_I32
    assert ffi.WASM_I64.value == facade.KIND_I64
    traps = bindings.wasmtime_trap_code_enum
    assert traps.WASMTIME_TRAP_CODE_STACK_OVERFLOW.value == facade.TRAP_STACK_OVERFLOW
    assert traps.WASMTIME_TRAP_CODE_UNREACHABLE_CODE_REACHED.value == facade.TRAP_UNREACHABLE


def test_the_library_is_the_one_of_the_installed_wheel() -> None:
    path, version = facade.find_library()
    package: ModuleType = importlib.import_module("wasmtime")
    assert package.__file__ is not None
    assert path.startswith(package.__file__.removesuffix("__init__.py"))
    assert version == importlib.import_module("importlib.metadata").version("wasmtime")
    assert int(version.partition(".")[0]) in facade.SUPPORTED_MAJORS
    # Set by scripts/check-wasmtime.
    assert version.partition(".")[0] == os.environ.get("WASMHOST_TEST_WASMTIME", version.partition(".")[0])


def test_a_wasmtime_of_another_major_is_refused_with_what_to_install(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wasmhost.errors import EngineError

    site = tmp_path_factory.mktemp("site")
    folder, name = facade._library_name()
    (site / "wasmtime" / folder).mkdir(parents=True)
    (site / "wasmtime" / folder / name).touch()
    (site / "wasmtime-12.0.0.dist-info").mkdir()
    monkeypatch.setattr("sys.path", [str(site)])
    with pytest.raises(EngineError, match=r"wasmtime 12\.0\.0 is installed.*pip install"):
        facade.find_library()
    monkeypatch.setattr("sys.path", [])
    with pytest.raises(EngineError, match="no wasmtime library"):
        facade.find_library()
