"""D1: a guest has the seven imports of the ABI and nothing else; its memory, stack, output and value are bounded."""

import os

import pytest

from tests.support.drivers import Driver
from tests.support.guests import Guest
from tests.support.wasm_file import WasmFile
from wasmhost import Limits
from wasmhost.sandbox.image import images_folder, read_info
from wasmhost.session.session import Session

pytestmark = pytest.mark.spec("D1")

# Of guest-runtimes/abi/wasmhost_abi.h, written here again.
IMPORTS = {
    ("wasmhost", "write"): ("i32 i32 i32", ""),
    ("wasmhost", "clock"): ("i32", "i64"),
    ("wasmhost", "random"): ("i32 i32", ""),
    ("wasmhost", "sleep"): ("i64", "i32"),
    ("wasmhost", "exit"): ("i32", ""),
    ("wasmhost", "call"): ("i32 i32 i32 i32 i32", "i32"),
    ("wasmhost", "take"): ("i32 i32", ""),
    ("wasmhost", "tick"): ("", ""),
}
EXPORTS = {
    "memory": "memory",
    "__stack_pointer": "global",
    "meter": "global",
    "wh_alloc": "function",
    "wh_free": "function",
    "wh_start": "function",
    "wh_resume": "function",
}


@pytest.fixture
def wasm(guest: Guest) -> WasmFile:
    with open(os.path.join(images_folder(), f"{guest.runtime.image_name}.wasm"), "rb") as file:
        return WasmFile(file.read())


@pytest.mark.spec("D1.1")
def test_an_image_imports_exactly_the_functions_of_the_abi(wasm: WasmFile) -> None:
    # An image need not use all; it can have no other.
    assert wasm.imports.items() <= IMPORTS.items()
    assert {name for _, name in wasm.imports} >= {"write", "clock", "random", "tick"}


@pytest.mark.spec("D1.1")
def test_an_image_exports_what_runs_a_cell_and_nothing_of_the_build(wasm: WasmFile) -> None:
    assert wasm.exports == EXPORTS


@pytest.mark.spec("D3.1")
def test_an_image_has_no_code_that_runs_at_its_start(wasm: WasmFile) -> None:
    assert not wasm.has_start


def test_an_image_carries_no_path_of_the_machine_it_was_built_on(wasm: WasmFile) -> None:
    home = os.path.expanduser("~").encode() + b"/"
    for text in (b"/home/", b"/root/", b"ziglang", home):
        assert text not in wasm.data, text


@pytest.mark.spec("S5")
def test_the_addresses_that_a_host_may_use_come_with_the_image(guest: Guest, wasm: WasmFile) -> None:
    from hashlib import sha256

    info = read_info(os.path.join(images_folder(), f"{guest.runtime.image_name}.info"))
    assert info["sha256"] == [sha256(wasm.data).hexdigest()]
    assert int(info["memory_pages"][0], 0) == wasm.memory_pages
    pokes = info["poke"]
    assert len(pokes) % 3 == 0
    assert 1 <= len(pokes) // 3 <= 4


# ---- limits ----


@pytest.mark.spec("D1.2")
@pytest.mark.parametrize("headroom", [4 << 20, 32 << 20])
def test_the_memory_limit_holds(guest: Guest, driver: Driver, headroom: int) -> None:
    needed = guest.runtime()._image.memory_bytes
    limit = (needed + headroom) // 65536 * 65536
    fill = guest.pick(
        python="x = []\ntry:\n    while True: x.append(bytearray(1 << 16))\nexcept MemoryError:\n    n = len(x)\nn",
        javascript="var x = []\ntry { for (;;) x.push(new Uint8Array(1 << 16)) } catch { }\nx.length",
    )
    with guest.runtime(limits=Limits(memory_bytes=limit)) as session:
        count = driver.value(session, fill)
        assert 0 < count <= (needed + headroom) >> 16
        assert session._instance is not None
        assert session._instance.memory_bytes <= limit
        assert driver.value(session, "1 + 1") == 2


@pytest.mark.spec("D1.2", "A3.2")
@pytest.mark.parametrize(
    ("python", "javascript"),
    [
        ("x = 'x'\nwhile True: x += x", "var x = 'x'; for (;;) { x += x; x.charCodeAt(1) }"),
        ("x = [0]\nwhile True: x += x", "var x = [0]; for (;;) x = x.concat(x)"),
        ("x = bytearray(1 << 40)", "var x = new ArrayBuffer(2 ** 40)"),
        (
            "x = {}\nwhile True: x[len(x)] = bytes(9999)",
            "var x = {}; for (let i = 0; ; i++) x[i] = new Uint8Array(9999)",
        ),
        ("x = 10 ** 10 ** 10", "var x = 1n << (1n << 40n)"),
        ("x = ' ' * (1 << 40)", "var x = ' '.padEnd(2 ** 40)"),
    ],
)
def test_memory_bombs_are_errors_and_the_session_goes_on(
    guest: Guest, driver: Driver, python: str, javascript: str
) -> None:
    with guest.runtime(limits=Limits(memory_bytes=96 << 20)) as session:
        assert driver.run(session, guest.assign("kept", "7")).ok
        result = driver.run(session, guest.pick(python=python, javascript=javascript))
        assert not result.ok
        assert session._instance is None or session._instance.memory_bytes <= 96 << 20
        assert driver.value(session, "kept") == 7


def test_memory_full_of_small_objects_does_not_end_the_session(guest: Guest, driver: Driver) -> None:
    code = guest.pick(
        python="x = []\nwhile True: x.append([len(x)])",
        javascript="var x = []; for (;;) x.push({ n: x.length })",
    )
    with guest.runtime(limits=Limits(memory_bytes=64 << 20, script_ms=5_000)) as session:
        assert driver.run(session, guest.assign("kept", "7")).ok
        result = driver.run(session, code)
        assert not result.ok
        assert driver.value(session, "kept") == 7
        assert driver.run(session, guest.assign("x", "0")).ok
        assert driver.value(session, "x + kept") == 7


def test_memory_full_of_caught_errors_is_stopped(guest: Guest, driver: Driver) -> None:
    code = guest.pick(
        python="x = []\nwhile True:\n  try:\n    while True: x.append(bytearray(9999))\n  except MemoryError: pass",
        javascript="var x = []; for (;;) { try { for (;;) x.push(new Uint8Array(9999)) } catch { } }",
    )
    with guest.runtime(limits=Limits(memory_bytes=64 << 20, script_ms=300)) as session:
        assert driver.run(session, guest.assign("kept", "7")).ok
        result = driver.run(session, code)
        assert not result.ok
        assert driver.value(session, "kept") == 7


RECURSIONS = {
    "call": ("def f(): return f()\nf()", "(function f() { return f() })()"),
    "method": ("class A:\n  def __getattr__(s, n): return s.x\nA().y", "({ get x() { return this.x } }).x"),
    "operator": ("class A:\n  def __add__(s, o): return s + o\nA() + 1", "({ valueOf() { return this + 1 } }) + 1"),
    "native": ("repr(deep(10**6))", "JSON.stringify(deep(1e6))"),
    "parser": ("eval('(' * 10**5 + ')' * 10**5)", "eval('('.repeat(1e5) + '1' + ')'.repeat(1e5))"),
    "json": ("import json\njson.loads('[' * 10**6)", "JSON.parse('['.repeat(1e6))"),
    "regex": ("import re\nre.compile('(' * 10**4 + ')' * 10**4)", "new RegExp('('.repeat(1e5) + ')'.repeat(1e5))"),
    "sort": ("def f(x): return sorted([x, x], key=f)\nf(1)", "(function f() { [2, 1].sort(f) })()"),
    "compare": ("deep(10**5) == deep(10**5)", "deep(1e5, (x) => new Proxy(x, {})).p"),
    "deep value": ("deep(10**5)", "deep(1e5, (x) => new Map([[x, x]]))"),
    "generator": ("def g(): yield from g()\nlist(g())", "[...(function* g() { yield* g() })()]"),
    "clone": ("import copy\ncopy.deepcopy(deep(10**5))", "structuredClone(deep(1e5, (c) => ({ c })))"),
    "pickle or cause": (
        "import pickle\npickle.dumps(deep(10**5))",
        "throw deep(1e5, (cause) => new Error('b', { cause }))",
    ),
    "compile": (
        "import ast\nt = ast.Constant(1)\nfor _ in range(10**5): t = ast.UnaryOp(ast.USub(), t)\n"
        "compile(ast.fix_missing_locations(ast.Expression(t)), 'f', 'eval')",
        "new Function('return ' + '-'.repeat(1e5).split('').join(' ') + '1')()",
    ),
}
DEEP = (
    "def deep(n):\n  x = ()\n  for _ in range(n): x = [x]\n  return x",
    "function deep(n, make = (x) => [x]) { let x = {}; for (let i = 0; i < n; i++) x = make(x); return x }",
)
RECURSION_ERRORS = ("RecursionError", "MemoryError", "RangeError", "InternalError", "SyntaxError", "Error")


@pytest.mark.spec("D1.3")
@pytest.mark.parametrize("name", RECURSIONS)
def test_a_recursion_of_any_kind_ends_in_a_result(session: Session, guest: Guest, driver: Driver, name: str) -> None:
    python, javascript = RECURSIONS[name]
    assert driver.run(session, f"{guest.assign('kept', '7')}\n{guest.pick(python=DEEP[0], javascript=DEEP[1])}").ok
    result = driver.run(session, guest.pick(python=python, javascript=javascript))
    if not result.ok and result.stop is None:
        assert result.error_type in RECURSION_ERRORS, result.error[:300]
    result.to_json()
    assert driver.value(session, "kept") == 7


@pytest.mark.spec("C7")
@pytest.mark.parametrize("stack", [256 << 10, 1 << 20, 16 << 20])
def test_stacks_of_other_sizes_hold(guest: Guest, driver: Driver, stack: int) -> None:
    with guest.runtime(limits=Limits(stack_bytes=stack, script_ms=5_000)) as session:
        assert driver.value(session, "1 + 1") == 2
        python, javascript = RECURSIONS["call"]
        result = driver.run(session, guest.pick(python=python, javascript=javascript))
        assert not result.ok
        assert driver.value(session, "1 + 1") == 2


def test_a_session_reads_nothing_of_the_hosts_memory(session: Session, guest: Guest) -> None:
    # All of a guest's memory is looked through for a mark that only the host has.
    mark = b"mark-of-the-host-" + os.urandom(8).hex().encode()
    keep = [bytes(mark) for _ in range(100)]
    session.run("1")
    instance = session._instance
    assert instance is not None
    from ctypes import string_at

    assert mark not in string_at(instance.span(0, instance.memory_bytes), instance.memory_bytes)
    assert len(keep) == 100
