"""The contract that every runtime keeps, for annotations and ``isinstance`` (row A1). A module of its own:
``typing`` is slow to import."""

from typing import Protocol, runtime_checkable

from .results import RuntimeFailure, RuntimeSuccess


@runtime_checkable
class CodeRuntime(Protocol):
    """Runs cells of one language. The language is a property of the runtime, never an argument."""

    async def execute(self, code: str) -> RuntimeSuccess | RuntimeFailure:
        """Runs one cell. Whatever its code does is a result; only misuse raises."""
        ...

    async def reset(self) -> None:
        """Drops the state of the session and frees what it held."""
        ...
