"""The wheel as a user meets it: installed in an empty environment, then the first run ever."""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

from .measure import Row, interleaved, median_ratio, print_table

ROOT = Path(__file__).resolve().parents[1]
INSTALLS = 3
ROUNDS = 15
MUST = 2.5


def _build(folder: Path) -> Path:
    words = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(words, cwd=ROOT, check=True, capture_output=True)
    (made,) = folder.iterdir()
    return made


def _install(wheel: Path, folder: Path) -> Path:
    """Installs it without the network, from the build's cache, and returns the environment's Python."""
    sys.path.insert(0, str(ROOT / "guest-runtimes" / "build"))
    import plan
    from registries import pip_command

    venv.create(folder, with_pip=False, symlinks=os.name != "nt")
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    command, env = pip_command()
    env = {
        **env,
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(plan.cache_folder() / "wheels"),
    }
    subprocess.run([*command, "--python", str(python), "install", "--quiet", str(wheel)], env=env, check=True)
    return python


def _milliseconds(words: list[str], env: dict[str, str]) -> float:
    started = time.perf_counter()
    subprocess.run(words, env=env, check=True, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - started) * 1e3


def main() -> int:
    first: dict[str, list[float]] = {"javascript": [], "python": []}
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        (base / "dist").mkdir()
        (base / "home").mkdir()
        wheel = _build(base / "dist")
        env = {"HOME": str(base / "home"), "PATH": str(base / "home")}
        for turn in range(INSTALLS):
            python = _install(wheel, base / f"environment{turn}")
            script = str(python.parent / "wasmhost")
            floor = statistics.median(_milliseconds([str(python), "-c", "pass"], env) for _ in range(5))
            # Either language once as the very first: what comes second finds wasmhost's own files in memory.
            for language in sorted(first, reverse=turn % 2 == 1):
                first[language].append(_milliseconds([script, "run", "-l", language, "-c", "1+1"], env) / floor)
            if turn < INSTALLS - 1:
                shutil.rmtree(base / f"environment{turn}")
        commands = {language: [script, "run", "-l", language, "-c", "1+1"] for language in first}
        times = interleaved({"floor": [str(python), "-c", "pass"], **commands}, ROUNDS, env)
        rows = [Row("size of the wheel", wheel.stat().st_size / 1e6, "MB", 100)]
        for language, ratios in first.items():
            shown = ", ".join(f"{ratio:.2f}" for ratio in ratios)
            what = f"{language}: first run after the installation, median of {INSTALLS}"
            rows.append(Row(what, statistics.median(ratios), "x", MUST, shown))
            detail = f"{statistics.median(times[language]):.1f} ms against {statistics.median(times['floor']):.1f} ms"
            rows.append(
                Row(f"{language}: later runs", median_ratio(times[language], times["floor"]), "x", MUST, detail)
            )
    return print_table("the installed wheel against python -c pass", rows)
