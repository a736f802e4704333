"""Helpers: short forms that live in the guest, and what a model is told of them. One table for all that name them."""

from collections.abc import Container, Iterable


class Helper:
    """A short form. Immutable.

    Args:
        name: as code writes it.
        line: how it is called and what it does, in one line, in the guest's language.
        needs: names of the capabilities without which it is not installed.
    """

    __slots__ = ("line", "name", "needs")

    def __init__(self, name: str, line: str, needs: Iterable[str] = ()) -> None:
        self.name: str = name
        self.line: str = line
        self.needs: tuple[str, ...] = tuple(needs)

    def __repr__(self) -> str:
        return f"Helper({self.name!r})"


def installed(helpers: Iterable[Helper], offered: Container[str]) -> list[Helper]:
    """Those whose capabilities are there."""
    return [one for one in helpers if all(name in offered for name in one.needs)]
