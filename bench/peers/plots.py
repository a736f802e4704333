"""Bars on a logarithmic axis, as SVG: one for each peer, with the middle half of its rounds as a line over its end."""

import math
from dataclasses import dataclass
from xml.sax.saxutils import escape

WIDTH, LEFT, RIGHT, BAR, GAP, TOP = 860, 220, 110, 16, 8, 44
OURS, THEIRS, BARE = "#2c6fbb", "#9aa5b1", "#d9d9d9"
INK, LINES = "#24292f", "#d0d7de"


@dataclass(frozen=True)
class Bar:
    """``kind``: ours, native or a peer's."""

    name: str
    middle: float
    low: float
    high: float
    kind: str


def bars(title: str, unit: str, rows: list[Bar]) -> str:
    """A whole SVG document. The rows are drawn in the order that they have."""
    least = min(min(row.low, row.middle) for row in rows)
    most = max(max(row.high, row.middle) for row in rows)
    # One decade at least, and room for the figure behind the longest bar.
    start = math.floor(math.log10(least) - 0.15)
    end = max(start + 1, math.ceil(math.log10(most)))
    height = TOP + len(rows) * (BAR + GAP) + 34
    scale = (WIDTH - LEFT - RIGHT) / (end - start)

    def x(value: float) -> float:
        return LEFT + (math.log10(max(value, 10.0**start)) - start) * scale

    bottom = TOP + len(rows) * (BAR + GAP)
    made = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'font-family="sans-serif" font-size="12" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="12" y="22" font-size="15" fill="{INK}">{escape(title)}</text>',
    ]
    for power in range(start, end + 1):
        at = x(10.0**power)
        made.append(f'<line x1="{at:.1f}" y1="{TOP - 8}" x2="{at:.1f}" y2="{bottom}" stroke="{LINES}"/>')
        label = f"{10.0**power:g} {unit}"
        made.append(f'<text x="{at:.1f}" y="{bottom + 18}" text-anchor="middle" fill="{INK}">{escape(label)}</text>')
    for index, row in enumerate(rows):
        y = TOP + index * (BAR + GAP)
        colour = {"ours": OURS, "native": BARE}.get(row.kind, THEIRS)
        middle = y + BAR / 2
        made += [
            f'<text x="{LEFT - 8}" y="{y + 12}" text-anchor="end" fill="{INK}">{escape(row.name)}</text>',
            f'<rect x="{LEFT}" y="{y}" width="{max(1.0, x(row.middle) - LEFT):.1f}" height="{BAR}" fill="{colour}"/>',
            f'<line x1="{x(row.low):.1f}" y1="{middle}" x2="{x(row.high):.1f}" y2="{middle}" stroke="{INK}"/>',
            f'<text x="{max(x(row.high), x(row.middle)) + 6:.1f}" y="{y + 12}" fill="{INK}">{shown(row.middle)}</text>',
        ]
    made.append("</svg>")
    return "\n".join(made) + "\n"


def shown(value: float) -> str:
    """Three significant digits, without an exponent."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
