"""The build's modules are imported as the build itself imports them: from their folder."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "guest-runtimes" / "build"))
