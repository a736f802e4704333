"""Looking at a session: its variables, and the names that may come next. Nothing of the session changes."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.guests import Guest
from wasmhost import Host, Limits, SessionBusy, Suspend, Variable, capability
from wasmhost.packs import files
from wasmhost.session.session import Session

FILLED = {
    "python": "import json\nx = 5\nname = 'ab' * 300\nxs = [1, 2]\nd = {'a': 1}\nnothing = None\n"
    "class Point:\n    kind = 1\n    def far(self): pass\n    @property\n    def boom(self): raise RuntimeError\n"
    "p = Point()\np.attr = 'x'\ndef f(): pass",
    "javascript": "let x = 5, name = 'ab'.repeat(300), xs = [1, 2], d = new Map([['a', 1]]), nothing = null;"
    "class Point { far() {} get boom() { throw 1 } } const p = new Point(); p.attr = 'x'; function f() {} var "
    "y = 1; z = 2",
}


@pytest.fixture
def filled(guest: Guest) -> Any:
    with guest.runtime() as session:
        assert session.run(FILLED[guest.name]).ok
        yield session


def told(session: Session) -> dict[str, Variable]:
    return {one.name: one for one in session.describe()}


def test_variables_with_type_size_and_preview(filled: Session, guest: Guest) -> None:
    found = told(filled)
    expected = {
        "x": (guest.pick(python="int", javascript="number"), None, "5"),
        "xs": (guest.pick(python="list", javascript="Array"), 2, guest.pick(python="[1, 2]", javascript="[ 1, 2 ]")),
        "d": (
            guest.pick(python="dict", javascript="Map"),
            1,
            guest.pick(python="{'a': 1}", javascript="Map(1) { 'a' => 1 }"),
        ),
        "nothing": (
            guest.pick(python="NoneType", javascript="null"),
            None,
            guest.pick(python="None", javascript="null"),
        ),
    }
    for name, (kind, size, preview) in expected.items():
        one = found[name]
        assert (one.type, one.size, one.preview) == (kind, size, preview)
    assert found["name"].size == 600
    assert len(found["name"].preview) == 120
    assert found["name"].preview.endswith("...")
    assert found["p"].type == "Point"
    assert found["f"].type == "function"
    assert {"Point", "f", "p"} <= found.keys()
    assert found["x"].to_dict() == {"name": "x", "type": expected["x"][0], "size": None, "preview": "5"}


def test_what_the_session_has_by_itself_is_left_out(tmp_path: Path, guest: Guest) -> None:
    @capability
    def fetch(n: int) -> int:
        return n

    with guest.runtime(capabilities=[fetch, files(tmp_path)], helpers=True, hint="x") as session:
        assert session.describe() == []
        session.run("1")
        assert session.describe() == []
        session.run(guest.assign("mine", "1"))
        assert list(told(session)) == ["mine"]


def test_no_more_than_asked_for(guest: Guest) -> None:
    many = guest.pick(
        python="for i in range(300): globals()[f'v{i}'] = i\ndel i",
        javascript="for (let i = 0; i < 300; i++) globalThis['v' + i] = i",
    )
    with guest.runtime() as session:
        session.run(many)
        assert len(session.describe()) == 200
        assert len(session.describe(most=1000)) == 300
        assert [one.name for one in session.describe(most=2)] == ["v0", "v1"]
        for wrong in (0, 1001, True, "5"):
            with pytest.raises(ValueError, match="most is a number from 1 to 1000"):
                session.describe(most=wrong)  # type: ignore[arg-type]


HOSTILE = {
    "python": [
        "class H:\n    def __repr__(self):\n        while True: pass\nh = H()",
        "class H:\n    def __repr__(self): raise KeyboardInterrupt\nh = H()",
        "class H:\n    def __repr__(self): return 'x' * 10**8\nh = H()",
        "class H:\n    def __repr__(self): return '\\x1b[2J\\n' * 100\nh = H()",
        "class M(type):\n    def __getattribute__(cls, name):\n        while True: pass\nclass "
        "H(metaclass=M): pass\nh = H()",
        "class H:\n    def __repr__(self): globals()['x'] = 'changed'; return 'h'\nh = H()",
        "class H(dict):\n    def __len__(self):\n        while True: pass\nh = H()",
        "import builtins\nbuiltins.len = builtins.sorted = builtins.list = builtins.isinstance = None\nh = 1",
        "globals()[5] = 1\nglobals()['a b'] = 2\nglobals()['\\udc80'] = 3\nh = 1",
    ],
    "javascript": [
        "const h = { get a() { for (;;); }, toString() { for (;;); }, toJSON() { for (;;); } }",
        "const h = new Proxy({}, new Proxy({}, { get() { for (;;); } })); 0",
        "const h = { [Symbol.toStringTag]: '\\x1b[2J', constructor: { name: 'x'.repeat(1e6) } }",
        "const h = []; h.length = 2 ** 32 - 1",
        "const h = {}; let o = h; for (let i = 0; i < 10000; i++) o = o.x = {}",
        "Array.prototype.slice = Array.prototype.push = Object.keys = null; JSON.stringify = null; const h = 1",
        "Object.prototype.then = f => { for (;;); }; const h = 1",
        "globalThis['a b'] = 1; globalThis['\\ud800'] = 2; const h = 1",
        "class A { static get name() { for (;;); } } const h = new A()",
        "const h = {}; Object.setPrototypeOf(h, new Proxy({}, { getPrototypeOf() { for (;;); }, get() { for "
        "(;;); } })); 0",
    ],
}
EVERY = [(language, code) for language, codes in HOSTILE.items() for code in codes]


@pytest.mark.parametrize(("language", "code"), EVERY)
def test_hostile_variables_hide_nothing_and_change_nothing(language: str, code: str) -> None:
    from tests.support.guests import GUESTS

    with GUESTS[language].runtime() as session:
        session.run(GUESTS[language].assign("x", "5"))
        assert session.run(code).ok
        found = told(session)
        assert found["x"].preview == "5"
        assert "h" in found
        for one in found.values():
            assert len(one.preview) <= 120
            assert len(one.type) <= 100
            assert "\n" not in one.preview
        assert session.complete("h.").start == 2
        assert session.complete("h.a.b.c").names == []
        assert session.run("x").value == 5


COMPLETIONS = {
    "python": {
        "p.": ["attr", "boom", "far", "kind"],
        "p.at": ["attr"],
        "p.attr.upp": ["upper"],
        "p.boom.x": [],
        "Point.fa": ["far"],
        "json.du": ["dump", "dumps"],
        "na": ["name"],
        "whi": ["while"],
        "print(xs.app": ["append"],
        "a = xs . app": ["append"],
        "nobody.x": [],
        "'text.upp": [],
        "xs[0].bit": [],
        "f().x": [],
        "": [],
        "5.": [],
    },
    "javascript": {
        "p.": ["attr", "boom", "constructor", "far"],
        "p.at": ["attr"],
        "p?.at": ["attr"],
        "p.attr.toUpp": ["toUpperCase"],
        "p.boom.x": [],
        "xs.find": ["findIndex", "findLast", "findLastIndex"],
        "JSON.str": ["stringify"],
        "Ma": ["Map", "Math"],
        "na": ["name"],
        "x.toF": ["toFixed"],
        "nobody.x": [],
        "'text.toU": [],
        "xs[0].toF": [],
        "f().x": [],
        "": [],
    },
}


def test_names_that_may_come_next(filled: Session, guest: Guest) -> None:
    for code, names in COMPLETIONS[guest.name].items():
        found = filled.complete(code)
        assert found.names == names, code
        if names:
            last = code.replace("?", "").split(".")[-1].strip()
            assert code[found.start :].strip() == last


def test_a_cursor_in_the_middle(filled: Session) -> None:
    code = "first = 1\nxs.  # a list\nna"
    assert "x" not in filled.complete(code, 13).names
    assert filled.complete(code, 12).start == 10
    assert filled.complete(code).names == ["name"]
    for wrong in (-1, 99, True):
        with pytest.raises(ValueError, match="cursor is a place in the code, from 0 to"):
            filled.complete(code, wrong)
    with pytest.raises(TypeError, match="code must be a str"):
        filled.complete(5)  # type: ignore[arg-type]


def test_tools_are_completed(tmp_path: Path, guest: Guest) -> None:
    @capability(name="notes.add")
    def add(text: str) -> None: ...

    with guest.runtime(capabilities=[add, files(tmp_path)], helpers=True) as session:
        assert session.complete("tools.").names == ["Glob", "Grep", "Read", "notes"]
        assert session.complete("tools.notes.").names == ["add"]
        assert session.complete("notes.a").names == ["add"]
        assert session.complete("rg").names == ["rgf"]


def test_nothing_of_the_session_changes(filled: Session, guest: Guest) -> None:
    with guest.runtime() as other:
        other.run(FILLED[guest.name])
        for _ in range(3):
            filled.describe()
            filled.complete("p.")
            one, same = filled.run("x"), other.run("x")
            assert (one.value, one.fuel) == (5, same.fuel)
    # Going back works as before.
    filled.run("for (;;) {}" if filled.language == "javascript" else "while True: pass", limits=Limits(fuel=10_000_000))
    assert filled.run("x").value == 5


def test_not_while_a_cell_runs_or_is_suspended(guest: Guest) -> None:
    asked: list[BaseException | None] = []

    def look() -> int:
        try:
            session.describe()
            asked.append(None)
        except SessionBusy as error:
            asked.append(error)
        return 1

    async def wait() -> int:
        return 1

    with guest.runtime(capabilities=[look], policy="allow") as session:
        session.run(guest.pick(python="look()", javascript="await look()"))
        assert isinstance(asked[0], SessionBusy)
    with guest.runtime(capabilities=[wait], approve=lambda _: Suspend()) as session:
        assert session.run("await wait()").status == "suspended"
        with pytest.raises(SessionBusy, match="runs or is suspended"):
            session.describe()


def test_of_a_host(guest: Guest) -> None:
    with Host(language=guest.name) as host:
        session = host.session()
        session.run(guest.assign("value", "1"))
        host.evict_idle(0)
        assert [one.name for one in session.describe()] == ["value"]
        assert session.complete("val").names[0] == "value"
