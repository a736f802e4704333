"""The three ways to run a cell, behind one interface, so that a test says once what must be true of all of them."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import anyio

from wasmhost import RuntimeFailure, RuntimeSuccess
from wasmhost.session.session import Session

T = TypeVar("T")


class Driver:
    name: str

    def run(self, session: Session, code: str, **options: Any) -> RuntimeSuccess | RuntimeFailure:
        raise NotImplementedError

    def resume(self, session: Session, **options: Any) -> RuntimeSuccess | RuntimeFailure:
        raise NotImplementedError

    def reset(self, session: Session) -> None:
        raise NotImplementedError

    def close(self, session: Session) -> None:
        raise NotImplementedError

    def value(self, session: Session, code: str, **options: Any) -> Any:
        """The value of a cell that must end well."""
        result = self.run(session, code, **options)
        assert result.ok, result.error
        return result.value


class Blocking(Driver):
    name = "blocking"

    def run(self, session: Session, code: str, **options: Any) -> RuntimeSuccess | RuntimeFailure:
        return session.run(code, **options)

    def resume(self, session: Session, **options: Any) -> RuntimeSuccess | RuntimeFailure:
        return session.resume_blocking(**options)

    def reset(self, session: Session) -> None:
        session.reset_blocking()

    def close(self, session: Session) -> None:
        session.close()


class Async(Driver):
    """An event loop for each call: a session belongs to none."""

    def __init__(self, backend: str) -> None:
        self.name = self.backend = backend

    def _run(self, function: Callable[[], Awaitable[T]]) -> T:
        return anyio.run(function, backend=self.backend)

    def run(self, session: Session, code: str, **options: Any) -> RuntimeSuccess | RuntimeFailure:
        return self._run(lambda: session.execute(code, **options))

    def resume(self, session: Session, **options: Any) -> RuntimeSuccess | RuntimeFailure:
        return self._run(lambda: session.resume(**options))

    def reset(self, session: Session) -> None:
        self._run(session.reset)

    def close(self, session: Session) -> None:
        self._run(session.aclose)


DRIVERS: dict[str, Driver] = {"blocking": Blocking(), "asyncio": Async("asyncio"), "trio": Async("trio")}
BACKENDS = ("asyncio", "trio")
