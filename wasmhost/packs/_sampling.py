"""``sampling(model)``: Sample, one prompt to a model of the program's choice."""

import json
import math
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from ..capabilities.capability import Capability
from ..capabilities.hooks import is_async
from ..capabilities.json_schema import TooMuchWork, Translated, translate
from ..capabilities.run import current_call
from ..errors import CapabilityDefinitionError, CapabilityError
from .pack import Pack

# A prompt and a schema are arguments like any other: policy, hooks and records see them.
_PROMPT_CHARS = 200_000
_SCHEMA_BYTES = 64 << 10
# Of what was wrong with an answer, in the next prompt and in the error.
_PROBLEM_CHARS = 500
# Beyond the timeout of the model's own work, for what is done here.
_MARGIN = 5


class Sampled:
    """What a model gives that says more than its answer.

    Args:
        answer: a text, or a value that fits the schema.
        usage: numbers by name (``{"input_tokens": 12}``), which are in the notes of the call's record.
    """

    __slots__ = ("answer", "usage")

    def __init__(self, answer: Any, usage: Mapping[str, float] | None = None) -> None:
        self.answer: Any = answer
        self.usage: dict[str, float] = dict(usage or {})


Model = Callable[[str, dict[str, Any] | None], Awaitable[Any]]


def sampling(
    model: Model,
    *,
    timeout: float = 60,
    attempts: int = 2,
    answer_chars: int = 100_000,
    concurrency: int = 4,
) -> Pack:
    """A capability that asks a model: ``Sample(prompt, schema=None)``. It is a coroutine, and not read-only: it costs
    (``docs/packs.md``).

    Args:
        model: ``async def model(prompt, schema)``; ``schema`` is a JSON schema or None. It gives a text, with a schema
            a text of JSON (in a Markdown fence or not) or the value itself, or a :class:`Sampled` with usage. It is
            called on the event loop of the session, and cancelled at the timeout.
        timeout: seconds for all attempts of a call together.
        attempts: how often the model is asked until its answer fits the schema. From the second time on the prompt ends
            with what was wrong.
        answer_chars: the longest answer; as JSON where it is no text.
        concurrency: calls of one session at a time.

    Raises:
        TypeError: ``model`` is no async function.
        ValueError: a number that is not above 0.
    """
    if not is_async(model):
        raise TypeError(f"sampling: model must be an async function of prompt and schema, not {model!r}")
    numbers = {"timeout": timeout, "attempts": attempts, "answer_chars": answer_chars, "concurrency": concurrency}
    for name, number in numbers.items():
        if not 0 < number < math.inf:
            raise ValueError(f"sampling: {name} is a number above 0, not {number!r}")
    made = _Sampling(model, attempts, answer_chars)
    capability = Capability.of(made.Sample, timeout=timeout + _MARGIN, concurrency=concurrency)
    made.timeout = timeout
    guide = ["Sample asks a model one question; it knows nothing of this session. With a schema its answer fits that."]
    return Pack("sampling", [capability], guide)


class _Sampling:
    def __init__(self, model: Model, attempts: int, answer_chars: int) -> None:
        self.model: Model = model
        self.attempts: int = attempts
        self.answer_chars: int = answer_chars
        self.timeout: float = 0

    async def Sample(self, prompt: str, schema: dict[str, Any] | None = None) -> Any:
        """The answer of a model to one prompt: a text, or with a JSON `schema` a value that fits it."""
        if len(prompt) > _PROMPT_CHARS:
            raise CapabilityError(f"prompt has more than {_PROMPT_CHARS} characters", type="ValueError")
        checked = None if schema is None else _translated(schema)
        import anyio

        with anyio.move_on_after(self.timeout):
            return await self._asked(prompt, schema, checked)
        raise CapabilityError(f"the model gave no answer in {self.timeout:g} s", type="TimeoutError")

    async def _asked(self, prompt: str, schema: dict[str, Any] | None, checked: Translated | None) -> Any:
        asked, problem, usage = prompt, "", dict[str, float]()
        for _ in range(self.attempts):
            try:
                answer = await self.model(asked, schema)
            except CapabilityError:
                raise
            except Exception as error:
                # What clients of services say when they fail has addresses and keys in it.
                record = current_call()
                if record is not None:
                    record.notes.append(f"the model failed: {type(error).__name__}: {str(error)[:_PROBLEM_CHARS]}")
                raise CapabilityError(f"the model could not be asked ({type(error).__name__})") from None
            if isinstance(answer, Sampled):
                for name, number in answer.usage.items():
                    usage[name] = usage.get(name, 0) + number
                answer = answer.answer
            try:
                made = self._text(answer) if checked is None else self._fitting(answer, checked)
            except _Unfit as unfit:
                problem = str(unfit)[:_PROBLEM_CHARS]
                asked = f"{prompt}\n\nYour last answer did not do: {problem}. Answer with what is asked for alone."
                continue
            self._note(usage)
            return made
        self._note(usage)
        raise CapabilityError(f"the model's answer did not do, {self.attempts} times: {problem}", type="ValueError")

    def _note(self, usage: dict[str, float]) -> None:
        record = current_call()
        if record is not None and usage:
            record.notes.append("usage: " + ", ".join(f"{name} {number:g}" for name, number in usage.items()))

    def _text(self, answer: Any) -> str:
        if not isinstance(answer, str):
            raise _Unfit(f"it is {type(answer).__name__} and no text")
        if len(answer) > self.answer_chars:
            raise _Unfit(f"it has more than {self.answer_chars} characters")
        return answer

    def _fitting(self, answer: Any, checked: Translated) -> Any:
        if isinstance(answer, str):
            text = self._text(answer)
            try:
                answer = json.loads(_without_fence(text))
            except (ValueError, RecursionError):
                # A schema of a text is met by the text as it is.
                answer = text
        else:
            try:
                size = len(json.dumps(answer))
            except (TypeError, ValueError, RecursionError):
                raise _Unfit("it is no value of JSON") from None
            if size > self.answer_chars:
                raise _Unfit(f"it has more than {self.answer_chars} characters")
        try:
            return checked.check(answer)
        except TooMuchWork as error:
            raise _Unfit(str(error)) from None
        except ValueError as error:
            raise _Unfit(_explained(error)) from None


class _Unfit(Exception):
    """An answer that is not what was asked for."""


def _translated(schema: dict[str, Any]) -> Translated:
    try:
        if len(json.dumps(schema)) > _SCHEMA_BYTES:
            raise CapabilityError(f"schema has more than {_SCHEMA_BYTES} characters", type="ValueError")
        return translate(schema, "schema")
    except (CapabilityDefinitionError, TypeError, ValueError, RecursionError) as error:
        raise CapabilityError(f"schema cannot be used: {str(error)[:_PROBLEM_CHARS]}", type="ValueError") from None


def _without_fence(text: str) -> str:
    """JSON out of a Markdown fence, where the whole answer is one."""
    lines = text.strip().split("\n")
    if len(lines) > 2 and lines[0].startswith("```") and lines[-1].strip() == "```":
        return "\n".join(lines[1:-1])
    return text


def _explained(error: ValueError) -> str:
    problems = getattr(error, "errors", None)
    if problems is None:
        return str(error)
    told = problems(include_url=False, include_context=False, include_input=False)
    return "; ".join(f"{'.'.join(map(str, one['loc'])) or 'it'}: {one['msg']}" for one in told[:5])


__all__ = ["Sampled", "sampling"]
