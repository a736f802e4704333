"""Attacks as plain files: what a hostile cell does, and in the head of the file how it may end.

    # mechanism: loop around Exception      in JavaScript with //
    # kind: endless                         what the attack is after: endless, memory, deep, end
    # ends: soft                            one or more of the endings below

Endings: ``value`` and ``error`` (the cell ended by itself), ``soft`` and ``hard`` (script time), ``memory`` and
``stack`` (those limits, which end the sandbox), ``crash`` (a trap or an exit, which end it too), ``deadlock``.
"""

from pathlib import Path

HERE = Path(__file__).resolve().parent
MATRIX = HERE / "MATRIX.md"
KINDS = {
    "endless": "It runs for ever, wherever the language runs code.",
    "memory": "It takes memory until there is none.",
    "deep": "It recurses, in its own code or in that of the interpreter.",
    "end": "It ends, aborts, waits for what never comes, or reaches for what is outside.",
}
ENDINGS = ("value", "error", "soft", "hard", "memory", "stack", "crash", "deadlock")
GUESTS = {"python": (".py", "# "), "javascript": (".js", "// ")}


class Case:
    """One attack."""

    def __init__(self, path: Path) -> None:
        self.path: Path = path
        self.guest: str = path.parent.name
        mark = GUESTS[self.guest][1]
        head, _, self.source = path.read_text(encoding="utf-8").partition("\n\n")
        said = {}
        for line in head.splitlines():
            if not line.startswith(mark) or ": " not in line:
                raise ValueError(f"{path}: {line!r} is no line of a head")
            key, _, value = line.removeprefix(mark).partition(": ")
            said[key] = value
        if said.keys() != {"mechanism", "kind", "ends"}:
            raise ValueError(f"{path}: the head has mechanism, kind, ends, and not {', '.join(said)}")
        self.mechanism: str = said["mechanism"]
        self.kind: str = said["kind"]
        self.ends: frozenset[str] = frozenset(said["ends"].split())
        if self.kind not in KINDS or not self.ends <= set(ENDINGS) or not self.ends or not self.source.strip():
            raise ValueError(f"{path}: no such kind or ending, or nothing to run")

    @property
    def name(self) -> str:
        """For reports."""
        return f"{self.guest}/{self.path.stem}"


def cases() -> list[Case]:
    """All of them, in order."""
    return [Case(path) for guest, (suffix, _) in GUESTS.items() for path in sorted((HERE / guest).glob(f"*{suffix}"))]


def matrix() -> str:
    """The table of all attacks, as Markdown."""
    every = cases()
    lines = [
        "# Attacks by mechanism, guest and expected end",
        "",
        "Made by `scripts/escapes` from the heads of the files beside it; do not edit. An empty cell: no such attack "
        "in that language.",
        "",
        "| | Python | JavaScript |",
        "|---|---|---|",
    ]
    for kind in KINDS:
        counts = [sum(case.kind == kind and case.guest == guest for case in every) for guest in GUESTS]
        lines.append(f"| {kind} | {counts[0]} | {counts[1]} |")
    for kind, what in KINDS.items():
        lines += ["", f"## {kind}", "", what, "", "| mechanism | Python | JavaScript |", "|---|---|---|"]
        rows: dict[str, dict[str, str]] = {}
        for case in every:
            if case.kind == kind:
                ends = ", ".join(end for end in ENDINGS if end in case.ends)
                rows.setdefault(case.mechanism, {})[case.guest] = ends
        for mechanism in sorted(rows, key=str.lower):
            shown = mechanism.replace("|", "\\|")
            lines.append(f"| {shown} | {' | '.join(rows[mechanism].get(guest, '') for guest in GUESTS)} |")
    return "\n".join(lines) + "\n"
