"""docs/performance.md and its plots, of the figures of a run and of nothing else."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from .figures import Figures, mean_ratios, middle, quartiles, ratios
from .plots import Bar, bars, shown
from .programs import PROGRAMS

Rows = list[list[str]]
BARE = ("python", "python-same", "quickjs-native", "node")
NAMES = {"python": "Python", "javascript": "JavaScript"}
OURS = {"python": "wasmhost-python", "javascript": "wasmhost-javascript"}
NATIVES = {"python": ("python", "python-same"), "javascript": ("quickjs-native",)}


@dataclass(frozen=True)
class Goal:
    """A row of the table of goals. ``floor``: below the goal, and a result all the same; None: there is none.
    ``of``: the rounds' figures; ``measure``: where the best peer is looked for, ``times``: its unit against ours."""

    what: str
    unit: str
    goal: float
    floor: float | None
    of: Callable[[Figures], list[float]]
    best: Callable[[Figures], str]
    more_is_better: bool = False


def _against_bare(measure: str, language: str) -> Callable[[Figures], list[float]]:
    # The bare interpreter has no cache of its own, so its figure of ordinary starts stands for both.
    return lambda figures: ratios(figures.of(measure, OURS[language]), figures.of("cold", "python"))


def _times(measure: str, language: str, factor: float = 1.0) -> Callable[[Figures], list[float]]:
    return lambda figures: [one * factor for one in figures.of(measure, OURS[language])]


def _cpu(figures: Figures, peer: str, native: str, language: str) -> list[float]:
    names = [f"cpu {name}" for name in PROGRAMS[language]]
    return mean_ratios([(figures.of(name, peer), figures.of(name, native)) for name in names])


def _against_native(language: str) -> Callable[[Figures], list[float]]:
    def of(figures: Figures) -> list[float]:
        # Of several natives the fastest, so that no slow build of one flatters us.
        found = [_cpu(figures, OURS[language], native, language) for native in NATIVES[language]]
        return max((one for one in found if one), key=lambda one: middle(one) or 0.0, default=[])

    return of


def _of_json(measure: str, language: str) -> Callable[[Figures], list[float]]:
    return lambda figures: ratios(figures.of(measure, OURS[language]), figures.of(measure, "python"))


def _best(
    language: str, rows: Callable[[Figures, str], list[float]], unit: str, more: bool = False
) -> Callable[[Figures], str]:
    """The best peer with a boundary, of the same language."""

    def best(figures: Figures) -> str:
        found = []
        for peer in figures.peers:
            if peer["kind"] == "ours" or peer["id"] in BARE or peer["language"] != language:
                continue
            figure = middle(rows(figures, peer["id"]))
            if figure is not None:
                found.append((figure, peer["name"]))
        if not found:
            return "-"
        figure, name = (max if more else min)(found)
        return f"{_with_unit(figure, unit)} ({name})"

    return best


def _goals() -> list[Goal]:
    made = []
    for measure, title in (("cold", "whole process"), ("first", "whole process, first run ever")):
        for language, goal in (("javascript", 2.0), ("python", 2.5)):

            def over_bare(figures: Figures, peer: str, measure: str = measure) -> list[float]:
                return ratios(figures.of(measure, peer), figures.of("cold", "python"))

            what = f"{title}, {NAMES[language]}, against a bare python"
            best = _best(language, over_bare, "×")
            made.append(Goal(what, "×", goal, None, _against_bare(measure, language), best))
    plain: list[tuple[str, str, dict[str, float], float, str]] = [
        ("new sandbox to first result", "new", {"javascript": 0.1, "python": 0.5}, 1.0, "ms"),
        ("repeated cell", "repeat", {"javascript": 0.02, "python": 0.06}, 1.0, "ms"),
        ("call through the whole pipeline", "call", {"javascript": 12.0, "python": 20.0}, 1e3, "µs"),
        ("sandboxes a second, one thread", "rate", {"javascript": 9000.0, "python": 2000.0}, 1.0, "/s"),
    ]
    for title, measure, goals, factor, unit in plain:
        for language, goal in goals.items():

            def figure(figures: Figures, peer: str, measure: str = measure, factor: float = factor) -> list[float]:
                return [one * factor for one in figures.of(measure, peer)]

            more = measure == "rate"
            best = _best(language, figure, unit, more)
            what = f"{title}, {NAMES[language]}"
            made.append(Goal(what, unit, goal, None, _times(measure, language, factor), best, more))
    for language, what, goal, floor in (
        ("python", "CPython against native, nine programs, the meter on", 2.4, 2.9),
        ("javascript", "QuickJS against native QuickJS-NG, nine programs, the meter on", 1.6, 2.5),
    ):

        def mean(figures: Figures, peer: str, language: str = language) -> list[float]:
            return _cpu(figures, peer, NATIVES[language][0], language)

        made.append(Goal(what, "×", goal, floor, _against_native(language), _best(language, mean, "×")))
    for measure, title in (("takes", "from a guest to the host"), ("gives", "from the host to a guest")):
        for language in ("javascript", "python"):

            def over_json(figures: Figures, peer: str, measure: str = measure) -> list[float]:
                return ratios(figures.of(measure, peer), figures.of(measure, "python"))

            what = f"10 MB JSON value {title}, {NAMES[language]}, against `json.loads(json.dumps(x))`"
            best = _best(language, over_json, "×")
            made.append(Goal(what, "×", 2.0, 3.0, _of_json(measure, language), best))
    return made


def verdict(goal: Goal, figure: float | None) -> str:
    """What a figure is to a goal."""
    if figure is None:
        return "not measured"
    reached = figure >= goal.goal if goal.more_is_better else figure <= goal.goal
    if reached:
        return "goal"
    return "above the floor" if goal.floor is not None and figure <= goal.floor else "missed"


def _with_unit(figure: float, unit: str) -> str:
    return f"{shown(figure)}{unit}" if unit == "/s" else f"{shown(figure)} {unit}"


def _spread(row: list[float]) -> str:
    found = quartiles(row)
    return "" if found is None else f"{shown(found[0])} to {shown(found[1])}"


def _table(head: Sequence[str], rows: Rows) -> str:
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def _goal_table(figures: Figures) -> str:
    rows: Rows = []
    for goal in _goals():
        found = goal.of(figures)
        figure = middle(found)
        floor = "" if goal.floor is None else f" ({shown(goal.floor)})"
        rows.append(
            [
                goal.what,
                goal.best(figures),
                f"{_with_unit(goal.goal, goal.unit)}{floor}",
                "-" if figure is None else _with_unit(figure, goal.unit),
                _spread(found),
                verdict(goal, figure),
            ]
        )
    return _table(("what", "best peer here", "goal (floor)", "wasmhost", "middle half of the rounds", "reached"), rows)


@dataclass(frozen=True)
class _Section:
    measure: str
    title: str
    text: str
    unit: str
    factor: float = 1.0
    more: bool = False


SECTIONS = (
    _Section(
        "cold",
        "Whole process",
        "From the start of the process to the value of `1 + 1`, with warm caches; for native CPython and node the "
        "start of the bare interpreter, which is in the figures of all that run in it.",
        "ms",
    ),
    _Section(
        "first",
        "Whole process, first run ever",
        "The same with an empty home folder, so without what an earlier run has compiled. One that takes longer than "
        "3 s is measured once.",
        "ms",
    ),
    _Section("new", "New sandbox", "Made in a warm process, `1 + 1` in it, and freed.", "ms"),
    _Section("repeat", "Repeated cell", "`1 + 1` in a session that is there.", "ms"),
    _Section(
        "call",
        "Call of a host function",
        "A loop of 500 calls in the guest, of a function that gives back its argument. Ours go through the whole "
        "pipeline: schema, isolation, hooks, permission, record, check of the result.",
        "µs",
        1e3,
    ),
    _Section("hop", "The same, over a worker thread", "Ours alone, for functions that may block.", "µs", 1e3),
    _Section("rate", "Sandboxes a second", "Made, used once and freed in a loop on one thread.", "/s", 1.0, True),
    _Section(
        "takes",
        "10 MB from a guest to the host",
        "A table of 60,000 rows as the argument of a host function, to the host's own objects. For native CPython "
        "`json.loads(json.dumps(x))`.",
        "ms",
    ),
    _Section("gives", "10 MB from the host to a guest", "The same table as the result of a host function.", "ms"),
)
PLOTTED = ("cold", "first", "new", "repeat", "call", "rate")


def _named(figures: Figures, peer: str) -> str:
    return next(one["name"] for one in figures.peers if one["id"] == peer)


def _peers_of(figures: Figures, language: str) -> list[dict[str, str]]:
    return [peer for peer in figures.peers if peer["language"] == language and not peer["missing"]]


def _section(figures: Figures, section: _Section) -> str:
    rows: list[tuple[float, list[str]]] = []
    gaps: Rows = []
    for peer in figures.peers:
        row = [one * section.factor for one in figures.of(section.measure, peer["id"])]
        figure = middle(row)
        if figure is None:
            why = figures.gaps.get(section.measure, {}).get(peer["id"], "")
            # What a peer has no word for is no row; what failed is one.
            if why and not why.startswith("not there"):
                gaps.append([peer["name"], NAMES[peer["language"]], "-", why, "-"])
            continue
        ours = middle(
            ratios(figures.of(section.measure, peer["id"]), figures.of(section.measure, OURS[peer["language"]]))
        )
        cells = [
            peer["name"],
            NAMES[peer["language"]],
            shown(figure),
            _spread(row),
            "-" if ours is None else shown(ours),
        ]
        rows.append((-figure if section.more else figure, cells))
    head = ("", "guest", section.unit, "middle half of the rounds", "against ours")
    table = _table(head, [cells for _, cells in sorted(rows, key=lambda pair: pair[0])] + gaps)
    plot = f"\n\n![{section.title}](performance/{section.measure}.svg)" if section.measure in PLOTTED else ""
    return f"### {section.title}\n\n{section.text}\n\n{table}{plot}"


def _cpu_section(figures: Figures, language: str) -> str:
    programs = list(PROGRAMS[language])
    native = NATIVES[language][0]
    rows: Rows = []
    for peer in _peers_of(figures, language):
        row = [peer["name"]]
        for name in programs:
            found = middle(ratios(figures.of(f"cpu {name}", peer["id"]), figures.of(f"cpu {name}", native)))
            row.append("fails" if found is None else shown(found))
        mean = _cpu(figures, peer["id"], native, language)
        figure = middle(mean)
        row += ["-" if figure is None else f"**{shown(figure)}**", _spread(mean)]
        rows.append(row)
    table = _table(("", *programs, "geometric mean", "middle half"), rows)
    fails = [
        f"* {peer['name']}, {name}: {why}"
        for peer in _peers_of(figures, language)
        for name in programs
        if (why := figures.gaps.get(f"cpu {name}", {}).get(peer["id"]))
    ]
    listed = "\n\n" + "\n".join(fails) if fails else ""
    text = f"Times as long as {_named(figures, native)}, round by round; ours with the meter on, as always."
    return (
        f"### Nine programs, {NAMES[language]}\n\n{text}\n\n{table}{listed}\n\n"
        f"![Nine programs, {NAMES[language]}](performance/cpu-{language}.svg)"
    )


def _peer_table(figures: Figures) -> str:
    rows = [
        [
            peer["name"],
            NAMES[peer["language"]],
            peer["version"] or "-",
            peer["boundary"],
            " ".join(filter(None, (peer["missing"] and f"**Not measured:** {peer['missing']}.", peer["note"]))),
        ]
        for peer in figures.peers
    ]
    return _table(("", "guest", "version", "boundary", ""), rows)


def document(figures: Figures) -> str:
    """The text of docs/performance.md."""
    machine = figures.machine
    low, usual, high = machine["load"]
    busy = " Something else ran beside it, so only ratios of one round count." if usual > 1.5 * machine["cores"] else ""
    built = "" if machine["optimised"] else " The images were built without link-time optimisation (`WASMHOST_FAST=1`)."
    load = f"load {low} at least, {usual} as a rule, {high} at most"
    where = f"{machine['system']}, {machine['cores']} cores ({machine['cpu']})"
    with_ = f"Python {machine['python']}, wasmtime {machine['wasmtime']}, commit {machine['commit']}"
    return f"""\
# Performance

Written by `./build.sh bench peers`, of the figures in [performance/figures.json](performance/figures.json); nothing
here is typed by hand.

Every peer stands in an environment of its own, at the version of `bench/peers/pins.toml`, and runs the same programs
(`bench/peers/programs.py`). In each round each takes its turn at each measure, in an order that rotates, so that a
change of the machine's load hits all of them. A figure is the median of {machine["rounds"]} rounds, a ratio the median
of the ratios of each round. Ratios carry over to other machines; times do not.

{machine["date"]}, {machine["minutes"]} minutes, {where}, {with_}; {load}.{busy}{built}

## Goals

{_goal_table(figures)}

## Tables

{chr(10).join(_section(figures, section) + chr(10) for section in SECTIONS)}
{_cpu_section(figures, "python")}

{_cpu_section(figures, "javascript")}

## Who was measured

{_peer_table(figures)}
"""


def plots(figures: Figures) -> dict[str, str]:
    """File names and SVG texts."""
    made = {}
    for section in SECTIONS:
        rows = []
        for peer in figures.peers:
            row = [one * section.factor for one in figures.of(section.measure, peer["id"])]
            if row and section.measure in PLOTTED and not _is_none(section.measure, peer["id"]):
                rows.append(_bar(peer["name"], row, peer))
        if rows:
            rows.sort(key=lambda bar: bar.middle, reverse=section.more)
            unit = "" if section.unit == "/s" else section.unit
            made[f"{section.measure}.svg"] = bars(section.title, unit, rows)
    for language, natives in NATIVES.items():
        rows = []
        for peer in _peers_of(figures, language):
            row = _cpu(figures, peer["id"], natives[0], language)
            if row:
                rows.append(_bar(peer["name"], row, peer))
        if rows:
            rows.sort(key=lambda bar: bar.middle)
            title = f"Nine programs, {NAMES[language]}: geometric mean against {_named(figures, natives[0])}"
            made[f"cpu-{language}.svg"] = bars(title, "×", rows)
    return made


def _is_none(measure: str, peer: str) -> bool:
    """Whether what a bare interpreter does there is nothing that a sandbox could be compared with."""
    return peer in BARE and measure not in ("cold", "first")


def _bar(name: str, row: list[float], peer: dict[str, str]) -> Bar:
    found = quartiles(row)
    figure = middle(row)
    assert found is not None
    assert figure is not None
    kind = "ours" if peer["kind"] == "ours" else "native" if peer["id"] in BARE else "peer"
    return Bar(name, figure, found[0], found[1], kind)


def write(figures: Figures, docs: Path) -> list[Path]:
    """Writes the document, its plots and the figures; gives the files."""
    folder = docs / "performance"
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.svg"):
        old.unlink()
    files = [docs / "performance.md", folder / "figures.json"]
    files[0].write_text(document(figures), encoding="utf-8")
    figures.save(files[1])
    for name, text in plots(figures).items():
        (folder / name).write_text(text, encoding="utf-8")
        files.append(folder / name)
    return files
