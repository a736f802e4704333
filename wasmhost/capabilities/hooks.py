"""Hooks: functions of the host program before and after each call."""

import inspect
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from ..errors import CapabilityDefinitionError
from .policy import Allow, Ask, Decision, Deny

PRE, POST, FAILURE = "pre", "post", "failure"


class HookCall:
    """What a hook is told: ``event`` (``"pre"``, ``"post"`` or ``"failure"``), ``id``, ``name`` and ``input``
    (arguments by name, validated) of the call; for a post-hook also ``result``, for a failure hook ``error_type`` and
    ``error_message``."""

    __slots__ = ("error_message", "error_type", "event", "id", "input", "name", "result")

    def __init__(self, id: str, name: str, input: dict[str, Any], event: str = PRE) -> None:
        self.event: str = event
        self.id: str = id
        self.name: str = name
        self.input: dict[str, Any] = input
        self.result: Any = None
        self.error_type: str = ""
        self.error_message: str = ""


_UNSET: Any = object()


class HookResult:
    """What a hook may answer besides None.

    Args:
        input: pre-hook: takes the place of the input, and is validated again.
        decision: pre-hook: :class:`Allow`, :class:`Deny` or :class:`Ask` in place of the policy's; what a rule of the
            policy denies stays denied. Post-hook: :class:`Deny` withholds the result.
        result: post-hook: takes the place of the result.
        note: kept in the call's record.
    """

    __slots__ = ("decision", "input", "note", "result")

    def __init__(
        self,
        *,
        input: dict[str, Any] | None = None,
        decision: Decision | None = None,
        result: Any = _UNSET,
        note: str = "",
    ) -> None:
        self.input: dict[str, Any] | None = input
        self.decision: Decision | None = decision
        self.result: Any = result
        self.note: str = note

    @property
    def replaces_result(self) -> bool:
        return self.result is not _UNSET


Answer = HookResult | Decision | None
Hook = Callable[[HookCall], Answer | Awaitable[Answer]]


class Hooks:
    """Functions that see every call. Each takes a :class:`HookCall` and gives None or a :class:`HookResult`; a pre-hook
    also a decision alone. Plain functions run in worker threads, ``async def`` ones on the event loop.

    A hook that raises, hangs or answers nonsense fails closed: before the call it denies, after it the result is
    withheld (the call itself has been made, and its record says so).

    Args:
        pre: before permission is decided. Several run in order, each with the input as the one before left it.
        post: after a call that completed.
        failure: after a call that failed.
        timeout: seconds for each hook.
    """

    def __init__(
        self,
        pre: "Hook | Sequence[Hook]" = (),
        post: "Hook | Sequence[Hook]" = (),
        failure: "Hook | Sequence[Hook]" = (),
        *,
        timeout: float = 10.0,
    ) -> None:
        self.pre: tuple[Hook, ...] = _several("pre", pre)
        self.post: tuple[Hook, ...] = _several("post", post)
        self.failure: tuple[Hook, ...] = _several("failure", failure)
        if not 0 < timeout <= 600:
            raise CapabilityDefinitionError(f"timeout of hooks is a number of seconds in (0, 600], not {timeout!r}")
        for hook in (*self.pre, *self.post, *self.failure):
            own = getattr(hook, "timeout", None)
            if isinstance(own, (int, float)) and own > timeout:
                raise CapabilityDefinitionError(f"{hook!r} has {own:g} s, and Hooks only timeout={timeout:g}")
        self.timeout: float = timeout


def _several(name: str, given: Any) -> tuple[Hook, ...]:
    hooks = (given,) if callable(given) else tuple(given)
    for hook in hooks:
        if not callable(hook):
            raise CapabilityDefinitionError(f"a {name}-hook must be a function, not {hook!r}")
    return hooks


def is_async(function: Any) -> bool:
    """Whether calling it gives something to await."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004


def _check(answer: HookResult, pre: bool) -> None:
    """Whether an answer means something: what would be passed over in silence was meant to have an effect."""
    decision = answer.decision
    if decision is not None and not isinstance(decision, (Allow, Deny, Ask) if pre else Deny):
        allowed = "Allow(), Deny() or Ask()" if pre else "Deny()"
        given = decision.__name__ if isinstance(decision, type) else type(decision).__name__
        raise TypeError(f"the decision of a {'pre' if pre else 'post'}-hook is {allowed}, not {given}")
    if pre and answer.replaces_result:
        raise TypeError("there is no result before the call: a pre-hook rewrites input=")
    if not pre and answer.input is not None:
        raise TypeError("the call has been made: a post-hook rewrites result=")
    if answer.input is not None and not isinstance(answer.input, dict):
        raise TypeError(f"input is a dict of arguments by name, not {type(answer.input).__name__}")
    if not isinstance(answer.note, str):
        raise TypeError(f"a note is a str, not {type(answer.note).__name__}")


def read_answer(answer: Any, *, pre: bool) -> HookResult:
    """A hook's answer.

    Raises:
        TypeError: nothing that a hook may answer.
    """
    if answer is None:
        return HookResult()
    if isinstance(answer, HookResult):
        _check(answer, pre)
        return answer
    if pre and isinstance(answer, (Allow, Deny, Ask)):
        return HookResult(decision=answer)
    raise TypeError(f"a hook answers None or a HookResult, not {type(answer).__name__}")
