"""What a pack is: some capabilities that belong together, and what a model is told of them."""

from collections.abc import Iterable, Iterator

from ..capabilities.capability import Capability


class Pack:
    """Capabilities that belong together. Immutable; may be given to any number of sessions, beside capabilities and
    other packs."""

    def __init__(self, name: str, capabilities: Iterable[Capability], guide: Iterable[str] = ()) -> None:
        """
        Args:
            name: of the pack, for messages and settings.
            capabilities: what it holds.
            guide: lines for the model, beyond the descriptions of the capabilities: what there is and is not.
        """
        self.name: str = name
        self.capabilities: tuple[Capability, ...] = tuple(capabilities)
        self.guide: tuple[str, ...] = tuple(guide)

    def __iter__(self) -> Iterator[Capability]:
        return iter(self.capabilities)

    def __repr__(self) -> str:
        return f"Pack({self.name!r}: {', '.join(one.name for one in self.capabilities)})"
