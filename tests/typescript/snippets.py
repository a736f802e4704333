"""Snippets of TypeScript: each file of ``snippets/`` holds many, each below a line ``//# title``."""

from pathlib import Path

HERE = Path(__file__).parent
EXPECTED = HERE / "expected.json"
MARK = "//# "


def snippets() -> dict[str, str]:
    """Source by ``file: title``."""
    found: dict[str, str] = {}
    for path in sorted((HERE / "snippets").glob("*.ts")):
        for part in path.read_text(encoding="utf-8").split(f"\n{MARK}"):
            title, _, source = part.removeprefix(MARK).partition("\n")
            name = f"{path.stem}: {title}"
            if name in found:
                raise ValueError(f"two snippets are called {name!r}")
            found[name] = source.rstrip("\n")
    return found
