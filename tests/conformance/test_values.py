"""Values: every row of docs/values.md out of both guests, and the bounds that the guests themselves keep (C7)."""

import datetime
import json
import math
from array import array
from decimal import Decimal
from fractions import Fraction
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support import strict_json
from tests.support.drivers import Driver
from tests.support.guests import GUESTS, Guest
from wasmhost import BigInt, ErrorValue, JavaScriptRuntime, Limits, Opaque, PythonRuntime
from wasmhost.protocol.json_text import jsonable
from wasmhost.session.session import Session

pytestmark = pytest.mark.spec("A2", "C7")

UTC = datetime.UTC
PARIS = datetime.timezone(datetime.timedelta(hours=2))

# Code, the value in Python.
PYTHON: list[tuple[str, Any]] = [
    ("[None]", [None]),
    ("True", True),
    ("'é😀\\0'", "é😀\0"),
    ("''", ""),
    ("0", 0),
    ("-5", -5),
    ("2**53 + 1", 2**53 + 1),
    ("2**63 - 1", 2**63 - 1),
    ("-2**63", -(2**63)),
    ("2**64", 2**64),
    ("-(2**200)", -(2**200)),
    ("3 ** 20_000", 3**20_000),
    ("0.1 + 0.2", 0.1 + 0.2),
    ("5e-324", 5e-324),
    ("1.7976931348623157e308", 1.7976931348623157e308),
    ("1e16", 1e16),
    ("1.0", 1.0),
    ("float('inf')", math.inf),
    ("-float('inf')", -math.inf),
    ("-0.0", -0.0),
    ("'\\ud800'", "\ud800"),
    ("'a\\udfffb'", "a\udfffb"),
    ("[1, [2, ['x']], {}]", [1, [2, ["x"]], {}]),
    ("(1, ('a',), ())", (1, ("a",), ())),
    ("{(2,)}", {(2,)}),
    ("frozenset({1})", frozenset({1})),
    ("{frozenset({1}), 2}", {frozenset({1}), 2}),
    ("{'a': 1, 'b': {'c': None}}", {"a": 1, "b": {"c": None}}),
    ("{1: 'a', None: 'b', (1, 2): 'c', True and 'x': 'd'}", {1: "a", None: "b", (1, 2): "c", "x": "d"}),
    ("{1: 'int', '1': 'str', 1.5: 'float', b'1': 'bytes'}", {1: "int", "1": "str", 1.5: "float", b"1": "bytes"}),
    ("{'$wasmhost': 'int', 'v': '0x1'}", {"$wasmhost": "int", "v": "0x1"}),
    ("[{'$wasmhost': {'$wasmhost': 1}}]", [{"$wasmhost": {"$wasmhost": 1}}]),
    ("{'\\ud800': 1}", {"\ud800": 1}),
    ("b'\\x00\\xff\\x80'", b"\0\xff\x80"),
    ("[b'', b'a', b'']", [b"", b"a", b""]),
    ("bytearray(b'ab')", bytearray(b"ab")),
    ("memoryview(b'abcd')[1:3]", b"bc"),
    ("memoryview(b'abcdef')[::2]", b"ace"),
    ("import array; array.array('d', [1.5, -2])", array("d", [1.5, -2])),
    ("import array; array.array('H', [1, 65535])", array("H", [1, 65535])),
    ("import array; array.array('q', [-2**63])", array("q", [-(2**63)])),
    ("import array; array.array('b')", array("b")),
    ("import datetime as d; d.datetime(2024, 2, 29, 1, 2, 3, 4)", datetime.datetime(2024, 2, 29, 1, 2, 3, 4)),
    ("import datetime as d; d.datetime(1, 1, 1, tzinfo=d.timezone.utc)", datetime.datetime(1, 1, 1, tzinfo=UTC)),
    (
        "import datetime as d; d.datetime(2024, 7, 1, tzinfo=d.timezone(d.timedelta(hours=2)))",
        datetime.datetime(2024, 7, 1, tzinfo=PARIS),
    ),
    (
        "import datetime as d, zoneinfo; d.datetime(2024, 7, 1, tzinfo=zoneinfo.ZoneInfo('Europe/Paris'))",
        datetime.datetime(2024, 7, 1, tzinfo=PARIS),
    ),
    ("import datetime as d; d.date(9999, 12, 31)", datetime.date(9999, 12, 31)),
    ("import datetime as d; d.time(23, 59, 59, 999999)", datetime.time(23, 59, 59, 999999)),
    ("import datetime as d; d.timedelta(-1, 5, 7)", datetime.timedelta(-1, 5, 7)),
    ("import datetime as d; d.timedelta.max", datetime.timedelta.max),
    ("from decimal import Decimal; Decimal('0.10')", Decimal("0.10")),
    ("from decimal import Decimal; Decimal('-Infinity')", Decimal("-Infinity")),
    ("from decimal import Decimal; Decimal(10) ** 30", Decimal(10) ** 30),
    ("from fractions import Fraction; Fraction(-1, 3)", Fraction(-1, 3)),
    ("3 - 4j", 3 - 4j),
    ("import uuid; uuid.UUID(int=5)", UUID(int=5)),
    ("ValueError('no')", ErrorValue("ValueError", "no")),
    ("[KeyError('k')]", [ErrorValue("KeyError", "'k'")]),
    ("from dataclasses import dataclass\n@dataclass\nclass P:\n  x: int\n  y: list\nP(1, [2])", {"x": 1, "y": [2]}),
    ("class I(int): pass\nI(3)", 3),
    ("class S(str): pass\n[S('a')]", ["a"]),
    ("class D(dict): pass\nD(a=1)", {"a": 1}),
    ("class L(list): pass\nL([1])", [1]),
    ("import collections; collections.OrderedDict(a=1)", {"a": 1}),
    ("import collections; collections.Counter('aab')", {"a": 2, "b": 1}),
    ("import collections; collections.namedtuple('N', 'a b')(1, 2)", (1, 2)),
    ("import enum\nclass E(enum.IntEnum):\n  A = 3\nE.A", 3),
]

JAVASCRIPT: list[tuple[str, Any]] = [
    ("[null]", [None]),
    ("null", None),
    ("[undefined, , 1]", [None, None, 1]),
    ("true", True),
    ("'é😀\\0'", "é😀\0"),
    ("''", ""),
    ("0", 0),
    ("-5", -5),
    ("2 ** 53", 2.0**53),
    ("2 ** 53 - 1", 2**53 - 1),
    ("1e21", 1e21),
    ("0.1 + 0.2", 0.1 + 0.2),
    ("5e-324", 5e-324),
    ("Number.MAX_VALUE", 1.7976931348623157e308),
    ("Infinity", math.inf),
    ("-Infinity", -math.inf),
    ("-0", -0.0),
    ("[-0, 0]", [-0.0, 0]),
    ("1n", BigInt(1)),
    ("-(2n ** 200n)", BigInt(-(2**200))),
    ("3n ** 20000n", BigInt(3**20_000)),
    ("'\\ud800'", "\ud800"),
    ("'a\\udfffb'", "a\udfffb"),
    ("[1, [2, ['x']], {}]", [1, [2, ["x"]], {}]),
    ("({ a: 1, b: { c: null }, u: undefined })", {"a": 1, "b": {"c": None}}),
    ("({ 1: 'a', 0: 'b' })", {"0": "b", "1": "a"}),
    ("({ $wasmhost: 'int', v: '0x1' })", {"$wasmhost": "int", "v": "0x1"}),
    ("[{ $wasmhost: { $wasmhost: 1 } }]", [{"$wasmhost": {"$wasmhost": 1}}]),
    ("({ '\\ud800': 1 })", {"\ud800": 1}),
    ("({ __proto__: null, a: 1 })", {"a": 1}),
    ("({ ['__proto__']: 1 })", {"__proto__": 1}),
    ("new (class Foo { x = 1; #y = 2; get z() { return 3 } })()", {"x": 1}),
    ("new Map([[1, 'a'], ['1', 'b'], [null, 'c'], [true, 'd']])", {1: "d", "1": "b", None: "c"}),
    ("new Map([[2, 'a'], ['2', 'b']])", {2: "a", "2": "b"}),
    ("new Map([[{ a: 1 }, 2]])", [({"a": 1}, 2)]),
    ("new Map()", {}),
    ("new Set([1, 'a'])", {1, "a"}),
    ("new Set([[1]])", [[1]]),
    ("new Uint8Array([0, 255, 128])", b"\0\xff\x80"),
    ("new Uint8Array([0, 1, 2, 250]).subarray(1, 4)", b"\x01\x02\xfa"),
    ("new Uint8Array([97, 98]).buffer", b"ab"),
    ("new Uint8ClampedArray([300])", b"\xff"),
    ("new DataView(new Uint8Array([1, 2, 3]).buffer, 1)", b"\x02\x03"),
    ("[new Uint8Array(0), new Uint8Array([7])]", [b"", b"\x07"]),
    ("new Int8Array([-1])", array("b", [-1])),
    ("new Uint16Array([65535])", array("H", [65535])),
    ("new Int32Array([-5])", array("i", [-5])),
    ("new Float32Array([0.5])", array("f", [0.5])),
    ("new Float64Array([0.1, NaN]).subarray(0, 1)", array("d", [0.1])),
    ("new BigInt64Array([-(2n ** 63n)])", array("q", [-(2**63)])),
    ("new BigUint64Array([2n ** 64n - 1n])", array("Q", [2**64 - 1])),
    ("new Date(0)", datetime.datetime(1970, 1, 1, tzinfo=UTC)),
    ("new Date(Date.UTC(2024, 1, 29, 1, 2, 3, 4))", datetime.datetime(2024, 2, 29, 1, 2, 3, 4000, tzinfo=UTC)),
    ("new TypeError('no')", ErrorValue("TypeError", "no")),
    ("[new (class Mine extends Error { name = 'Mine' })('m')]", [ErrorValue("Mine", "m")]),
    ("new String('s')", "s"),
    ("new Number(3)", 3),
    ("new Boolean(false)", False),
    ("Object(1n)", BigInt(1)),
    ("class A extends Array {}\nA.of(1, 2)", [1, 2]),
    ("class M extends Map {}\nnew M([[1, 2]])", {1: 2}),
    ("Promise.resolve([1, Promise.resolve(2)])", [1, 2]),
]

ROWS = [("python", *row) for row in PYTHON] + [("javascript", *row) for row in JAVASCRIPT]


def equal(one: Any, other: Any) -> bool:
    """Equal in value and in type, also inside; -0.0 is not 0."""
    if type(one) is not type(other):
        return False
    if isinstance(one, float):
        return bool(one == other and math.copysign(1, one) == math.copysign(1, other))
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(equal, one, other))
    if isinstance(one, dict):
        return list(map(repr, one)) == list(map(repr, other)) and all(map(equal, one.values(), other.values()))
    if isinstance(one, Decimal):
        return bool(one.as_tuple() == other.as_tuple())
    if isinstance(one, (datetime.datetime, datetime.time)):
        return bool(one == other and one.utcoffset() == other.utcoffset())
    return bool(one == other)


@pytest.mark.parametrize(("name", "code", "value"), ROWS, ids=[f"{name}-{code[:60]}" for name, code, _ in ROWS])
def test_a_value_crosses_without_loss(driver: Driver, name: str, code: str, value: Any) -> None:
    with GUESTS[name].runtime() as session:
        result = driver.run(session, code)
        assert result.ok, result.error
        assert equal(result.value, value), result.value
        assert result.has_value
        assert not result.value_truncated
        assert result.value_text
        # Its JSON form is strict, and is the same for the same value made here.
        made = strict_json.loads(result.to_json())
        assert made["value"] == json.loads(json.dumps(jsonable(value)))
        # The same inside something else.
        nested = driver.run(session, f"{code}\n[_]" if name == "python" else f"var inside = {code.splitlines()[-1]}\n1")
        assert nested.ok or name == "python"


def test_not_a_number(session: Session, guest: Guest, driver: Driver) -> None:
    value = driver.value(session, guest.pick(python="[float('nan'), 1]", javascript="[NaN, 1]"))
    assert math.isnan(value[0])
    assert value[1] == 1


@pytest.mark.spec("A2.3")
@pytest.mark.parametrize(
    ("python", "javascript"),
    [
        ("None", "undefined"),
        ("x = 1", "let x = 1"),
        ("def f(): return 5", "function f() { return 5 }"),
        ("class A: pass", "class A {}"),
        ("for i in range(3): i", "if (false) 1"),
        ("import json", ";"),
        ("del_ = 1\ndel del_", "var y"),
        ("# only a comment", "// only a comment"),
        ("pass", "{}"),
        ("1;", "void 0"),
    ],
)
def test_no_value_where_there_is_none(
    session: Session, guest: Guest, driver: Driver, python: str, javascript: str
) -> None:
    code = guest.pick(python=python, javascript=javascript)
    result = driver.run(session, code)
    assert result.ok, result.error
    if code == "{}":  # an empty object, as the REPL of the language has it
        assert result.value in ({}, None)
        return
    if code == "1;":
        assert result.value in (1, None)
        return
    assert (result.has_value, result.value, result.value_text) == (False, None, "")


OPAQUE = [
    ("lambda: 1", "() => 1", ("function", "Function")),
    ("len", "Math.max", ("builtin_function_or_method", "Function")),
    ("int", "(class A {})", ("type", "Function")),
    ("object()", "Symbol('s')", ("object", "symbol")),
    ("range(3)", "/a/g", ("range", "RegExp")),
    ("(i for i in [1])", "[1].values()", ("generator", "Array Iterator")),
    ("import json; json", "new WeakMap()", ("module", "WeakMap")),
    ("...", "globalThis.crypto", ("ellipsis", "Crypto")),
    ("iter([])", "new Proxy(() => 1, {})", ("list_iterator", "Proxy")),
    ("import enum\nclass C(enum.Enum):\n  R = 'r'\nC.R", "(function* () {})()", ("C", "Generator")),
    ("import pathlib; pathlib.PurePosixPath('/a')", "new WeakRef({})", ("PurePosixPath", "WeakRef")),
    ("import re; re.compile('a')", "[Symbol('a')]", ("Pattern", "symbol")),
]


@pytest.mark.parametrize(("python", "javascript", "kinds"), OPAQUE)
def test_what_has_no_counterpart_is_shown(
    session: Session, guest: Guest, driver: Driver, python: str, javascript: str, kinds: tuple[str, str]
) -> None:
    result = driver.run(session, guest.pick(python=python, javascript=javascript))
    assert result.ok, result.error
    value = result.value[0] if isinstance(result.value, list) else result.value
    assert isinstance(value, (Opaque, dict)), value
    if isinstance(value, Opaque):
        assert value.type == guest.pick(python=kinds[0], javascript=kinds[1])
        assert value.text
    assert result.value_text
    strict_json.loads(result.to_json())


@pytest.mark.parametrize(
    ("python", "javascript"),
    [
        ("x = [1]; x.append(x); x", "const a = [1]; a.push(a); a"),
        ("x = {'n': 1}; x['self'] = x; x", "const o = { n: 1 }; o.self = o; o"),
        ("x = []; y = [x]; x.append(y); x", "const m = new Map(); m.set(1, m); m"),
        ("x = []\nx.append((x,))\nx", "const s = new Set(); s.add(s); s"),
    ],
)
def test_a_cycle_is_cut_and_shown(session: Session, guest: Guest, driver: Driver, python: str, javascript: str) -> None:
    result = driver.run(session, guest.pick(python=python, javascript=javascript))
    assert result.ok, result.error
    assert "..." in result.value_text or "ircular" in result.value_text
    assert "Opaque" in repr(result.value)
    strict_json.loads(result.to_json())


def test_the_same_object_twice_is_no_cycle(session: Session, guest: Guest, driver: Driver) -> None:
    value = driver.value(session, guest.pick(python="x = [1]; [x, x]", javascript="const x = [1]; [x, x]"))
    assert value == [[1], [1]]


# One more level around x, in each language.
NEST = {
    "list": ("[x]", "[x]"),
    "dict": ("{'k': x}", "({ k: x })"),
    "map": ("{1: x}", "new Map([[1, x]])"),
    "tuple": ("(x,)", "new Set([x])"),
}


def depth_of(value: Any) -> int:
    levels = 0
    while isinstance(value, (list, tuple, dict, set)) and value:
        value = next(iter(value.values() if isinstance(value, dict) else value))
        levels += 1
    return levels


@pytest.mark.parametrize("limit", [1, 5, 64, 200])
@pytest.mark.parametrize("kind", NEST)
def test_depth_is_cut_in_the_guest(guest: Guest, driver: Driver, kind: str, limit: int) -> None:
    with guest.runtime(limits=Limits(value_depth=limit)) as session:
        for levels in (limit - 1, limit, limit + 1, 1_000):
            more = guest.pick(python=NEST[kind][0], javascript=NEST[kind][1])
            code = guest.pick(
                python=f"x = 1\nfor _ in range({levels}): x = {more}\nx",
                javascript=f"var x = 1; for (let i = 0; i < {levels}; i++) x = {more}\nx",
            )
            result = driver.run(session, code)
            assert result.ok, result.error
            assert depth_of(result.value) <= limit + 1
            if levels <= limit:
                assert "Opaque" not in repr(result.value)
            elif levels > limit + 1:
                assert "Opaque" in repr(result.value)
            strict_json.loads(result.to_json())


@pytest.mark.spec("C7.1")
def test_a_huge_value_never_crosses(session: Session, guest: Guest, driver: Driver) -> None:
    code = guest.pick(python="list(range(300_000))", javascript="Array.from({ length: 300_000 }, (_, i) => i)")
    result = driver.run(session, code, limits=Limits(value_bytes=10_000))
    assert result.ok, result.error
    assert result.value_truncated
    assert (result.has_value, result.value) == (False, None)
    assert result.value_text.startswith(guest.pick(python="[0, 1, 2", javascript="[\n"))
    assert len(result.value_text) <= 100_100
    assert driver.value(session, "1 + 1") == 2


@pytest.mark.parametrize(
    ("python", "javascript"),
    [
        ("'x' * 2_000_000", "'x'.repeat(2_000_000)"),
        ("b'x' * 2_000_000", "new Uint8Array(2_000_000)"),
        ("[b'x' * 1000] * 2000", "Array.from({ length: 2000 }, () => new Uint8Array(1000))"),
("{i: 'k' * 99 for i in range(20_000)}", "new Map(Array.from({ length: 2e4 }, (_, i) => [i, 'k'.repeat(99)]))"),
        ("1 << 16_000_000", "Array(400).fill(1n << 30_000n)"),
        ("'\\ud800' * 500_000", "'\\ud800'.repeat(500_000)"),
        ("[[]] * 1_000_000", "new Array(1_000_000).fill([])"),
    ],
)  # fmt: skip
def test_the_limit_on_bytes_counts_every_kind(guest: Guest, driver: Driver, python: str, javascript: str) -> None:
    code = guest.pick(python=python, javascript=javascript)
    with guest.runtime(limits=Limits(value_bytes=1_000_000, script_ms=30_000)) as session:
        result = driver.run(session, code)
    assert result.ok, result.error
    assert result.value_truncated
    assert not result.has_value
    assert len(result.to_json()) < 1_000_000


@pytest.mark.spec("C7.1")
@pytest.mark.parametrize("chars", [0, 1, 10, 1000])
def test_the_text_is_cut_to_its_limit(session: Session, guest: Guest, driver: Driver, chars: int) -> None:
    code = guest.pick(python="['é😀' * 5000]", javascript="['é😀'.repeat(5000)]")
    result = driver.run(session, code, limits=Limits(text_chars=chars))
    assert result.ok, result.error
    assert len(result.value_text) <= chars + 60
    assert result.value == ["é😀" * 5000]


HOSTILE_DISPLAY = [
    (
        "class A:\n  def __repr__(self): raise ValueError('no repr')\nA()",
        "({ get bad() { throw new Error('no') }, good: 2 })",
    ),
    (
        "class A(list):\n  def __len__(self): return 10**9\nA([1])",
        "new Proxy({}, { ownKeys() { throw new Error('keys') } })",
    ),
    ("class A(dict):\n  def keys(self): raise OSError\nA(a=1)", "new Proxy([], { get() { throw 1 } })"),
    (
        "class A(str):\n  def __repr__(self): return 5\nA('x')",
        "({ toString: null, valueOf: null, [Symbol.toPrimitive]: null })",
    ),
    ("class A:\n  __class__ = property(lambda s: 1 / 0)\nA()", "({ get [Symbol.toStringTag]() { throw 1 } })"),
    ("class A:\n  __dict__ = property(lambda s: 1 / 0)\nA()", "({ constructor: { get name() { throw 1 } } })"),
    (
        "x = [1, 2, 3]\nclass A:\n  def __repr__(self): x.clear(); return 'a'\nx[0] = A()\nx",
        "const a = [{ get b() { a.length = 0; return 1 } }, 2]; a",
    ),
    (
        "class A:\n  def __repr__(self): d.clear(); return 'a'\nd = {1: A(), 2: 3}\nd",
        "const m = new Map([[1, { get a() { m.clear(); return 1 } }], [2, 3]]); m",
    ),
]


@pytest.mark.spec("C7.2")
@pytest.mark.parametrize(("python", "javascript"), HOSTILE_DISPLAY)
def test_a_value_whose_display_fails_still_gives_an_answer(
    session: Session, guest: Guest, driver: Driver, python: str, javascript: str
) -> None:
    result = driver.run(session, guest.pick(python=python, javascript=javascript), limits=Limits(script_ms=500))
    assert result.stop is None
    strict_json.loads(result.to_json())
    assert driver.value(session, "6 * 7") == 42


@pytest.mark.spec("C7.3")
@pytest.mark.parametrize(
    ("python", "javascript"),
    [
        ("class A:\n  def __repr__(self):\n    while True: pass\nA()", "({ get a() { for (;;) {} } })"),
        (
            "class A:\n  def __repr__(self): return 'x' * 10**8\n[A()] * 100",
            "new Proxy({}, { ownKeys() { for (;;) {} } })",
        ),
        ("class A:\n  def __repr__(self): return repr([A()])\nA()", "({ get a() { return { __proto__: this } } })"),
    ],
)
def test_a_value_whose_display_never_ends_is_stopped(
    session: Session, guest: Guest, driver: Driver, python: str, javascript: str
) -> None:
    result = driver.run(session, guest.pick(python=python, javascript=javascript), limits=Limits(script_ms=100))
    strict_json.loads(result.to_json())
    assert driver.value(session, "6 * 7") == 42


# ---- any value ----

texts = st.text(st.characters(codec="utf-8"), max_size=30)
json_like = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(texts, inner, max_size=5),
    max_leaves=30,
)
python_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters(), max_size=20)
    | st.binary(max_size=30) | st.complex_numbers(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.lists(inner, max_size=4).map(tuple)
    | st.dictionaries(st.text(st.characters(), max_size=9) | st.integers() | st.just("$wasmhost"), inner, max_size=4)
    | st.binary(max_size=9).map(bytearray),
    max_leaves=20,
)  # fmt: skip


@pytest.fixture(scope="module")
def python_session() -> Any:
    with PythonRuntime() as session:
        yield session


@pytest.fixture(scope="module")
def javascript_session() -> Any:
    with JavaScriptRuntime() as session:
        yield session


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(python_like)
def test_any_python_value_comes_back(python_session: PythonRuntime, value: Any) -> None:
    result = python_session.run(f"inf = float('inf')\n[{value!r}]")
    assert result.ok, result.error
    assert equal(result.value, [value])
    strict_json.loads(result.to_json())


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(json_like)
def test_any_json_comes_back_from_javascript(javascript_session: JavaScriptRuntime, value: Any) -> None:
    result = javascript_session.run(f"JSON.parse({json.dumps(json.dumps(value))})")
    assert result.ok, result.error
    # A double without a fraction is shown without one; otherwise nothing may change.
    assert json.dumps(result.value, sort_keys=True) == json.dumps(as_javascript(value), sort_keys=True)


def as_javascript(value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if isinstance(value, float) and value == int(value) and abs(value) < 2**53 and str(value) != "-0.0":
        return int(value)
    if isinstance(value, list):
        return [as_javascript(item) for item in value]
    if isinstance(value, dict):
        return {key: as_javascript(item) for key, item in value.items()}
    return value


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.floats(allow_nan=False))
def test_any_double_comes_back_exactly(
    python_session: PythonRuntime, javascript_session: JavaScriptRuntime, value: float
) -> None:
    code = value.hex()
    assert python_session.run(f"float.fromhex('{code}')").value == value
    bits = int.from_bytes(memoryview(array("d", [value])).cast("B"), "little")
    got = javascript_session.run(f"new Float64Array(new BigUint64Array([{bits}n]).buffer)[0]").value
    assert got == value
    assert math.copysign(1, got) == math.copysign(1, value)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(), max_size=60))
def test_any_text_comes_back_from_both(
    python_session: PythonRuntime, javascript_session: JavaScriptRuntime, text: str
) -> None:
    units = memoryview(text.encode("utf-16-le", "surrogatepass")).cast("H").tolist()
    assert python_session.run(f"[{text!r}]").value == [text]
    got = javascript_session.run(f"[String.fromCharCode({', '.join(map(str, units))})]").value
    # Two halves that meet are one character in JavaScript.
    assert got == [text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")]


def test_a_result_with_a_huge_integer_can_be_printed(python: Session) -> None:
    result = python.run("[10**5000]")
    assert result.ok
    assert "too large to be shown" in repr(result)
