"""``wasmhost doctor``: what is here, what is wrong, what to do."""

import json
import sys

from ..diagnosis import Finding, diagnose
from ..protocol.harmless import harmless
from . import FAILED, OK, UsageError

HELP = """\
usage: wasmhost doctor [--json]

Looks at the installation and at this machine: library, versions, images and caches with their hashes, stacks, limits,
signal handlers, and a test of each language. Says what is wrong and what to do. Exit status: 0 everything works,
1 something does not, 2 wrong usage.

  --json     print one JSON object: {"ok": ..., "findings": [{"name", "status", "detail", "advice", "data"}]}
"""

_SIGNS = {"ok": "ok   ", "note": "note ", "wrong": "WRONG"}


def doctor(arguments: list[str]) -> int:
    """Runs the command and returns its exit status.

    Raises:
        UsageError: an argument that it does not know.
    """
    if arguments and arguments[0] in ("-h", "--help"):
        print(HELP, end="")
        return OK
    if arguments not in ([], ["--json"]):
        raise UsageError(f"doctor does not take {' '.join(arguments)}; see: wasmhost doctor --help")
    findings = diagnose()
    ok = all(finding.status != "wrong" for finding in findings)
    if arguments:
        print(json.dumps({"ok": ok, "findings": [vars(finding) for finding in findings]}))
    else:
        _show(findings, ok)
    return OK if ok else FAILED


def _show(findings: list[Finding], ok: bool) -> None:
    lines = []
    for finding in findings:
        lines.append(f"{_SIGNS[finding.status]}  {finding.name}: {finding.detail}")
        if finding.advice:
            lines.append(f"         -> {finding.advice}")
    lines.append("everything works" if ok else "something does not work: see WRONG above")
    text = "\n".join(lines)
    # Names of folders are not ours.
    print(harmless(text) if sys.stdout.isatty() else text)
