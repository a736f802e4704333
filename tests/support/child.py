"""Code in a Python process of its own: where a crash, a signal or a fork is part of the test."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT = 60


def environment(**changed: str | None) -> dict[str, str]:
    made = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
        **{k: v for k, v in changed.items() if v},
    }
    for name, value in changed.items():
        if value is None:
            made.pop(name, None)
    return made


def run_python(code: str, *arguments: str, check: bool = True, **env: str | None) -> subprocess.CompletedProcess[str]:
    """Runs code with warnings as errors; a crash or a failure of it fails the test with what it wrote."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(code), *arguments],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        env=environment(**env),
        cwd=ROOT,
    )
    if check:
        assert done.returncode == 0, f"exit status {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    return done
