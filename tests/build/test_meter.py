"""The meter that is written into every guest: nothing that can run for long runs past it, and what it charges follows
from the code."""

from pathlib import Path
from typing import Any

import pytest
import wasmtime

from wasmhost.sandbox.image import images_folder

pytestmark = pytest.mark.spec("D2")

HEAD = '(import "env" "note" (func $note (param i32) (result i32)))'


class Metered:
    """A module with a meter, which is given fuel in slices and ended when there is no more."""

    def __init__(self, text: str, fuel: int = 1 << 40, slices: int = 1 << 40) -> None:
        import meter

        engine = wasmtime.Engine()
        module = wasmtime.Module(engine, meter.metered(bytes(wasmtime.wat2wasm(f"(module {text})"))))
        self.store = wasmtime.Store(engine)
        self.left, self.slices, self.granted, self.ticks = fuel, slices, 0, 0
        self.notes: list[int] = []
        linker = wasmtime.Linker(engine)
        linker.define_func("wasmhost", "tick", wasmtime.FuncType([], []), self._tick)
        i32 = wasmtime.ValType.i32()
        linker.define_func("env", "note", wasmtime.FuncType([i32], [i32]), self._note)
        self.exports = linker.instantiate(self.store, module).exports(self.store)
        found = self.exports["meter"]
        assert isinstance(found, wasmtime.Global)
        self.counter = found

    def _note(self, number: int) -> int:
        self.notes.append(number)
        return number

    def _settle(self) -> None:
        value = int(self.counter.value(self.store))
        self.left -= self.granted - value
        self.granted = value

    def _grant(self) -> None:
        self.granted = min(self.slices, self.left)
        self.counter.set_value(self.store, wasmtime.Val.i64(self.granted))

    def _tick(self) -> None:
        self.ticks += 1
        if not hasattr(self, "counter"):  # a start function runs before there are exports
            return
        self._settle()
        if self.left < 0:
            raise TimeoutError("out of fuel")
        self._grant()

    def call(self, name: str, *arguments: int) -> Any:
        self._grant()
        function = self.exports[name]
        assert isinstance(function, wasmtime.Func)
        try:
            return function(self.store, *arguments)
        finally:
            self._settle()


# Each computes something of its argument, by another way through the instructions.
PROGRAMS = {
    "loop": """(func (export "f") (param $n i32) (result i32) (local $s i32)
      (loop $l (local.set $s (i32.add (local.get $s) (local.get $n)))
        (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1))))) (local.get $s))""",
    "loops in loops, with a table of branches": """(func (export "f")
      (param $n i32) (result i32) (local $i i32) (local $s i32)
      (loop $outer (local.set $i (i32.const 3))
        (loop $inner
          (block $c (block $b (block $a (br_table $a $b $c (i32.rem_u (local.get $i) (i32.const 3))))
            (local.set $s (i32.add (local.get $s) (i32.const 1))) (br $c))
            (local.set $s (i32.mul (local.get $s) (i32.const 3))))
          (br_if $inner (local.tee $i (i32.sub (local.get $i) (i32.const 1)))))
        (br_if $outer (local.tee $n (i32.sub (local.get $n) (i32.const 1))))) (local.get $s))""",
    "a loop that takes and gives values": """(func (export "f") (param $n i32) (result i32) (local $s i32)
      (local.get $n) (loop $l (param i32) (result i32)
        (local.set $n) (local.set $s (i32.add (local.get $s) (local.get $n)))
        (i32.sub (local.get $n) (i32.const 1))
        (br_if $l (i32.gt_s (local.get $n) (i32.const 1)))) (drop) (local.get $s))""",
    "recursion": """(func $f (export "f") (param $n i32) (result i32)
      (if (result i32) (local.get $n)
        (then (i32.add (local.get $n) (call $f (i32.sub (local.get $n) (i32.const 1))))) (else (i32.const 0))))""",
    "calls through a table, and to the host": """(table funcref (elem $g $note $h))
      (type $t (func (param i32) (result i32)))
      (func $g (type $t) (call $note (i32.mul (local.get 0) (i32.const 2))))
      (func $h (type $t) (i32.add (local.get 0) (i32.const 1)))
      (func (export "f") (param $n i32) (result i32)
        (i32.add (call_indirect (type $t) (local.get $n) (i32.const 0))
          (i32.add (call_indirect (type $t) (local.get $n) (i32.const 2))
                   (call_indirect (type $t) (i32.const 5) (i32.const 1)))))""",
    "memory in bulk": """(memory 4) (data $d "some bytes")
      (func (export "f") (param $n i32) (result i32)
        (memory.fill (i32.const 0) (i32.const 7) (local.get $n))
        (memory.copy (i32.const 1000) (i32.const 0) (local.get $n))
        (memory.init $d (i32.const 2000) (i32.const 0) (i32.const 10)) (data.drop $d)
        (i32.load8_u (i32.add (i32.const 999) (local.get $n))))""",
    "all kinds of constants and operands": """(memory 1) (table 4 externref) (elem declare func $f)
      (global $g (mut f64) (f64.const 0.5))
      (func $f (export "f") (param $n i32) (result i32) (local $v v128)
        (global.set $g (f64.add (global.get $g) (f64.const 1.25)))
        (drop (ref.is_null (ref.func $f))) (drop (table.size 0)) (drop (table.grow 0 (ref.null extern) (i32.const 1)))
        (local.set $v (i32x4.splat (local.get $n)))
        (v128.store offset=16 (i32.const 0)
          (i8x16.shuffle 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 (local.get $v) (local.get $v)))
        (local.set $v (v128.load32_lane 1 (i32.const 16) (v128.const i64x2 1 2)))
        (drop (select (result i32) (i32.const 1) (i32.const 2) (i32.const 0)))
        (drop (i64.extend32_s (i64.const -9999999999)))
        (i32.add (i32x4.extract_lane 1 (local.get $v))
          (i32.add (i32.trunc_sat_f32_s (f32.const 3.5)) (i32.trunc_f64_s (global.get $g)))))""",
}
WANTED = {
    "loop": 500_500,
    "loops in loops, with a table of branches": None,
    "a loop that takes and gives values": 500_500,
    "recursion": 500_500,
    "calls through a table, and to the host": 2_000 + 1_001 + 5,
    "memory in bulk": 7,
    "all kinds of constants and operands": 1_000 + 3 + 1,
}


@pytest.mark.spec("D2.1")
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_metered_module_does_what_it_did_and_takes_the_same_fuel_however_it_is_sliced(name: str) -> None:
    whole = Metered(HEAD + PROGRAMS[name])
    value = whole.call("f", 1_000)
    assert WANTED[name] in (None, value)
    used = (1 << 40) - whole.left
    assert used > 0
    assert whole.ticks == 0
    for slices in {0, 1, 7, 100, used - 1} & set(range(used)):
        sliced = Metered(HEAD + PROGRAMS[name], slices=slices)
        assert sliced.call("f", 1_000) == value
        assert (1 << 40) - sliced.left == used
        assert sliced.ticks > 0
        assert sliced.notes == whole.notes


@pytest.mark.spec("D2.3")
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_suffices_suffices_and_one_unit_less_does_not(name: str) -> None:
    whole = Metered(HEAD + PROGRAMS[name])
    value = whole.call("f", 1_000)
    used = (1 << 40) - whole.left
    assert Metered(HEAD + PROGRAMS[name], fuel=used).call("f", 1_000) == value
    with pytest.raises(TimeoutError):
        Metered(HEAD + PROGRAMS[name], fuel=used - 1).call("f", 1_000)


@pytest.mark.spec("D2.3", "C4.1")
@pytest.mark.parametrize(
    "body",
    [
        "(loop $l (br $l))",
        "(loop $a (loop $b (br $a)))",
        "(block $out (loop $l (br_if $out (i32.const 0)) (br_table $l $out $l (i32.const 0))))",
        "(loop $l (if (i32.const 1) (then (br $l))))",
        "(call $ping)",
        "(call_indirect (type $none) (i32.const 0))",
        "(loop $l (memory.fill (i32.const 0) (i32.const 0) (i32.const 0)) (br $l))",
    ],
)
@pytest.mark.timeout(60)
def test_nothing_runs_for_ever(body: str) -> None:
    text = f"""(type $none (func)) (memory 1) (table funcref (elem $f))
      (func $ping (return_call $pong)) (func $pong (return_call $ping))
      (func $f (export "f") {body})"""
    if "indirect" in body:
        text = text.replace("(call_indirect", "(return_call_indirect")
    with pytest.raises(TimeoutError):
        Metered(text, fuel=10_000_000).call("f")


@pytest.mark.spec("D2.3")
def test_copies_and_long_runs_of_instructions_are_charged_what_they_are() -> None:
    copying = """(memory 2) (func (export "f") (param i32)
      (memory.copy (i32.const 0) (i32.const 1) (local.get 0))
      (memory.fill (i32.const 0) (i32.const 1) (local.get 0)))"""
    few, many = Metered(copying), Metered(copying)
    few.call("f", 0)
    many.call("f", 50_000)
    assert few.left - many.left == 100_000
    straight = Metered(
        f'(func (export "f") (param i32) (result i32) (local.get 0) {"(i32.const 3) (i32.add)" * 5_000})'
    )
    assert straight.call("f", 1) == 15_001
    assert (1 << 40) - straight.left >= 10_000


def test_a_module_is_metered_once_and_cannot_reach_the_counter() -> None:
    import meter
    from wasm import WasmError

    once = meter.metered(bytes(wasmtime.wat2wasm('(module (func (export "f")))')))
    with pytest.raises(WasmError, match="already"):
        meter.metered(once)
    # A body that names the global which comes to be there.
    reaching = bytes(wasmtime.wat2wasm("(module (global (mut i64) (i64.const 0)) (func (global.set 0 (i64.const 9))))"))
    with pytest.raises(WasmError, match="global 1"):
        meter.metered(reaching.replace(b"\x42\x09\x24\x00", b"\x42\x09\x24\x01"))


def test_start_exports_and_elements_point_to_the_functions_they_did() -> None:
    module = Metered(f"""{HEAD} (table (export "t") funcref (elem $b $a))
      (func $a (drop (call $note (i32.const 1)))) (func $b (export "b") (drop (call $note (i32.const 2)))) (start $a)
      (func (export "f") (call_indirect (i32.const 0)) (call_indirect (i32.const 1)))""")
    assert module.notes == [1]
    module.call("b")
    module.call("f")
    assert module.notes == [1, 2, 2, 1]


@pytest.mark.spec("C4.1")
@pytest.mark.parametrize("name", ["python", "quickjs"])
def test_each_loop_of_the_images_charges(name: str) -> None:
    """Of the images as they are shipped: after every `loop` comes `global.get` of the counter."""
    import meter
    import wasm

    module = wasm.parse((Path(images_folder()) / f"{name}.wasm").read_bytes())
    assert module.exports["meter"][0] == wasm.GLOBAL_KIND
    counter = module.exports["meter"][1]
    body = dict(module.sections)[wasm.CODE]
    reader = wasm.Reader(body)
    count = loops = 0
    for _ in range(reader.uleb()):
        end = reader.uleb() + reader.at
        for _ in range(reader.uleb()):
            reader.uleb()
            reader.byte()
        found = meter._scan(body, reader.at, end, counter + 1)
        for first, _last, what, _number in found.edits:
            if what == "loop":
                loops += 1
                assert body[first : first + 2] == bytes([0x23, counter])
        count += 1
        reader.at = end
    assert count > 1_000
    assert loops > 2_000
