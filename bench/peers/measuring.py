"""One run over all peers: in each round every peer gets its turn at every measure before the next round begins."""

import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from .children import Child, NoAnswer, whole_process
from .environments import Environment, Peer, Unavailable, prepare
from .figures import Figures
from .programs import PROGRAMS

FLOORS = {"python": "native CPython", "node": "node"}
ANSWER_SECONDS = 60.0
# What a first run may take that compiles hundreds of megabytes.
FIRST_SECONDS = 600.0
# A first run that takes longer is measured once, not in each of the rounds.
SLOW_FIRST_MS = 3_000.0
FIRST_ROUNDS = 5
VALUE_ROUNDS = 5
# What a batch is to take, whatever the peer.
BATCH_MS = 60.0
RATE_SECONDS = 0.4

Say = Callable[[str], None]


@dataclass
class _Runner:
    peer: Peer
    environment: Environment
    child: Child
    first: int = 0

    @property
    def arguments(self) -> tuple[str, ...]:
        return (self.peer.language,) if self.peer.kind == "ours" else ()

    def cold_words(self) -> list[str]:
        """What a user starts, to evaluate 1 + 1; of the bare interpreters, what is below all of them."""
        if self.peer.kind == "ours":
            script = os.path.join(os.path.dirname(sys.executable), "wasmhost")
            return [script, "run", "-l", self.peer.language, "-c", "1 + 1"]
        if self.peer.driver.startswith("native_"):
            program = self.environment.command[0]
            return [program, "-e", "0"] if program == "node" else [program, "-c", "pass"]
        return [*self.environment.command, "cold"]


def run(peers: list[Peer], rounds: int, say: Say) -> Figures:
    """Installs what is missing and measures. Needs nothing else to run on the machine to give quiet figures, and says
    what load there was."""
    figures = Figures()
    runners = []
    for peer in peers:
        try:
            environment = prepare(peer)
        except Unavailable as error:
            say(f"  {peer.name}: {error}")
            figures.peers.append(_described(peer, "", str(error)))
            continue
        figures.peers.append(_described(peer, environment.version, ""))
        arguments = (peer.language,) if peer.kind == "ours" else ()
        runners.append(_Runner(peer, environment, Child(environment, arguments)))
    loads: list[float] = []
    started = time.time()
    try:
        for turn in range(-1, rounds):  # the first round warms caches and pools, and is not kept
            # Nobody is always behind the same other.
            at = max(turn, 0) % max(1, len(runners))
            order = runners[at:] + runners[:at]
            loads.append(os.getloadavg()[0])
            _round(figures, order, turn, say)
            say(f"  round {turn + 1} of {rounds}, load {loads[-1]:.1f}")
    finally:
        for runner in runners:
            runner.child.close()
    figures.machine = _machine(rounds, loads, started)
    return figures


def _described(peer: Peer, version: str, missing: str) -> dict[str, str]:
    return {
        "id": peer.id,
        "name": peer.name,
        "language": peer.language,
        "kind": peer.kind,
        "version": version,
        "boundary": peer.boundary,
        "note": peer.note,
        "missing": missing,
    }


def _round(figures: Figures, order: list[_Runner], turn: int, say: Say) -> None:
    for runner in order:
        _cold(figures, runner, turn)
    if -1 < turn < FIRST_ROUNDS:
        for runner in order:
            _first(figures, runner, turn)
    for runner in order:
        _ask(figures, runner, turn, "new", {"do": "new"})
    for runner in order:
        _ask(figures, runner, turn, "repeat", {"do": "repeat"})
    for runner in order:
        _ask(figures, runner, turn, "call", {"do": "call", "kind": "inline"})
        if runner.peer.kind == "ours":
            _ask(figures, runner, turn, "hop", {"do": "call", "kind": "hop"})
    for runner in order:
        _ask(figures, runner, turn, "rate", {"do": "rate", "seconds": RATE_SECONDS})
    for language, programs in PROGRAMS.items():
        for name, program in programs.items():
            request = {"do": "cpu", "code": program.code, "value": program.value, "answer": program.answer}
            for runner in order:
                if runner.peer.language == language:
                    _ask(figures, runner, turn, f"cpu {name}", request)
    if turn < VALUE_ROUNDS:
        for what in ("gives", "takes"):
            for runner in order:
                _ask(figures, runner, turn, what, {"do": what})


def _cold(figures: Figures, runner: _Runner, turn: int) -> None:
    if "cold" in figures.gaps and runner.peer.id in figures.gaps["cold"]:
        return
    variables = runner.environment.variables()
    # The first one may have to compile.
    seconds = FIRST_SECONDS if turn < 0 else ANSWER_SECONDS
    started = time.perf_counter()
    try:
        whole_process(runner.cold_words(), runner.environment.folder, variables, seconds)
    except NoAnswer as error:
        figures.gap("cold", runner.peer.id, str(error))
        return
    if turn >= 0:
        figures.add("cold", runner.peer.id, turn, [(time.perf_counter() - started) * 1e3])


def _first(figures: Figures, runner: _Runner, turn: int) -> None:
    """A whole process that finds no cache of its own."""
    done = figures.of("first", runner.peer.id)
    if "first" in figures.gaps and runner.peer.id in figures.gaps["first"]:
        return
    if done and statistics.median(done) > SLOW_FIRST_MS:
        return
    environment = runner.environment
    with tempfile.TemporaryDirectory() as empty:
        folder = environment.folder
        if runner.peer.task:  # its cache is in the folder that it works in
            folder = Path(empty) / "work"
            folder.mkdir()
            for file in environment.folder.glob("*.wasm"):
                shutil.copy(file, folder)
        home = Path(empty) / "home"
        home.mkdir()
        started = time.perf_counter()
        try:
            whole_process(runner.cold_words(), folder, environment.variables(home), FIRST_SECONDS)
        except NoAnswer as error:
            figures.gap("first", runner.peer.id, str(error))
            return
        figures.add("first", runner.peer.id, turn, [(time.perf_counter() - started) * 1e3])


def _ask(figures: Figures, runner: _Runner, turn: int, measure: str, request: dict[str, Any]) -> None:
    peer = runner.peer.id
    if peer in figures.gaps.get(measure, {}):
        return
    if request["do"] in ("new", "repeat"):
        last = figures.of(measure, peer)
        most = 200 if request["do"] == "repeat" else 50
        request = {**request, "n": 3 if not last else max(3, min(most, int(BATCH_MS / max(last[-1], 1e-3))))}
    try:
        # Its first answer may have to wait for a compiler.
        samples = runner.child.ask(request, FIRST_SECONDS if turn < 0 and measure == "new" else ANSWER_SECONDS)
    except NoAnswer as error:
        figures.gap(measure, peer, "not there: " + str(error).partition(": ")[2] if error.lacks else str(error))
        return
    if turn >= 0:
        figures.add(measure, peer, turn, samples)


def _machine(rounds: int, loads: list[float], started: float) -> dict[str, Any]:
    root = Path(__file__).resolve().parent.parent.parent
    words = ["git", "-C", str(root), "describe", "--always", "--dirty", "--exclude=*"]
    told = subprocess.run(words, capture_output=True, text=True, check=False)
    return {
        "date": time.strftime("%Y-%m-%d", time.gmtime(started)),
        "minutes": round((time.time() - started) / 60),
        "rounds": rounds,
        "cores": os.cpu_count(),
        "cpu": _cpu_name(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "wasmtime": version("wasmtime"),
        "commit": told.stdout.strip(),
        "optimised": os.environ.get("WASMHOST_FAST") != "1",
        "load": [round(min(loads), 1), round(statistics.median(loads), 1), round(max(loads), 1)],
    }


def _cpu_name() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"
