"""A model asked from inside a cell: what it answers, and what it does not."""

import asyncio
from typing import Any

import anyio
import pytest

from tests.support.drivers import Driver
from tests.support.guests import Guest
from wasmhost import Limits, Policy
from wasmhost.packs import Sampled, sampling
from wasmhost.session.session import Session

NUMBER = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}, "required": ["n"]}


class Scripted:
    """A model that gives one answer after the other."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, Any]] = []

    async def __call__(self, prompt: str, schema: dict[str, Any] | None) -> Any:
        self.asked.append((prompt, schema))
        answer = self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer


def session_of(guest: Guest, model: Any, **options: Any) -> Session:
    return guest.runtime(capabilities=[sampling(model, **options)], policy="allow")


def ask(guest: Guest, schema: str = "") -> str:
    return f"await tools.Sample('how many?'{', ' + schema if schema else ''})"


OF_NUMBER = "{'type': 'object', 'properties': {'n': {'type': 'integer', 'minimum': 1}}, 'required': ['n']}"


@pytest.mark.spec("B9.11")
def test_a_prompt_and_its_answer(guest: Guest, driver: Driver) -> None:
    model = Scripted("a lot", Sampled("some", {"input_tokens": 12, "output_tokens": 3.5}))
    with session_of(guest, model) as session:
        assert driver.value(session, ask(guest)) == "a lot"
        result = driver.run(session, ask(guest))
        assert result.value == "some"
        assert result.calls[0].notes == ["usage: input_tokens 12, output_tokens 3.5"]
    assert model.asked == [("how many?", None)] * 2


@pytest.mark.spec("B9.11")
@pytest.mark.parametrize(
    "answer",
    ['{"n": 3}', '```json\n{"n": 3}\n```', '  ```\n{"n": 3}\n```  ', {"n": 3}, Sampled({"n": 3})],
    ids=["text", "fence", "bare fence", "value", "sampled"],
)
def test_with_a_schema_the_answer_is_a_value(guest: Guest, driver: Driver, answer: Any) -> None:
    model = Scripted(answer)
    with session_of(guest, model) as session:
        assert driver.value(session, ask(guest, OF_NUMBER)) == {"n": 3}
    assert model.asked == [("how many?", NUMBER)]


def test_a_schema_of_a_text_takes_a_text(guest: Guest, driver: Driver) -> None:
    with session_of(guest, Scripted("plain words", '"quoted"')) as session:
        assert driver.value(session, ask(guest, "{'type': 'string'}")) == "plain words"
        assert driver.value(session, ask(guest, "{'type': 'string'}")) == "quoted"


@pytest.mark.spec("B9.11")
def test_an_answer_that_does_not_fit_is_asked_for_again(guest: Guest, driver: Driver) -> None:
    model = Scripted(
        Sampled("three", {"tokens": 1}), Sampled('{"n": 0}', {"tokens": 2}), Sampled('{"n": 3}', {"tokens": 4})
    )
    with session_of(guest, model, attempts=3) as session:
        result = driver.run(session, ask(guest, OF_NUMBER))
        assert result.value == {"n": 3}
        assert result.calls[0].notes == ["usage: tokens 7"]
    prompts = [prompt for prompt, _ in model.asked]
    assert prompts[0] == "how many?"
    assert prompts[1].startswith("how many?\n\nYour last answer did not do: it: Input should be a valid dict")
    assert "n: Input should be greater than or equal to 1" in prompts[2]


@pytest.mark.parametrize(
    ("schema", "answers", "why"),
    [
        (OF_NUMBER, ["no", "never"], "it: Input should be a valid dict"),
        (OF_NUMBER, ["[" * 100_000, "{}"], "n: Field required"),
        ("", [5, None], "it is NoneType and no text"),
        ("", ["x" * 1001, "y" * 1001], "it has more than 1000 characters"),
        (OF_NUMBER, [{"n": 1, "x": "x" * 2000}, {"n": 1, "x": "x" * 2000}], "it has more than 1000 characters"),
        (OF_NUMBER, [{"n": object()}, {"n": float("nan")}], "n: Input should be a valid integer"),
    ],
    ids=["no JSON", "deep", "no text", "long", "large", "no value"],
)
def test_nonsense_is_not_passed_on(guest: Guest, driver: Driver, schema: str, answers: list[Any], why: str) -> None:
    with session_of(guest, Scripted(*answers), answer_chars=1000) as session:
        result = driver.run(session, ask(guest, schema))
        assert result.error_type in ("ValueError", "Error")
        assert f"the model's answer did not do, 2 times: {why}" in (result.error or "")


@pytest.mark.spec("B9.11")
def test_a_model_that_hangs_is_given_up(guest: Guest, driver: Driver) -> None:
    ended: list[str] = []

    async def hang(prompt: str, schema: Any) -> str:
        try:
            await anyio.sleep_forever()
        finally:
            ended.append("cancelled")
        return ""

    with session_of(guest, hang, timeout=0.05) as session:
        result = driver.run(session, ask(guest))
        assert result.error_type == "TimeoutError"
        assert "the model gave no answer in 0.05 s" in (result.error or "")
        assert ended == ["cancelled"]


def test_a_model_that_raises_shows_the_guest_nothing_of_the_host(guest: Guest, driver: Driver) -> None:
    with session_of(guest, Scripted(OSError("connect to 10.0.0.7 failed: key sk-123"))) as session:
        result = driver.run(session, ask(guest))
        assert not result.ok
        assert "10.0.0.7" not in (result.error or "")
        assert "sk-123" not in (result.error or "")
        assert "the model could not be asked (OSError)" in (result.error or "")
        # The host's own record has it.
        assert result.calls[0].notes == ["the model failed: OSError: connect to 10.0.0.7 failed: key sk-123"]


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ("{'type': 'nonsense'}", "schema cannot be used"),
        ("{'$ref': 'http://elsewhere'}", "schema cannot be used"),
        ("{'type': 'string', 'pattern': '(a+)+' + 'x' * 5000}", "schema cannot be used"),
        ("{'enum': ['x' * 100] * 1000}".replace("* 100]", "* 100]"), "schema has more than 65536 characters"),
    ],
)
def test_a_hostile_schema_is_refused(guest: Guest, driver: Driver, schema: str, why: str) -> None:
    if guest.name == "javascript":
        schema = schema.replace("'x' * 5000", "'x'.repeat(5000)").replace(
            "['x' * 100] * 1000", "Array(1000).fill('x'.repeat(100))"
        )
    model = Scripted("x")
    with session_of(guest, model) as session:
        result = driver.run(session, ask(guest, schema))
        assert not result.ok
        assert why in (result.error or "")
    assert model.asked == []


def test_a_prompt_has_an_end(guest: Guest, driver: Driver) -> None:
    long = guest.pick(python="'x' * 200_001", javascript="'x'.repeat(200_001)")
    with session_of(guest, Scripted("x")) as session:
        assert "prompt has more than 200000 characters" in (
            driver.run(session, f"await tools.Sample({long})").error or ""
        )


@pytest.mark.spec("B9.11")
def test_no_more_at_a_time_than_allowed(guest: Guest, driver: Driver) -> None:
    at_once = most = 0

    async def slow(prompt: str, schema: Any) -> str:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        await anyio.sleep(0.005)
        at_once -= 1
        return prompt

    cell = guest.pick(
        python="import asyncio\nawait asyncio.gather(*[tools.Sample(str(i)) for i in range(9)])",
        javascript="await Promise.all([...Array(9).keys()].map(i => tools.Sample(String(i))))",
    )
    with session_of(guest, slow, concurrency=3) as session:
        assert driver.value(session, cell) == [str(i) for i in range(9)]
    assert most == 3


@pytest.mark.spec("B9.11")
def test_it_asks_by_default(guest: Guest) -> None:
    with guest.runtime(
        capabilities=[sampling(Scripted("x"))], policy=Policy(), limits=Limits(wall_ms=5_000)
    ) as session:
        assert session.run(ask(guest)).error_type == "PermissionError"


def test_what_is_no_model_is_refused() -> None:
    def not_async(prompt: str, schema: Any) -> str:
        return prompt

    for wrong in (not_async, None, "model", asyncio):
        with pytest.raises(TypeError, match="model must be an async function"):
            sampling(wrong)  # type: ignore[arg-type]
    for name in ("timeout", "attempts", "answer_chars", "concurrency"):
        with pytest.raises(ValueError, match=f"sampling: {name} is a number above 0"):
            sampling(Scripted(), **{name: 0})
