"""Packages for tests that no guest has, by their pins."""

import subprocess
import sys
from pathlib import Path

import pytest

from .child import ROOT

TIMEOUT = 100


def fetched(folder: Path, *names: str) -> None:
    """Unpacks pins into folders of their names; skips the test where they can be neither found nor fetched."""
    code = (
        "import sys; from pathlib import Path; import plan; from fetch import Fetcher; from report import Reporter\n"
        "from unpack import extract\n"
        "fetcher = Fetcher(plan.cache_folder(), Reporter())\n"
        "for name in sys.argv[2:]:\n"
        "    extract(fetcher.verified(fetcher.get([name])[name]), Path(sys.argv[1]) / name)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder), *names],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        cwd=ROOT / "guest-runtimes" / "build",
        check=False,
    )
    if done.returncode:
        pytest.skip(f"{', '.join(names)} cannot be fetched: {done.stderr[-500:]}")
