"""Writing a module's state back into it."""

import pytest
import wasmtime

TEXT = """
(module
  (import "wasmhost" "write" (func (param i32 i32 i32)))
  (global $sp (export "__stack_pointer") (mut i32) (i32.const 65536))
  (memory (export "memory") 1)
  (data (i32.const 70000) "start")
  (func (export "wh_init") (result i32)
    (drop (memory.grow (i32.const 1)))
    (i32.store (i32.const 100000) (i32.const -2))
    (global.set $sp (i32.const 65520))
    (i32.const 0))
  (func (export "wh_read") (param i32) (result i32) (i32.load (local.get 0))))
"""


def make(text: str = TEXT) -> bytes:
    return bytes(wasmtime.wat2wasm(text.replace('memory (export "memory") 1', 'memory (export "memory") 2')))


def test_memory_and_stack_pointer_are_written_back() -> None:
    import wasm

    code = make()
    module = wasm.parse(code)
    assert [(item.module, item.name) for item in module.imports] == [("wasmhost", "write")]
    memory = bytearray(3 * wasm.PAGE)
    memory[70000:70005] = b"start"
    memory[100000:100004] = b"\xfe\xff\xff\xff"
    _, index = module.exports["__stack_pointer"]
    image = wasm.with_state(module, bytes(memory), {index: 65520}, ["wh_init"])
    assert image == wasm.with_state(module, bytes(memory), {index: 65520}, ["wh_init"])

    engine = wasmtime.Engine()
    built = wasmtime.Module(engine, image)
    assert [item.name for item in built.exports] == ["__stack_pointer", "memory", "wh_read"]
    store = wasmtime.Store(engine)
    kind = built.imports[0].type
    assert isinstance(kind, wasmtime.FuncType)
    instance = wasmtime.Instance(store, built, [wasmtime.Func(store, kind, lambda *rest: None)])
    exports = instance.exports(store)
    live = exports["memory"]
    assert isinstance(live, wasmtime.Memory)
    assert bytes(live.read(store, 0, live.data_len(store))) == bytes(memory)
    pointer = exports["__stack_pointer"]
    assert isinstance(pointer, wasmtime.Global)
    assert pointer.value(store) == 65520


def test_an_unknown_mutable_global_is_refused() -> None:
    import wasm

    module = wasm.parse(make())
    with pytest.raises(wasm.WasmError, match="mutable global"):
        wasm.with_state(module, bytes(2 * wasm.PAGE), {}, [])


def test_only_pages_with_something_on_them_are_kept() -> None:
    import wasm

    memory = bytearray(20 * wasm.GRAIN)
    memory[1 * wasm.GRAIN] = memory[3 * wasm.GRAIN] = memory[10 * wasm.GRAIN] = 1
    assert list(wasm.memory_runs(bytes(memory))) == [
        (1 * wasm.GRAIN, 4 * wasm.GRAIN),
        (10 * wasm.GRAIN, 11 * wasm.GRAIN),
    ]


@pytest.mark.parametrize("number", [0, 1, 63, 64, 127, 128, 1 << 31, (1 << 32) - 1])
def test_numbers_are_encoded_as_wasm_wants_them(number: int) -> None:
    import wasm

    code = wasm.i32_const(number)
    reader = wasm.Reader(code)
    reader.expression()
    assert reader.at == len(code)
    text = f"(module (memory 1) (global i32 (i32.const {number - (1 << 32) if number >> 31 else number})))"
    assert code in bytes(wasmtime.wat2wasm(text))
