"""What a run has measured, as it is kept beside the document, and what is computed of it."""

import json
import math
import statistics
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Samples = dict[str, dict[str, list[float]]]


@dataclass
class Figures:
    """``samples`` and ``gaps``: by measure, then by peer; what was measured in one round stands at the same place of
    each list (NaN: nothing). Milliseconds, or sandboxes a second for ``rate``."""

    machine: dict[str, Any] = field(default_factory=dict)
    peers: list[dict[str, str]] = field(default_factory=list)
    samples: Samples = field(default_factory=dict)
    gaps: dict[str, dict[str, str]] = field(default_factory=dict)

    def add(self, measure: str, peer: str, turn: int, samples: list[float]) -> None:
        """The median of what one round gave."""
        row = self.samples.setdefault(measure, {}).setdefault(peer, [])
        row += [math.nan] * (turn - len(row))
        row.append(float(f"{statistics.median(samples):.4g}"))

    def gap(self, measure: str, peer: str, why: str) -> None:
        self.gaps.setdefault(measure, {}).setdefault(peer, why)

    def of(self, measure: str, peer: str) -> list[float]:
        return self.samples.get(measure, {}).get(peer, [])

    def median(self, measure: str, peer: str) -> float | None:
        return middle(self.of(measure, peer))

    def save(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        clean = {
            measure: {peer: [None if math.isnan(one) else one for one in row] for peer, row in rows.items()}
            for measure, rows in self.samples.items()
        }
        data = {"machine": self.machine, "peers": self.peers, "samples": clean, "gaps": self.gaps}
        lines = json.dumps(data, indent=1)
        path.write_text(_joined(lines) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> "Figures":
        data = json.loads(path.read_text(encoding="utf-8"))
        samples = {
            measure: {peer: [math.nan if one is None else one for one in row] for peer, row in rows.items()}
            for measure, rows in data["samples"].items()
        }
        return cls(data["machine"], data["peers"], samples, data["gaps"])


def _joined(text: str) -> str:
    """JSON with each list of numbers in one line."""
    made: list[str] = []
    inside = False
    for line in text.splitlines():
        if inside:
            made[-1] += line.strip() + ("" if line.strip() in ("]", "],") or not line.endswith(",") else " ")
            inside = line.strip() not in ("]", "],")
        else:
            made.append(line)
            inside = line.endswith("[") and '"peers"' not in line
    return "\n".join(made)


def middle(row: list[float]) -> float | None:
    there = [one for one in row if not math.isnan(one)]
    return statistics.median(there) if there else None


def quartiles(row: list[float]) -> tuple[float, float] | None:
    """The first and the third quartile; of one figure, that figure twice."""
    there = sorted(one for one in row if not math.isnan(one))
    if not there:
        return None
    if len(there) == 1:
        return there[0], there[0]
    low, _, high = statistics.quantiles(there, n=4, method="inclusive")
    return low, high


def ratios(above: list[float], below: list[float]) -> list[float]:
    """Round by round, so that a change of the machine's load hits both sides of each."""
    return [a / b for a, b in zip(above, below, strict=False) if not math.isnan(a) and not math.isnan(b)]


def mean_ratios(rows: list[tuple[list[float], list[float]]]) -> list[float]:
    """Geometric means over several programs, round by round."""
    found = [ratios(above, below) for above, below in rows]
    if not found or not all(found):
        return []
    return [statistics.geometric_mean(one) for one in zip(*found, strict=False)]
