"""Every parameter of every pack against texts, numbers and values that mean ill. The parameters are those that the
capabilities themselves name, so that a new one is swept too, or fails here until somebody says how it is called."""

import inspect
import json
import math
import resource
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import wasmhost.packs
from tests.support.child import ROOT
from tests.support.guests import Guest
from tests.support.web import Server, answer, one_server
from wasmhost import Limits
from wasmhost.capabilities.capability import Capability
from wasmhost.packs import Pack, files, http, sampling, shell
from wasmhost.session.session import Session

from .conftest import SECRET

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="files and shell need POSIX")

MILLION = 1_000_000
# The memory of a guest, and a checkpoint of it; the host itself needs little beside them.
GROWTH = 2 * Limits().memory_bytes
# More than one call may take; what does not come to its end by itself is stopped, and the test fails.
LIMITS = Limits(script_ms=20_000, wall_ms=20_000)
MESSAGE_CHARS = 3_000


class Text:
    """``head + unit * count + tail``, which a guest makes: a million characters need not be in the source."""

    def __init__(self, unit: str, count: int = 1, head: str = "", tail: str = "") -> None:
        self.parts = (head, unit, tail)
        self.count = count

    def source(self, guest: Guest) -> str:
        # ascii() and json.dumps() write half of a character as its escape.
        head, unit, tail = (ascii(part) if guest.name == "python" else json.dumps(part) for part in self.parts)
        times = guest.pick(python=f" * {self.count}", javascript=f".repeat({self.count})") if self.count != 1 else ""
        return f"({head} + {unit}{times} + {tail})"


TEXTS = {
    "empty": Text(""),
    "million": Text("a", MILLION),
    "million of others": Text("\U0001f600", MILLION // 2),
    "million lines": Text("\n", MILLION),
    "million zeros": Text("\0", MILLION),
    "zero": Text("a\0b"),
    "zero at the end": Text("README.md\0"),
    "high surrogate": Text("a\ud800"),
    "low surrogate": Text("\udc80", 3),
    "surrogates the wrong way round": Text("\udc00\ud800"),
    "control": Text("".join(map(chr, range(1, 32))) + "\x7f\x80\x9b\x9f"),
    "escapes": Text("\x1b[2J\x1b]0;title\x07\x1bc\x9b31m"),
    "bidi": Text("\u202e\u2066txt.\u202dexe\u2069\u200f\u061c\ufeff\u200b"),
    "line ends": Text("a\r\nb\rc\u2028d\u2029e\x85f\x0bg\x0ch"),
    "combining": Text("a\u0301", 50_000),
    "last": Text("\U0010ffff\ufffe\uffff"),
    "up": Text("../", 1, "", "outside/secret.txt"),
    "up and up": Text("../", 50, "", "etc/passwd"),
    "up inside": Text("src/../../outside/secret.txt"),
    "up, for others": Text("..\\..\\outside\\secret.txt"),
    "up, encoded": Text("%2e%2e%2f", 3, "", "etc/passwd"),
    "absolute": Text("/etc/passwd"),
    "absolute, for others": Text("C:\\Windows\\win.ini"),
    "slashes": Text("/", 5_000, "", "etc/passwd"),
    "dots": Text("./", 50_000, "", "README.md"),
    "deep path": Text("d/", 20_000),
    "home": Text("~/.ssh/id_rsa"),
    "of the process": Text("/proc/self/environ"),
    "link": Text("link/secret.txt"),
    "link itself": Text("link.txt"),
    "long name": Text("n", 300),
    "formats": Text("%s%n%d%x{0}{0.__class__.__mro__}{self}${HOME}$HOME{{}}", 50),
    "format of a gigabyte": Text("{:>1000000000}%1000000000d"),
    "catastrophe": Text("(a+)+$"),
    "catastrophes": Text("(a*)*", 40, "^", "b$"),
    "repeated": Text("((((a{99}){99}){99}){99}){99}"),
    "groups": Text("(", 50_000),
    "group closed": Text("(", 5_000, "", "a" + ")" * 5_000),
    "classes": Text("[", 50_000),
    "choices": Text("a|", 50_000),
    "backslashes": Text("\\", 100_001),
    "any": Text(".*", 5_000, "", "x"),
    "look around": Text("(?=a)(?<!b)(a)\\1(?R)(*SKIP)"),
    "named": Text("(?P<a>.)(?P<a>.)(?P=b)\\p{Nope}\\x{110000}"),
    "stars": Text("**/", 3_000, "", "*"),
    "stars and letters": Text("*a", 400, "", "b"),
    "braces": Text("{a,b}", 40),
    "braces in braces": Text("{a,", 5_000, "", "b" + "}" * 5_000),
    "braces, open": Text("{", 100_000),
    "bracket": Text("[!", 10_000),
    "ranges": Text("[z-a][\u0000-\U0010ffff][]"),
    "number": Text("9", 100_000),
    "negative": Text("-1"),
    "exponent": Text("1e999999999"),
    "not a number": Text("NaN"),
    "hexadecimal": Text("0x", 1, "", "f" * 10_000),
    "other digits": Text("\u0661", 5_000),
    "json, deep": Text("[", 100_000, "", "]" * 10),
    "json, deep objects": Text('{"a":', 50_000),
    "json": Text('{"__proto__": {"polluted": 1}, "constructor": null}'),
    "address": Text("http://169.254.169.254/latest/meta-data/"),
    "address, of this machine": Text("http://127.0.0.1:22/"),
    "address, a number": Text("http://2130706433/"),
    "address, octal": Text("http://0177.0.0.1/"),
    "address, v6": Text("http://[::ffff:127.0.0.1]:80/"),
    "address, with a user": Text("http://api.example.com@127.0.0.1/"),
    "address, backslash": Text("http://api.example.com\\@127.0.0.1/"),
    "address, line end": Text("http://api.example.com/\r\nX-Evil: 1\r\n\r\nGET / HTTP/1.1"),
    "address, zero": Text("http://api.example.com\0.evil.com/"),
    "address, file": Text("file:///etc/passwd"),
    "address, data": Text("data:text/plain,hello"),
    "address, port": Text("http://api.example.com:", 1, "", "9" * 5_000 + "/"),
    "address, name": Text("a.", 5_000, "http://", "example.com/"),
    "address, long": Text("a", MILLION, "http://api.example.com/"),
    "address, idn": Text("http://\u0430pi.ex\u00e4mple.com\uff0f@x/"),
    "address, brackets": Text("http://[", 1, "", "[" * 10_000),
    "html": Text("<script>alert(1)</script>*/\"\"\"'''```--><|im_start|>"),
}

NUMBERS = [0, -1, 1, 2**31, 2**63, -(2**64), 10**400, 1e308, -1e308, 5e-324, 0.5, math.nan, math.inf, -math.inf]


async def _model(prompt: str, schema: Any) -> str:
    """Gives the text that hurts whoever backtracks."""
    return "a" * 50_000 + "!" if schema is None or "pattern" in json.dumps(schema) else json.dumps({"a": prompt[:100]})


@pytest.fixture
def net() -> Iterator[dict[str, Any]]:
    """Options of the http pack by which every name is one server."""
    with Server() as server:
        server.pages["/"] = answer("page")
        yield one_server(server).options


# How each pack is made for the sweep: in a folder with something beside it, and with a server that is not the world.
MAKE: dict[str, Callable[[Path, dict[str, Any]], Pack]] = {
    "files": lambda root, net: files(root, write=True, write_bytes=64 << 10, timeout=5),
    "http": lambda root, net: http(["GET,POST,PUT *"], timeout=5, **net),
    "sampling": lambda root, net: sampling(_model, timeout=5),
    "shell": lambda root, net: shell(cwd=root, timeout=5),
}

# What else is given where one parameter is swept.
FITTING: dict[str, dict[str, Any]] = {
    "Read": {"path": "README.md", "offset": 1, "limit": 1},
    "Write": {"path": "new.txt", "content": "text"},
    "Edit": {"path": "README.md", "old": "read", "new": "READ", "all": True},
    "Glob": {"pattern": "**", "path": "."},
    "Grep": {"pattern": "a", "path": ".", "glob": "*", "ignore_case": True, "files_only": True, "limit": 5},
    "Bash": {"command": "true", "cwd": ".", "timeout": 5},
    "Fetch": {"url": "http://api.example.com/", "method": "POST", "headers": {}, "body": "text", "timeout": 5},
    "Sample": {"prompt": "what?", "schema": {"type": "object"}},
}
# A text that would be a command is one that does nothing.
BEFORE = {("Bash", "command"): "# "}
# What they raise when they refuse.
ORDINARY = {
    "CallError",
    "ConnectionError",
    "FileExistsError",
    "FileNotFoundError",
    "IsADirectoryError",
    "NotADirectoryError",
    "OSError",
    "OverflowError",
    "PermissionError",
    "RuntimeError",
    "TimeoutError",
    "TypeError",
    "UnicodeEncodeError",
    "ValueError",
}


def made_here() -> list[tuple[str, Capability]]:
    """The capabilities of all packs, made in a folder that is there."""
    return [(name, one) for name, make in sorted(MAKE.items()) for one in make(ROOT / "tests", {})]


PARAMETERS = [(pack, one.name, parameter) for pack, one in made_here() for parameter in one.parameters.names]


def test_every_pack_and_every_parameter_is_swept() -> None:
    functions = {name for name in wasmhost.packs.__all__ if inspect.isfunction(getattr(wasmhost.packs, name))}
    assert functions == MAKE.keys()
    for _, one in made_here():
        assert FITTING[one.name].keys() == set(one.parameters.names), one.name
    # Counted, so that a sweep of nothing would be noticed.
    assert len(PARAMETERS) == sum(map(len, FITTING.values())) >= 25


def kinds(schema: Any) -> set[str]:
    """What types a parameter takes."""
    if not isinstance(schema, dict):
        return set()
    found = {schema["type"]} if isinstance(schema.get("type"), str) else set()
    for one in schema.get("anyOf", ()):
        found |= kinds(one)
    return found


def literal(guest: Guest, value: Any) -> str:
    """A value with texts in it as source."""
    if isinstance(value, (Text, Nested)):
        return value.source(guest)
    if isinstance(value, dict):
        pairs = ((literal(guest, key), literal(guest, item)) for key, item in value.items())
        return "{" + ", ".join(f"{key if guest.name == 'python' else f'[{key}]'}: {item}" for key, item in pairs) + "}"
    if isinstance(value, list):
        return f"[{', '.join(literal(guest, item) for item in value)}]"
    if isinstance(value, float) and not math.isfinite(value):
        name = "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
        js = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[name]
        return str(guest.pick(python=f"float('{name}')", javascript=js))
    if guest.name == "javascript":
        return f"{value}n" if isinstance(value, int) and abs(value) > 2**53 else json.dumps(value)
    return repr(value)


def values(parameter: dict[str, Any], before: str) -> Iterator[tuple[str, Any]]:
    """What a parameter is given, one after the other."""
    takes = kinds(parameter)
    for name, text in TEXTS.items():
        head, unit, tail = text.parts
        yield name, Text(unit, text.count, before + head, tail)
        # In what has places for texts, of which there are a hundred more.
        if "object" in takes:
            yield f"key {name}", {text: "v"}
            yield f"value {name}", {"k": text}
        if "array" in takes:
            yield f"item {name}", [text]
    for number in NUMBERS if takes & {"integer", "number"} else NUMBERS[:2]:
        yield f"number {number}"[:30], number
    yield "nothing", None
    yield "list", [1]
    yield "nested", Nested()


class Nested:
    """An object in a list in an object ..., which a guest makes: no parser takes that many brackets."""

    def source(self, guest: Guest) -> str:
        return "nested()"

    @staticmethod
    def function(guest: Guest) -> str:
        return str(
            guest.pick(
                python="def nested():\n  made = {}\n  for _ in range(80): made = {'a': [made]}\n  return made",
                javascript="function nested() { let r = {}; for (let i = 0; i < 80; i++) r = {a: [r]}; return r }",
            )
        )


# A schema that a guest gives is looked into by the host.
def schemas() -> Iterator[tuple[str, Any]]:
    for name, text in TEXTS.items():
        yield f"pattern {name}", {"type": "string", "pattern": text}
        yield f"property {name}", {"type": "object", "properties": {text: {"type": "string"}}, "required": [text]}
        for word in ("$ref", "type", "format", "title", "const"):
            yield f"{word} {name}", {word: text}
        yield f"enum {name}", {"enum": [text, 1, None]}
        yield f"keyword {name}", {text: text}
    circle = {"$ref": "#/$defs/b"}
    yield "circle", {"$ref": "#/$defs/a", "$defs": {"a": circle, "b": {"$ref": "#/$defs/a"}}}
    yield "itself", {"type": "object", "properties": {"a": {"$ref": "#"}}}
    yield "nested", {"type": "object", "properties": {"a": Nested()}}
    yield "numbers", {"type": "integer", "minimum": 10**400, "multipleOf": 0}


def cell(guest: Guest, tool: str, arguments: dict[str, Any]) -> str:
    """One whose value is how a call went: the size of what it gave, or the type and message of its error."""
    given = literal(guest, arguments)
    if guest.name == "python":
        return (
            f"try:\n    r = await tools.{tool}.start(**{given})\n    out = len(repr(r))\n"
            "except Exception as e:\n    out = [type(e).__name__, str(e)]\nout"
        )
    return (
        f"var out; try {{ const r = await tools.{tool}({given}); out = String(JSON.stringify(r)).length }}"
        " catch (e) { out = [e.name, e.message] } out"
    )


def check(session: Session, guest: Guest, name: str, tool: str, arguments: dict[str, Any], hidden: list[str]) -> bool:
    """Whether the call was refused."""
    result = session.run(cell(guest, tool, arguments))
    assert result.ok, (name, (result.error or "")[:500])
    assert result.state == "kept"
    refused = isinstance(result.value, list)
    if refused:
        kind, message = result.value
        assert kind in ORDINARY, (name, result.value)
        assert len(message) < MESSAGE_CHARS, (name, len(message))
    told = json.dumps([result.value if refused else "", *(note for one in result.calls for note in one.notes)])
    for secret in hidden:
        assert secret not in told, (name, told[:500])
    assert session.run("1 + 1").value == 2
    return refused


@pytest.mark.spec("B9", "C8", "S10")
@pytest.mark.parametrize(("pack", "tool", "parameter"), PARAMETERS, ids=[f"{t}.{p}" for _, t, p in PARAMETERS])
def test_what_a_guest_gives(
    guest: Guest, pack: str, tool: str, parameter: str, root: Path, net: dict[str, Any]
) -> None:
    (root / "link").symlink_to(root.parent / "outside")
    (root / "link.txt").symlink_to(root.parent / "outside" / "secret.txt")
    hidden = [SECRET, str(root.parent), str(ROOT), sys.prefix, str(Path.home()) + "/", "site-packages", "Traceback"]
    made = MAKE[pack](root, net)
    schema = next(one for one in made if one.name == tool).input_schema["properties"][parameter]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    asked = refused = 0
    with guest.runtime(capabilities=[made], policy="allow", limits=LIMITS) as session:
        assert session.run(Nested.function(guest)).ok
        # It fits as it stands, so what is refused below is refused for what is swept.
        assert not check(session, guest, "fitting", tool, FITTING[tool], hidden)
        given = values(schema, BEFORE.get((tool, parameter), ""))
        for name, value in [*given, *(schemas() if parameter == "schema" else ())]:
            # As `FITTING` has it, whatever the call before has made of it.
            (root / "README.md").write_text("read me\n")
            refused += check(session, guest, name, tool, {**FITTING[tool], parameter: value}, hidden)
            asked += 1
        (root / "README.md").write_text("read me\n")
        assert not check(session, guest, "fitting", tool, FITTING[tool], hidden)
    assert asked > len(TEXTS)
    assert refused
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) << 10 < GROWTH
    assert (root.parent / "outside" / "secret.txt").read_text() == SECRET
    assert sorted(one.name for one in root.parent.iterdir()) == ["outside", "root"]
