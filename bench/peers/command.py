"""./build.sh bench peers [--rounds N] [--only ID,ID...] [--into FOLDER] [--report]"""

import argparse
from pathlib import Path

from .environments import read_pins
from .figures import Figures
from .measuring import run
from .report import write

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="./build.sh bench peers", description="Ours beside everyone else's.")
    parser.add_argument("--rounds", type=int, default=15, help="how often each peer has its turn (15)")
    parser.add_argument(
        "--only", default="", help="ids of pins.toml with commas between; wasmhost and native ones stay"
    )
    parser.add_argument("--into", type=Path, default=DOCS, help="folder of performance.md (docs)")
    parser.add_argument("--report", action="store_true", help="only write the document anew, of the figures there")
    given = parser.parse_args(arguments)
    if given.report:
        figures = Figures.load(given.into / "performance" / "figures.json")
    else:
        peers = read_pins()
        only = set(filter(None, given.only.split(",")))
        unknown = only - {peer.id for peer in peers}
        if unknown or given.rounds < 1:
            parser.error(f"there are: {', '.join(peer.id for peer in peers)}; and at least one round")
        if only:
            peers = [
                peer for peer in peers if peer.id in only or peer.kind == "ours" or peer.boundary.startswith("none")
            ]
        figures = run(peers, given.rounds, lambda text: print(text, flush=True))
    given.into.mkdir(parents=True, exist_ok=True)
    for path in write(figures, given.into):
        print(path)
    return 0
