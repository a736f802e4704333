"""One piece of work as a program: a tree of two thousand files, an old call in three of them, two changed, one of the
writes denied, and a tool that the program itself registers to check what it did."""

from pathlib import Path

import pytest

from tests.support.drivers import Driver
from tests.support.guests import Guest
from wasmhost import ApprovalRequest, Policy, Rule
from wasmhost.packs import files

USES = ["lib/m07/f003.py", "src/m12/f041.py", "vendor/m01/f009.py"]

PYTHON = r"""
import asyncio

found = rgf(r"\blegacy_login\(", glob="*.py")
texts = {path: cat(path) for path in found}
changed, denied = [], []
for path in found:
    if path.startswith("lib/"):
        continue  # this one stays as it is
    try:
        put(path, texts[path].replace("legacy_login(", "login("))
        changed.append(path)
    except PermissionError as error:
        denied.append([path, str(error)])


def check(input):
    text = cat(input["path"])
    return {"old": text.count("legacy_login("), "new": text.count(" login(")}


registerTool(
    "verify_patch",
    "Counts old and new calls in a file.",
    {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
    check,
)
{"found": found, "changed": changed, "denied": denied}
"""

JAVASCRIPT = r"""
const found = await rgf("\\blegacy_login\\(", { glob: "*.py" });
const texts = {};
await Promise.all(found.map(async (path) => { texts[path] = await cat(path) }));
const changed = [], denied = [];
for (const path of found) {
  if (path.startsWith("lib/")) continue; // this one stays as it is
  try {
    await put(path, texts[path].replaceAll("legacy_login(", "login("));
    changed.push(path);
  } catch (error) {
    denied.push([path, error.message]);
  }
}
registerTool(
  "verify_patch",
  "Counts old and new calls in a file.",
  { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  async ({ path }) => {
    const text = await cat(path);
    return { old: text.split("legacy_login(").length - 1, new: text.split(" login(").length - 1 };
  },
);
({ found, changed, denied })
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two thousand files of some lines each, with traps for whoever searches carelessly."""
    root = tmp_path_factory.mktemp("tree")
    count = 0
    for top in ("lib", "src", "test", "vendor"):
        for module in range(20):
            folder = root / top / f"m{module:02}"
            folder.mkdir(parents=True)
            for number in range(25):
                lines = [f"# {top} {module} {number}", "import sys", f"def not_legacy_login{number}(user):", "    pass"]
                suffix = "md" if number == 24 else "py"
                if suffix == "md":
                    lines.append("Write legacy_login(user) no more.")
                (folder / f"f{(number * 7 + module) % 50:03}.{suffix}").write_text("\n".join(lines) + "\n")
                count += 1
    assert count == 2_000
    return root


@pytest.mark.spec("B9.8", "B10.5", "B17.5", "B23")
def test_an_old_call_is_found_and_replaced(tree: Path, guest: Guest, driver: Driver) -> None:
    for path in USES:
        (tree / path).parent.mkdir(exist_ok=True)
        (tree / path).write_text("user = 1\ndone = legacy_login(user)\nlog = legacy_login(2)\n")
    assert len([path for path in tree.rglob("*") if path.is_file()]) >= 2_000
    policy = Policy([Rule("Write", "deny", {"path": "vendor/*"})], allow=["Read", "Grep", "Write"])
    asked: list[str] = []

    def approve(request: ApprovalRequest) -> bool:
        asked.append(request.name)
        return True

    pack = files(tree, write=True)
    with guest.runtime(capabilities=[pack], policy=policy, approve=approve, helpers=True) as session:
        result = driver.run(session, guest.pick(python=PYTHON, javascript=JAVASCRIPT))
        assert result.ok, result.error
        value = result.value
        assert value["found"] == USES
        assert value["changed"] == ["src/m12/f041.py"]
        assert value["denied"] == [["vendor/m01/f009.py", "Write was denied: the policy denies it"]]
        # Which of them were made is in the result: nobody has to guess what to do again.
        assert [(call.name, call.state) for call in result.calls] == [
            ("Grep", "completed"),
            ("Read", "completed"),
            ("Read", "completed"),
            ("Read", "completed"),
            ("Write", "completed"),
            ("Write", "denied"),
        ]
        made = [call.input["path"] for call in result.calls if call.name == "Write" and call.state == "completed"]
        assert made == ["src/m12/f041.py"]
        assert [tool["name"] for tool in result.registered_tools] == ["verify_patch"]
        assert (tree / "src/m12/f041.py").read_text() == "user = 1\ndone = login(user)\nlog = login(2)\n"
        assert "legacy_login" in (tree / "vendor/m01/f009.py").read_text()

        verify = "{}await tools.eval_registered__verify_patch({})"
        calls = [
            guest.pick(python=f"path={path!r}", javascript=f"{{ path: {path!r} }}")
            for path in [*made, "vendor/m01/f009.py"]
        ]
        result = driver.run(session, f"[{', '.join(verify.format('', call) for call in calls)}]")
        assert result.ok, result.error
        assert result.value == [{"old": 0, "new": 2}, {"old": 2, "new": 0}]
        assert asked == ["eval_registered__verify_patch"] * 2
        assert {(call.name, call.state) for call in result.calls} == {
            ("eval_registered__verify_patch", "completed"),
            ("Read", "completed"),
        }


@pytest.mark.spec("B23")
def test_a_denied_write_that_nobody_catches_ends_the_cell_and_the_result_says_what_was_done(
    tree: Path, guest: Guest
) -> None:
    policy = Policy([Rule("Write", "deny", {"path": "vendor/*"})], allow=["Write"])
    code = guest.pick(
        python="tools.Write('src/new1.txt', 'a')\ntools.Write('vendor/new.txt', 'b')\ntools.Write('src/new2.txt', 'c')",
        javascript="for (const path of ['src/new1.txt', 'vendor/new.txt', 'src/new2.txt'])"
        " await tools.Write({ path, content: path })",
    )
    with guest.runtime(capabilities=[files(tree, write=True)], policy=policy) as session:
        result = session.run(code)
    assert not result.ok
    assert [(call.input["path"], call.state) for call in result.calls] == [
        ("src/new1.txt", "completed"),
        ("vendor/new.txt", "denied"),
    ]
    assert not (tree / "vendor/new.txt").exists()
    assert not (tree / "src/new2.txt").exists()
