"""A capability: one host function that guests may be given, with all that the pipeline needs to know of it."""

import inspect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar, overload

from ..errors import CapabilityDefinitionError
from .hooks import is_async
from .schema import Parameters, Result, of_function, of_json_schema

F = TypeVar("F", bound=Callable[..., Any])

MAX_NAME = 200
_NAME_CHARS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:")

# B13: ceil(native * 1.5) + 5,000 ms.
_WATCHDOG_FACTOR, _WATCHDOG_EXTRA_MS = 1.5, 5_000


class Capability:
    """One host function with its schemas and options; made by :func:`capability`, :meth:`of` or
    :meth:`from_json_schema`. Immutable, and may be given to any number of sessions."""

    def __init__(
        self,
        function: Callable[..., Any],
        name: str,
        description: str,
        parameters: Parameters,
        result: Result,
        *,
        isolation: str | Iterable[str] = (),
        timeout: float | None = None,
        concurrency: int | None = None,
        read_only: bool = False,
        idempotent: bool = False,
        inline: bool = False,
        exclusive: bool = False,
    ) -> None:
        if not name or len(name) > MAX_NAME or not _NAME_CHARS.issuperset(name) or ".." in f".{name}.":
            raise CapabilityDefinitionError(
                f"{name!r} is no name for a capability: letters, digits, _ - / : and dots between parts, at most "
                f"{MAX_NAME} characters"
            )
        if timeout is not None and not (math.isfinite(timeout) and timeout > 0):
            raise CapabilityDefinitionError(
                f"capability {name!r}: timeout is a number of seconds above 0, not {timeout!r}"
            )
        if concurrency is not None and (isinstance(concurrency, bool) or concurrency < 1):
            raise CapabilityDefinitionError(f"capability {name!r}: concurrency is a number from 1, not {concurrency!r}")
        self.is_async: bool = is_async(function)
        if inline and (self.is_async or concurrency is not None or timeout is not None or exclusive):
            raise CapabilityDefinitionError(
                f"capability {name!r}: an inline one is a plain function that returns at once; it has no timeout, "
                "concurrency or exclusive"
            )
        self.function: Callable[..., Any] = function
        self.name: str = name
        self.description: str = description
        self.parameters: Parameters = parameters
        self.result: Result = result
        self.isolation: tuple[str, ...] = (isolation,) if isinstance(isolation, str) else tuple(isolation)
        self.timeout: float | None = timeout
        self.concurrency: int | None = concurrency
        self.read_only: bool = read_only
        self.idempotent: bool = idempotent
        self.inline: bool = inline
        self.exclusive: bool = exclusive
        # A tool that a guest registered: its handler runs there.
        self.in_guest: bool = False
        self.definition: dict[str, Any] = {}

    @property
    def watchdog_ms(self) -> int | None:
        """Milliseconds after which a call is abandoned (row B13); None without a native timeout."""
        if self.timeout is None:
            return None
        return math.ceil(self.timeout * 1000 * _WATCHDOG_FACTOR) + _WATCHDOG_EXTRA_MS

    @property
    def input_schema(self) -> dict[str, Any]:
        """JSON schema of the arguments."""
        return self.parameters.json_schema

    @property
    def output_schema(self) -> dict[str, Any]:
        """JSON schema of the result; empty where nothing is promised."""
        return self.result.json_schema

    @classmethod
    def of(cls, function: "Capability | Callable[..., Any]", **options: Any) -> "Capability":
        """A capability from a function as it is, or what :func:`capability` has made of it.

        Raises:
            CapabilityDefinitionError: not a function, or one whose parameters cannot cross.
        """
        if isinstance(function, Capability):
            return function
        made = getattr(function, "__wasmhost_capability__", None)
        if isinstance(made, Capability) and not options:
            return made
        if not callable(function):
            raise CapabilityDefinitionError(f"a capability is a function, not {type(function).__name__}")
        name = options.pop("name", None) or getattr(function, "__name__", "")
        if not name or name == "<lambda>":
            raise CapabilityDefinitionError("a capability needs a name: use a def, or capability(name=...)")
        description = options.pop("description", None)
        if description is None:
            description = inspect.getdoc(function) or ""
        parameters, result = of_function(function, name)
        return cls(function, name, description, parameters, result, **options)

    @classmethod
    def from_json_schema(
        cls,
        name: str,
        function: Callable[..., Any],
        input_schema: Mapping[str, Any],
        *,
        description: str = "",
        output_schema: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> "Capability":
        """A capability whose arguments a JSON schema describes, for tools that come from elsewhere. ``function`` is
        called with the arguments by name. Keywords of the schema that are not checked here are in
        ``parameters.unchecked``.

        Raises:
            CapabilityDefinitionError: the schema is not one of an object, too large, or damaged.
        """
        parameters = of_json_schema(input_schema, name)
        return cls(function, name, description, parameters, Result.of_json_schema(output_schema, name), **options)

    def __repr__(self) -> str:
        return f"Capability({self.name!r})"


@overload
def capability(function: F, /) -> F: ...
@overload
def capability(
    function: None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    isolation: str | Sequence[str] = (),
    timeout: float | None = None,
    concurrency: int | None = None,
    read_only: bool = False,
    idempotent: bool = False,
    inline: bool = False,
    exclusive: bool = False,
) -> Callable[[F], F]: ...
def capability(function: Any = None, /, **options: Any) -> Any:
    """Marks a function as a capability; it stays an ordinary function. The signature, read by pydantic, is the
    schema, the docstring the description.

    Args:
        name: by default the function's; dots make namespaces in the guest (``fs.read``).
        description: by default the docstring.
        isolation: class or classes for the isolation latch (:class:`~wasmhost.capabilities.isolation.Isolation`).
        timeout: seconds that the function is known to need at most. An async one is cancelled then; one that does not
            end is abandoned after ``ceil(timeout * 1.5) + 5`` seconds (row B13).
        concurrency: how many calls of one session may run at a time; the others wait.
        read_only: changes nothing, so the default policy allows it.
        idempotent: may be made again after a restore.
        inline: runs in the guest's thread: for plain functions that always return at once.
        exclusive: never beside another call of the session.

    Raises:
        CapabilityDefinitionError: a parameter or option that does not fit; the text says which.
    """

    def mark(target: Any) -> Any:
        made = Capability.of(target, **options)
        target.__wasmhost_capability__ = made
        return target

    return mark if function is None else mark(function)
