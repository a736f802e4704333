import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
COLUMNS = "median,iqr,min,ops,rounds"


def main(arguments: list[str]) -> int:
    words = [sys.executable, "-m", "pytest", "bench/timed", "-p", "no:cacheprovider", "--timeout=600", "-q"]
    own = [f"--benchmark-columns={COLUMNS}", "--benchmark-sort=name", "--benchmark-group-by=group"]
    return subprocess.run([*words, *own, *arguments], cwd=ROOT, check=False).returncode
