"""The modules of the build are imported as the build itself imports them: from their folder."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "guest-runtimes" / "build"))
