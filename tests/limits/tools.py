"""What the tests of limits share: names for the ways in which a cell ends, and child processes."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.support.guests import Guest
from wasmhost import RuntimeFailure, RuntimeSuccess

ROOT = Path(__file__).resolve().parents[2]
Result = RuntimeSuccess | RuntimeFailure


def ending(result: Result) -> str:
    """``value``, ``error``, ``deadlock``, ``crash``, ``soft`` or ``hard`` for limits by the clock, else the limit."""
    if result.stop is not None:
        assert not result.ok
        return result.stop.layer if result.stop.limit in ("script", "wall") else result.stop.limit
    if result.ok:
        return "value"
    return {"DeadlockError": "deadlock", "GuestCrash": "crash"}.get(result.error_type or "", "error")


def stopped(result: Result) -> tuple[str, str, str]:
    """Limit, layer and what became of the state, of a cell that must have been stopped."""
    assert not result.ok, result.value_text
    assert result.stop is not None, result.error
    return result.stop.limit, result.stop.layer, result.state


def unaskable(guest: Guest) -> str:
    """Code that no request to stop ends: only the end of the sandbox does."""
    return str(
        guest.pick(
            python="while True:\n  try:\n    while True: pass\n  except BaseException: pass",
            # One call of a built-in function, in which the engine does not look at its stop word.
            javascript="for (;;) 'a'.repeat(1e6).indexOf('a'.repeat(5e5) + 'b')",
        )
    )


def child(code: str, *arguments: str, timeout: float = 60) -> Any:
    """Runs Python code in a process of its own that must end well, and reads the JSON that it printed last."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, (done.returncode, done.stdout[-2000:], done.stderr[-4000:])
    return json.loads(done.stdout.splitlines()[-1])
