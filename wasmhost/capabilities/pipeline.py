"""What every call goes through, step by step (row B10).

One generator: it yields an :class:`Effect` wherever something must be run or waited for, and is sent the
:data:`Outcome`. It knows no thread, no event loop and no clock; ``capabilities/run.py`` drives it.
"""

from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING, Any

from ..errors import CapabilityError
from ..protocol.encode import Unencodable, encode
from .approval import ApprovalRequest, Approver, digest_of, read_approval
from .effects import (
    ABANDONED,
    CANCELLED_,
    NEVER_BEGUN,
    OK,
    RAISED,
    TIMED_OUT,
    Effect,
    Enter,
    Handler,
    Outcome,
    Park,
    Run,
    RunInline,
)
from .hooks import FAILURE, POST, HookCall, HookResult, is_async, read_answer
from .policy import ALLOW, ASK, DENY, Allow, Ask, Decision, Deny, Rule, Suspend, copied
from .record import CANCELLED, COMPLETED, DENIED, FAILED, NEVER_STARTED, UNKNOWN, CallRecord
from .schema import Mismatch

if TYPE_CHECKING:
    from .capability import Capability
    from .session import SessionCapabilities

# What a guest gets: whether the call went well, JSON text of the value or error, and the bytes that belong to it.
Reply = tuple[bool, str, list[bytes]]
Course = Generator[Effect, Outcome, Reply]

MAX_MESSAGE = 10_000


class _Refused(Exception):
    """The call ends here: ``state`` of its record, and what the guest gets."""

    def __init__(self, step: str, state: str, kind: str, message: str, outcome: str = "") -> None:
        self.step: str = step
        self.state: str = state
        self.kind: str = kind
        self.message: str = message
        self.outcome: str = outcome or message


def pipeline(
    session: "SessionCapabilities",
    capability: "Capability",
    args: list[Any],
    kwargs: dict[str, Any],
    record: CallRecord,
) -> Course:
    """The course of one call. Step 1 of the row, its own id and the start event, is the record itself."""
    mark = session.marker(record)
    try:
        # 2. schema
        try:
            arguments = capability.parameters.bind(args, kwargs, capability.name)
            record.input = copied(arguments)
        except Mismatch as mismatch:
            record.input = kwargs
            raise _Refused("schema", FAILED, "TypeError", str(mismatch)) from None
        mark("schema", "ok")

        # 3. isolation latch
        if capability.isolation:
            conflict = session.latch.conflict(capability.isolation)
            if conflict is not None:
                raise _Refused("isolation", DENIED, "PermissionError", conflict)
            mark("isolation", "ok")

        # 4. pre-hooks
        decision: Decision | None = None
        if session.hooks.pre:
            arguments, decision = yield from _pre_hooks(session, capability, arguments, record)

        # 5. permission
        try:
            rule = session.policy.decide(capability.name, capability.read_only, arguments)
        except BaseException as error:
            raise _predicate_failed(capability, "a rule of the policy", error, record) from None
        source = session.latch_asks(capability) if capability.isolation else None
        if rule.decision == ALLOW and decision is None and source is None and not capability.in_guest:
            record.permission = "allow"
        else:
            yield from _permission(session, capability, arguments, decision, rule, source, record)
        mark("permission", record.permission or "")

        # 6. the executing event and the native timeout, 7. the call
        crowded = session.room.counts(capability)
        if crowded:
            yield from _enter(session, capability)
        try:
            if capability.isolation:
                # At the last moment and in one step: of two calls at a time that exclude each other one is made.
                conflict = session.latch.enter(capability.isolation, capability.name)
                if conflict is not None:
                    raise _Refused("isolation", DENIED, "PermissionError", conflict)
            record.executed = True
            mark("execute", "begun", "executing")
            how, value = yield _calling(session, capability, arguments)
        finally:
            if crowded:
                session.room.leave(capability)
        if how is not OK:
            raise _failure(session, capability, how, value, record)

        # 8. output
        try:
            value = capability.result.check(value)
        except Mismatch as mismatch:
            raise _Refused("output", FAILED, "CallError", f"{capability.name}: {mismatch}") from None
        mark("output", "ok")

        # 9. post-hooks
        if session.hooks.post:
            value = yield from _post_hooks(session, capability, arguments, value, record)

        # 10. the result, for the guest, the record and the replay log
        attachments: list[bytes] = []
        try:
            text = encode(value, attachments)
        except Exception as error:  # such as of a model_dump() of the value's own
            why = str(error) if isinstance(error, Unencodable) else f"{type(error).__name__} while it was written"
            raise _Refused(
                "output", FAILED, "CallError", f"{capability.name}: the result cannot be passed on: {why}"
            ) from None
        record.state = COMPLETED
        record.result = session.keep(value, text, attachments)
        mark("complete", "ok", "complete")
        return True, text, attachments
    except _Refused as refused:
        session.mark(record, refused.step, refused.outcome)
        kind, message = refused.kind, refused.message
        if record.executed and session.hooks.failure:
            yield from _failure_hooks(session, capability, kind, message, record)
        record.state = refused.state
        record.error = (kind, message)
        session.mark(record, refused.state, kind, "error")
        return error_reply(kind, message, record.id)


def error_reply(kind: str, message: str, call_id: str) -> Reply:
    """What a guest gets instead of a value."""
    text = encode({"type": kind, "message": message[:MAX_MESSAGE], "call": call_id})
    return False, text, []


# ---- step 4 --------------------------------------------------------------------------------------------------------


def _hook(
    session: "SessionCapabilities", hook: Any, call: HookCall, pre: bool
) -> Generator[Effect, Outcome, HookResult]:
    """One hook; what does not answer as it should is told by an exception, so that nothing passes by mistake."""
    timeout = session.hooks.timeout
    asynchronous = is_async(hook)
    abandon_ms = timeout * 1000 + (1000 if asynchronous else 0)
    how, answer = yield Run(hook, (call,), {}, asynchronous, timeout_ms=timeout * 1000, abandon_ms=abandon_ms)
    if how is OK:
        return read_answer(answer, pre=pre)
    if how is RAISED:
        raise TypeError(f"it raised {type(answer).__name__}")
    if how is TIMED_OUT or how is ABANDONED:
        raise TypeError(f"it did not answer within {timeout:g} s")
    if pre:
        raise _Refused("pre_hook", CANCELLED, "CancelledError", "the call was cancelled")
    # The call itself was made: whoever redoes what is missing must not make it again.
    raise _Refused("post_hook", COMPLETED, "CancelledError", "the call was made, and its result dropped with the cell")


def _pre_hooks(
    session: "SessionCapabilities", capability: "Capability", arguments: dict[str, Any], record: CallRecord
) -> Generator[Effect, Outcome, tuple[dict[str, Any], Decision | None]]:
    decision: Decision | None = None
    outcome = "ok"
    for hook in session.hooks.pre:
        try:
            answer = yield from _hook(session, hook, HookCall(record.id, capability.name, copied(arguments)), True)
        except TypeError as error:
            raise _Refused(
                "pre_hook", DENIED, "PermissionError", f"{capability.name} was refused: a hook failed: {error}"
            ) from None
        if answer.note:
            record.notes.append(answer.note)
        if answer.input is not None:
            try:
                arguments = capability.parameters.bind([], answer.input, capability.name)
                record.input = copied(arguments)
            except Mismatch as mismatch:
                raise _Refused("pre_hook", FAILED, "TypeError", f"as a hook rewrote it: {mismatch}") from None
            outcome = "rewritten"
        if isinstance(answer.decision, Deny):
            reason = answer.decision.reason or "a hook denied it"
            raise _Refused("pre_hook", DENIED, "PermissionError", f"{capability.name} was denied: {reason}")
        if answer.decision is not None and not isinstance(decision, Ask):
            decision = answer.decision
    session.mark(record, "pre_hook", outcome)
    return arguments, decision


# ---- step 5 --------------------------------------------------------------------------------------------------------


def _permission(
    session: "SessionCapabilities",
    capability: "Capability",
    arguments: dict[str, Any],
    hooked: Decision | None,
    rule: Rule,
    source: str | None,
    record: CallRecord,
) -> Generator[Effect, Outcome, None]:
    """Returns if the call may be made. What denies wins over what asks, and that over what allows; a hook that allows
    stands for an answer to what the policy would ask."""
    if rule.decision == DENY:
        record.permission = "deny (policy)"
        raise _denied(capability, rule.reason or "the policy denies it", record)
    if source is None and not isinstance(hooked, Ask):
        if isinstance(hooked, Allow):
            record.permission = "allow (hook)"
            return
        if rule.decision == ALLOW and not capability.in_guest:
            record.permission = "allow"
            return
        if _remembered(session, capability, arguments, record):
            return
    reason = (
        "the policy asks" if rule.decision == ASK else "a hook asks" if hooked else "a guest's own tool always asks"
    )
    if source is not None:
        reason = f"this session has used {source!r}"
    yield from _ask(session, capability, arguments, reason, source is None, record)


def _remembered(
    session: "SessionCapabilities", capability: "Capability", arguments: dict[str, Any], record: CallRecord
) -> bool:
    try:
        remembered = session.memory.allows(capability, arguments)
    except BaseException as error:
        raise _predicate_failed(capability, "Allow(arguments=...)", error, record) from None
    if remembered:
        record.permission = "allow (remembered)"
    return remembered


def _predicate_failed(capability: "Capability", whose: str, error: BaseException, record: CallRecord) -> _Refused:
    record.permission = "deny (a predicate failed)"
    return _denied(capability, f"a predicate of {whose} failed with {type(error).__name__}", record)


def _denied(capability: "Capability", reason: str, record: CallRecord) -> _Refused:
    return _Refused(
        "permission", DENIED, "PermissionError", f"{capability.name} was denied: {reason}", record.permission or ""
    )


def _ask(
    session: "SessionCapabilities",
    capability: "Capability",
    arguments: dict[str, Any],
    reason: str,
    may_be_remembered: bool,
    record: CallRecord,
) -> Generator[Effect, Outcome, None]:
    approver = session.approver
    verdict: Allow | Deny | Suspend | None = None
    if session.answers:
        verdict = session.answer_for(record.id, digest_of(capability.name, arguments))
        _remember(session, capability, arguments, verdict)
    if verdict is None and approver is None:
        record.permission = "deny (nobody to ask)"
        what_to_do = "approve=..."
        if may_be_remembered and not capability.in_guest:
            what_to_do += f" or policy=Policy(allow=[{capability.name!r}])"
        raise _denied(
            capability,
            f"it needs an approval and this runtime has no approver; the program that runs it can pass {what_to_do}",
            record,
        )
    # A person answers one question at a time, and an answer that is remembered may answer the next one too.
    if verdict is None:
        how, _ = yield Enter(session.desk, None)
        if how is not OK:
            raise _Refused("permission", CANCELLED, "CancelledError", "the call was cancelled before anybody was asked")
        try:
            if may_be_remembered and _remembered(session, capability, arguments, record):
                return
            request = ApprovalRequest(
                record.id, capability.name, capability.description, copied(arguments), reason, session.label
            )
            assert approver is not None
            verdict = yield from _answer(session, request, approver)
            # Before the next question is asked, which this answer may cover.
            _remember(session, capability, arguments, verdict)
        finally:
            session.desk.leave(None)
    if isinstance(verdict, Suspend):
        yield Park(request)
        raise _Refused("permission", CANCELLED, "CancelledError", "the call was cancelled before anybody answered")
    if isinstance(verdict, Deny):
        record.permission = "deny (asked)"
        raise _denied(capability, verdict.reason or "the request was turned down", record)
    record.permission = "allow (asked)"


def _remember(
    session: "SessionCapabilities",
    capability: "Capability",
    arguments: dict[str, Any],
    verdict: Allow | Deny | Suspend | None,
) -> None:
    if isinstance(verdict, Allow) and verdict.remember:
        session.memory.remember(capability, arguments, verdict)


def _answer(
    session: "SessionCapabilities", request: ApprovalRequest, approver: Approver
) -> Generator[Effect, Outcome, Allow | Deny | Suspend]:
    seconds = session.approve_timeout
    timeout_ms = None if seconds is None else seconds * 1000
    abandon_ms = None if timeout_ms is None else timeout_ms + (1000 if is_async(approver) else 0)
    how, answer = yield Run(approver, (request,), {}, is_async(approver), timeout_ms=timeout_ms, abandon_ms=abandon_ms)
    if how is OK:
        return read_approval(answer)
    if how is RAISED:
        return Deny(f"the approver failed with {type(answer).__name__}")
    if seconds is not None and (how is TIMED_OUT or (how is ABANDONED and not session.ending)):
        return Deny(f"nobody answered within {seconds:g} s")
    raise _Refused("permission", CANCELLED, "CancelledError", "the call was cancelled while somebody was asked")


# ---- steps 6 and 7 -------------------------------------------------------------------------------------------------


def _enter(session: "SessionCapabilities", capability: "Capability") -> Generator[Effect, Outcome, None]:
    """Waits for a place among the calls of the session."""
    how, why = yield Enter(session.room, capability)
    if how is OK:
        return
    if why:
        raise _Refused("execute", NEVER_STARTED, "RuntimeError", f"{capability.name} was not started: {why}")
    raise _Refused("execute", NEVER_STARTED, "CancelledError", f"{capability.name} was cancelled before it started")


def _calling(session: "SessionCapabilities", capability: "Capability", arguments: dict[str, Any]) -> Effect:
    """The call itself."""
    if capability.inline:
        return RunInline(capability.function, arguments)
    if capability.in_guest:
        return Handler(capability.function, arguments)
    timeout = capability.timeout
    return Run(
        capability.function,
        (),
        arguments,
        capability.is_async,
        timeout_ms=None if timeout is None else timeout * 1000,
        abandon_ms=session.watchdog_ms(capability),
    )


def _failure(
    session: "SessionCapabilities", capability: "Capability", how: str, value: Any, record: CallRecord
) -> _Refused:
    name = capability.name
    if how is RAISED:
        return _Refused("execute", FAILED, *describe(value), outcome="raised")
    if how is TIMED_OUT:
        assert capability.timeout is not None
        return _Refused(
            "execute",
            CANCELLED,
            "TimeoutError",
            f"{name}: timeout of {capability.timeout:g} s; the call was cancelled",
            "timeout",
        )
    if how is NEVER_BEGUN:
        record.executed = False
        return _Refused(
            "execute", NEVER_STARTED, "CancelledError", f"{name} was cancelled before it started", "never started"
        )
    if how is CANCELLED_:
        return _Refused("execute", CANCELLED, "CancelledError", f"{name} was cancelled", "cancelled")
    watchdog = session.watchdog_ms(capability)
    if watchdog is not None and not session.ending:
        return _Refused(
            "execute",
            UNKNOWN,
            "TimeoutError",
            f"{name}: watchdog of {watchdog} ms (native timeout {capability.timeout:g} s): the call did not end and "
            "was given up; its effect may still happen",
            "watchdog",
        )
    return _Refused(
        "execute",
        UNKNOWN,
        "CancelledError",
        f"{name} was given up while it ran; its effect may still happen",
        "given up",
    )


def describe(error: BaseException) -> tuple[str, str]:
    """Type and message of a capability's exception for the guest: no traceback, and no path of the host."""
    from .redact import without_paths

    if isinstance(error, CapabilityError):
        return error.type, str(error)
    if isinstance(error, OSError) and error.strerror:
        return type(error).__name__, str(error.strerror)
    try:
        text = str(error.args[0]) if isinstance(error, KeyError) and len(error.args) == 1 else str(error)
    except BaseException:
        text = ""
    return type(error).__name__, without_paths(text[:MAX_MESSAGE])


# ---- step 9 --------------------------------------------------------------------------------------------------------


def _post_hooks(
    session: "SessionCapabilities",
    capability: "Capability",
    arguments: Mapping[str, Any],
    value: Any,
    record: CallRecord,
) -> Generator[Effect, Outcome, Any]:
    outcome = "ok"
    for hook in session.hooks.post:
        call = HookCall(record.id, capability.name, copied(arguments), POST)
        call.result = value
        try:
            answer = yield from _hook(session, hook, call, False)
        except TypeError as error:
            raise _Refused(
                "post_hook",
                COMPLETED,
                "PermissionError",
                f"{capability.name} was made, but its result is withheld: a hook failed: {error}",
            ) from None
        if answer.note:
            record.notes.append(answer.note)
        if isinstance(answer.decision, Deny):
            why = answer.decision.reason or "a hook denied it"
            raise _Refused(
                "post_hook",
                COMPLETED,
                "PermissionError",
                f"{capability.name} was made, but its result is withheld: {why}",
            )
        if answer.replaces_result:
            value, outcome = answer.result, "rewritten"
    session.mark(record, "post_hook", outcome)
    return value


def _failure_hooks(
    session: "SessionCapabilities", capability: "Capability", kind: str, message: str, record: CallRecord
) -> Generator[Effect, Outcome, None]:
    outcome = "ok"
    for hook in session.hooks.failure:
        call = HookCall(record.id, capability.name, copied(record.input), FAILURE)
        call.error_type, call.error_message = kind, message
        try:
            answer = yield from _hook(session, hook, call, False)
        except (TypeError, _Refused) as error:
            outcome = f"failed: {error}"
            continue
        if answer.note:
            record.notes.append(answer.note)
    session.mark(record, "failure_hook", outcome)
