"""The runners of the languages' own test suites, on suites that are made up here in the same layout."""

from pathlib import Path

import pytest

from suites import javascript, python
from wasmhost import Limits

# ---- CPython ---------------------------------------------------------------------------------------------------------

SUPPORT = """
import unittest
def helper(): return 42
"""
MODULE = """
import unittest, inspect
from test import support
from test.support import helper
class T(unittest.TestCase):
    @classmethod
    def setUpClass(cls): cls.made = support.helper()
    def test_passes(self): self.assertEqual(self.made, 42)
    def test_fails(self): self.assertEqual(1, 2)
    def test_raises(self): open("/data/file")
    @unittest.skip("not today")
    def test_skipped(self): pass
    @unittest.expectedFailure
    def test_expected(self): self.fail()
    @unittest.expectedFailure
    def test_heals(self): pass
    def test_subtests(self):
        for n in range(3):
            with self.subTest(n=n): self.assertNotEqual(n, 1)
    def test_prints(self): print("end\\tforged\\nbegin\\tforged")
    def test_source(self): self.assertIn("def helper", inspect.getsource(helper))
"""
HARSH = """
import unittest
class T(unittest.TestCase):
    def test_a(self): pass
    def test_b(self):
        while True: pass
    def test_c(self):
        while True:
            try:
                while True: pass
            except BaseException: pass
    def test_d(self): pass
    def test_e(self): raise MemoryError
"""


@pytest.fixture
def tests(tmp_path: Path) -> python.Tests:
    for name, text in {
        "__init__.py": "",
        "support/__init__.py": SUPPORT,
        "test_small.py": MODULE,
        "test_harsh.py": HARSH,
        "test_broken.py": "import no_such_module",
        "test_off.py": "import unittest\nraise unittest.SkipTest('not here')",
        "test_package/__init__.py": "",
        "test_package/test_inner.py": MODULE,
        "data.txt": "",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return python.Tests(tmp_path)


def test_modules_of_packages_are_found_one_by_one(tests: python.Tests) -> None:
    assert tests.names() == ["test_broken", "test_harsh", "test_off", "test_package.test_inner", "test_small"]


@pytest.mark.parametrize("name", ["test_small", "test_package.test_inner"])
def test_the_tests_of_a_module_are_counted(tests: python.Tests, name: str) -> None:
    module = python.run(tests, name)
    assert (len(module.ran), module.passed, len(module.skipped)) == (9, 4, 1)
    assert module.failed == {
        "T.test_fails": "AssertionError: 1 != 2",
        "T.test_raises": "FileNotFoundError: [Errno 44] No such file or directory: '/data/file'",
        "T.test_heals": "unexpected success",
        "T.test_subtests": "AssertionError: 1 == 1",
    }
    assert module.failed.keys() | {"T.test_skipped", "T.test_passes", "T.test_source"} < module.ran


def test_tests_that_end_the_sandbox_are_told_and_the_rest_runs(
    tests: python.Tests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(python, "LIMITS", Limits(script_ms=700))
    module = python.run(tests, "test_harsh")
    assert module.ran == {"T.test_a", "T.test_b", "T.test_c", "T.test_d", "T.test_e"}
    assert module.passed == 2
    assert module.failed["T.test_b"].startswith(python.ENDED)
    assert module.failed["T.test_c"].startswith(python.ENDED)
    assert module.failed["T.test_e"] == "MemoryError"


def test_modules_that_do_not_load(tests: python.Tests) -> None:
    assert "no_such_module" in python.run(tests, "test_broken").broken
    assert python.run(tests, "test_off").left_out == "not here"


@pytest.mark.parametrize("name", ["data", "test/../data", "os", "test..support", "test.data.txt", ""])
def test_nothing_but_the_tests_can_be_asked_for(tests: python.Tests, name: str) -> None:
    assert tests.source(name) == []


def test_what_nobody_expects_makes_the_run_fail(
    tests: python.Tests, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(python, "fetch", lambda: tests)
    monkeypatch.setattr(python, "EXPECTED", tmp_path / "expected.toml")
    assert python.main(["test_small"]) == 1
    assert "not expected: test_small.T.test_fails: AssertionError: 1 != 2" in capsys.readouterr().out
    assert python.main(["--record", "test_small", "test_broken"]) == 1
    known = python.expected()
    assert known["test_small"]["T.test_raises"] == "no files"
    assert known["test_broken"] == {"*": "a module that is left out"}
    capsys.readouterr()
    assert python.main([]) == 0
    text = capsys.readouterr().out
    assert "modules: 2, of which 1 ran, 0 skip themselves, 1 do not load" in text
    assert "tests: 9 run, 4 passed, 4 failed (all expected but 0), 1 skipped" in text
    known["test_small"]["T.test_passes"] = "no more"
    python.write(known)
    assert python.main([]) == 1
    assert "listed, and does not fail: test_small.T.test_passes" in capsys.readouterr().out


# ---- test262 ---------------------------------------------------------------------------------------------------------

ASSERT = """
function assert(ok, message) { if (!ok) throw new Test262Error(message) }
assert.sameValue = (a, b) => { if (!Object.is(a, b)) throw new Test262Error(`${a} is not ${b}`) };
"""
STA = "class Test262Error extends Error {}\nTest262Error.prototype.name = 'Test262Error';"
DONE = (
    "function $DONE(e) { print(e ? 'Test262:AsyncTestFailure:' + e : 'Test262:AsyncTestComplete') }"
    "\nvar inHarness = typeof print;"
)


def case(text: str, **head: str) -> str:
    rows = "\n".join(f"{key}: {value}" for key, value in head.items())
    return f"// A comment.\n/*---\ndescription: made up\n{rows}\n---*/\n{text}\n"


FILES = {
    "language/passes.js": case("assert.sameValue(1 + 1, 2);"),
    "language/fails.js": case("assert.sameValue(1 + 1, 3);", flags="[noStrict]"),
    "language/sloppy.js": case("assert((function () { return this })() === globalThis);", flags="[noStrict]"),
    "language/strict.js": case("assert((function () { return this })() === undefined);", flags="[onlyStrict]"),
    "language/parse.js": case("let = ;;", negative="\n  phase: parse\n  type: SyntaxError"),
    "language/runtime.js": case("throw new RangeError()", negative="\n  phase: runtime\n  type: RangeError"),
    "language/wrong.js": case("1", negative="\n  phase: runtime\n  type: RangeError", flags="[noStrict]"),
    "language/raw.js": case("if (typeof assert !== 'undefined') throw new Error('harness')", flags="[raw]"),
    "built-ins/includes.js": case("assert.sameValue(extra, 5);", includes="[extra.js]"),
    "built-ins/listed.js": case("assert.sameValue(extra, 5);", includes="\n  - extra.js"),
    "built-ins/async.js": case("Promise.resolve().then(() => $DONE(), $DONE)", flags="[async]"),
    "built-ins/asyncfails.js": case("Promise.reject('bad').then(() => $DONE(), $DONE)", flags="[async, noStrict]"),
    "built-ins/modules.js": case("export {}", flags="[module]"),
    "built-ins/atomics.js": case("Atomics", features="[BigInt, Atomics]"),
    "built-ins/host.js": case("$262.gc()"),
    "built-ins/part_FIXTURE.js": "this is no test",
    "intl402/dates.js": case("Intl"),
}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    parts = {"harness/assert.js": ASSERT, "harness/sta.js": STA, "harness/doneprintHandle.js": DONE}
    parts |= {"harness/extra.js": "var extra = 5;"} | {f"test/{name}": text for name, text in FILES.items()}
    for name, text in parts.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def test_a_checkout_of_test262_runs(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert javascript.main([str(checkout)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == [
        "built-ins/asyncfails.js (sloppy): Test262:AsyncTestFailure:bad",
        "language/fails.js (sloppy): Test262Error: 2 is not 3",
        "language/wrong.js (sloppy): no error, but a RangeError is wanted",
    ]
    assert lines[3] == "files: 15, of which left out: 3"
    assert {line.split(maxsplit=1)[1] for line in lines[4:7]} == {"modules", "shared memory", "the host object $262"}
    assert lines[7].startswith("tests: 18 run, 15 passed, 3 failed, 0 failed in the native engine too")


def test_parts_of_a_checkout(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert javascript.main([str(checkout), "language/passes.js", "built-ins/async.js"]) == 0
    assert "tests: 4 run, 4 passed, 0 failed" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="there is no"):
        javascript.main([str(checkout), "nothing"])


def test_what_fails_in_the_native_engine_as_well_is_told_apart(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    engine = checkout / "qjs"
    engine.write_text("#!/bin/sh\ngrep -q '1 + 1, 3' $2 && exit 1\nexit 0\n")
    engine.chmod(0o755)
    assert javascript.main([str(checkout), "language", "built-ins", "--native", str(engine)]) == 0
    assert "0 failed, 3 failed in the native engine too" in capsys.readouterr().out
    engine.write_text("#!/bin/sh\nexit 0\n")
    assert javascript.main([str(checkout), "language", "--native", str(engine)]) == 1
    assert "fails.js (sloppy): Test262Error: 2 is not 3" in capsys.readouterr().out


def test_a_folder_that_is_no_checkout(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert javascript.main([str(tmp_path)]) == 2
    assert "is no checkout of test262" in capsys.readouterr().err
    assert javascript.main([]) == 2
