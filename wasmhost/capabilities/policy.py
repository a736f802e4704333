"""Who may call what: decisions, rules, and what is remembered of a person's answers."""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from ..errors import CapabilityDefinitionError

if TYPE_CHECKING:
    from .capability import Capability

ALLOW, DENY, ASK = "allow", "deny", "ask"
_WORDS = (ALLOW, DENY, ASK)
_KEPT_PLANS = 10_000

Arguments = Mapping[str, Any] | Callable[[Mapping[str, Any]], bool]


class Allow:
    """The call may be made.

    Args:
        remember: the same capability with the same input is not asked about again in this session.
        arguments: with ``remember``: what the input must look like to be covered, as in :class:`Rule`; by default it
            must be equal.
    """

    __slots__ = ("arguments", "remember")

    def __init__(self, *, remember: bool = False, arguments: Arguments | None = None) -> None:
        if arguments is not None and not callable(arguments) and not isinstance(arguments, Mapping):
            raise CapabilityDefinitionError(f"arguments is a mapping or a predicate, not {type(arguments).__name__}")
        self.remember: bool = remember or arguments is not None
        self.arguments: Arguments | None = arguments

    def __repr__(self) -> str:
        return f"Allow(remember={self.remember})"


class Deny:
    """The call is refused; the guest gets a ``PermissionError`` with the reason."""

    __slots__ = ("reason",)

    def __init__(self, reason: str = "") -> None:
        self.reason: str = reason

    def __repr__(self) -> str:
        return f"Deny({self.reason!r})"


class Ask:
    """A person, or whatever stands for one as ``approve``, decides."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "Ask()"


class Suspend:
    """An approver's answer when there is no answer yet: the cell is suspended instead of waiting, as soon as nothing
    else can make it go on."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "Suspend()"


Decision = Allow | Deny | Ask


class Rule:
    """One line of a policy.

    Args:
        name: name of a capability; ``*``, ``?`` and ``[...]`` as in a shell.
        decision: ``"allow"``, ``"deny"`` or ``"ask"``.
        arguments: what the validated input must look like for the rule to hold: a mapping from argument to a shell
            pattern (for text), an equal value, or a predicate of the value; or one predicate of the whole input.
            Predicates are the host program's; they run in the guest's thread and must return at once.
        reason: told to the guest when the rule denies.
    """

    __slots__ = ("arguments", "decision", "name", "reason")

    def __init__(self, name: str, decision: str, arguments: Arguments | None = None, reason: str = "") -> None:
        if decision not in _WORDS:
            raise CapabilityDefinitionError(f"a rule's decision is one of {', '.join(_WORDS)}, not {decision!r}")
        self.name: str = name
        self.decision: str = decision
        self.arguments: Arguments | None = arguments
        self.reason: str = reason

    def covers(self, arguments: Mapping[str, Any]) -> bool:
        """Whether an input of a capability that the name fits is meant."""
        return self.arguments is None or matches(self.arguments, arguments)

    def __repr__(self) -> str:
        return f"Rule({self.name!r}, {self.decision!r})"


def matches(wanted: Arguments, given: Mapping[str, Any]) -> bool:
    """Whether an input looks as ``wanted`` says; see :class:`Rule`."""
    if callable(wanted):
        return bool(wanted(given))
    for name, want in wanted.items():
        if name not in given:
            return False
        value = given[name]
        if callable(want):
            if not want(value):
                return False
        elif isinstance(want, str):
            # The pattern is the host's, the text hostile: a long one never meets it.
            if not isinstance(value, str) or len(value) > 10_000 or not fnmatchcase(value, want):
                return False
        elif value != want:
            return False
    return True


class Policy:
    """Ordered rules: the first that fits decides. Immutable, and may be shared by sessions and threads.

    Args:
        rules: looked at first, in order.
        deny, ask, allow: shell patterns of names, for the common case; looked at after the rules, in this order.
        default: for what no rule fits. By default a capability that is ``read_only`` is allowed, any other is asked
            about.
    """

    def __init__(
        self,
        rules: Sequence[Rule] = (),
        *,
        allow: Sequence[str] = (),
        deny: Sequence[str] = (),
        ask: Sequence[str] = (),
        default: str | None = None,
    ) -> None:
        if default is not None and default not in _WORDS:
            raise CapabilityDefinitionError(f"a policy's default is one of {', '.join(_WORDS)}, not {default!r}")
        for name, patterns in (("allow", allow), ("deny", deny), ("ask", ask)):
            if isinstance(patterns, str):
                raise CapabilityDefinitionError(f"{name} is a list of patterns: [{patterns!r}]")
        self.rules: tuple[Rule, ...] = (
            *rules,
            *(Rule(pattern, DENY) for pattern in deny),
            *(Rule(pattern, ASK) for pattern in ask),
            *(Rule(pattern, ALLOW) for pattern in allow),
        )
        self.default: str | None = default
        self._plans: dict[tuple[str, bool], tuple[Rule, ...]] = {}

    def decide(self, name: str, read_only: bool, arguments: Mapping[str, Any]) -> Rule:
        """The rule that decides about a call."""
        plan = self._plans.get((name, read_only))
        if plan is None:
            default = self.default or (ALLOW if read_only else ASK)
            fitting = [rule for rule in self.rules if fnmatchcase(name, rule.name)]
            plan = (*fitting, Rule(name, default))
            if len(self._plans) < _KEPT_PLANS:  # guests name tools too, and a policy outlives them all
                self._plans[name, read_only] = plan
        for rule in plan:
            if rule.arguments is None or rule.covers(arguments):
                return rule
        return plan[-1]

    def whatever(self, name: str, read_only: bool) -> str | None:
        """What is decided about each call of a capability, whatever its arguments; None: it depends on them."""
        found = set()
        for rule in self.rules:
            if fnmatchcase(name, rule.name):
                found.add(rule.decision)
                if rule.arguments is None:
                    break
        else:
            found.add(self.default or (ALLOW if read_only else ASK))
        return found.pop() if len(found) == 1 else None


def as_policy(policy: "Policy | str | None") -> Policy:
    """A policy from what a runtime was given: one word means that for everything.

    Raises:
        CapabilityDefinitionError: neither.
    """
    if policy is None:
        return Policy()
    if isinstance(policy, str):
        return Policy(default=policy)
    if not isinstance(policy, Policy):
        raise CapabilityDefinitionError(f"policy must be a Policy or one of {', '.join(_WORDS)}, not {policy!r}")
    return policy


_CONTAINERS = frozenset((list, dict, tuple, set, bytearray))


def copied(value: Any) -> Any:
    """A copy of an input for somebody who may change what he is given: containers are new, the rest is shared."""
    kind = type(value)
    if kind is dict:
        if _CONTAINERS.isdisjoint(map(type, value.values())):
            return value.copy()
        return {key: copied(item) if type(item) in _CONTAINERS else item for key, item in value.items()}
    if kind is list:
        return [copied(item) if type(item) in _CONTAINERS else item for item in value]
    if kind is tuple:
        return tuple(copied(item) for item in value)
    return kind(value) if kind in _CONTAINERS else value


class Memory:
    """What a session remembers of answers: which calls a person has allowed for good."""

    def __init__(self) -> None:
        # By the capability itself: a guest may register another tool under the same name.
        self._allowed: dict[Capability, list[Arguments]] = {}

    def remember(self, capability: "Capability", arguments: Mapping[str, Any], answer: Allow) -> None:
        self._allowed.setdefault(capability, []).append(
            answer.arguments if answer.arguments is not None else _Same(copied(arguments))
        )

    def allows(self, capability: "Capability", arguments: Mapping[str, Any]) -> bool:
        return any(matches(wanted, arguments) for wanted in self._allowed.get(capability, ()))

    def branch(self) -> "Memory":
        """A copy that goes its own way."""
        made = Memory()
        made._allowed = {name: list(wanted) for name, wanted in self._allowed.items()}
        return made

    def clear(self) -> None:
        self._allowed.clear()


class _Same:
    """Only the very same input."""

    def __init__(self, arguments: dict[str, Any]) -> None:
        self._given = arguments
        self._shape = canonical(arguments)

    def __call__(self, given: Mapping[str, Any]) -> bool:
        return canonical(given) == self._shape and given == self._given


def canonical(value: Any) -> str:
    """A text that is equal for equal inputs and different for different ones: types count, the order of keys does
    not."""
    if isinstance(value, Mapping):
        return f"{{{','.join(sorted(f'{canonical(key)}:{canonical(item)}' for key, item in value.items()))}}}"
    if isinstance(value, (list, tuple)):
        return f"{type(value).__name__}[{','.join(map(canonical, value))}]"
    if isinstance(value, (set, frozenset)):
        return f"{type(value).__name__}[{','.join(sorted(map(canonical, value)))}]"
    if isinstance(value, int):
        return f"{type(value).__name__}:{value:x}"  # decimal digits of a huge one are refused by Python
    name = type(value).__name__
    if isinstance(value, (str, bytes, Enum, type)):
        return f"{name}:{value!r}"
    fields = getattr(value, "__dict__", None)
    if fields:  # and not its repr, which leaves secrets out
        return f"{name}:{canonical(fields)}"
    try:
        return f"{name}:{value!r}"
    except ValueError:  # of a fraction with more digits than Python writes
        return f"{name}:{canonical(value.as_integer_ratio())}"
