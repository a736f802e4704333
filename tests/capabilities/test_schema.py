"""Arguments and results against a signature: what fits, and what is said of what does not."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, field_validator

from wasmhost import Capability, CapabilityDefinitionError, capability
from wasmhost.capabilities.schema import Mismatch, of_function


class User(BaseModel):
    id: int
    name: str = "nobody"


@dataclass
class Point:
    x: float
    y: float = 0.0


def fetch(user_id: int, fields: list[str] | None = None, *, mode: Literal["short", "full"] = "short") -> User:
    """Read one user."""
    return User(id=user_id)


def bind(function: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
    made = Capability.of(function)
    return made.parameters.bind(list(args), kwargs, made.name)


@pytest.mark.spec("B10.2")
def test_arguments_by_position_and_by_name_come_out_by_name() -> None:
    assert bind(fetch, 7) == {"user_id": 7, "fields": None, "mode": "short"}
    assert bind(fetch, 7, ["a"], mode="full") == {"user_id": 7, "fields": ["a"], "mode": "full"}
    assert bind(fetch, user_id=7.0)["user_id"] == 7


@pytest.mark.spec("B10.2")
@pytest.mark.parametrize(
    ("args", "kwargs", "said"),
    [
        ((), {}, "argument 'user_id' is missing"),
        (("x",), {}, "argument 'user_id': input should be a valid integer"),
        ((1,), {"fields": [1]}, "argument 'fields.0': input should be a valid string; got 1 (int)"),
        ((1,), {"mode": "long"}, "input should be 'short' or 'full'; got 'long' (str)"),
        ((1,), {"mood": 1}, "there is no argument 'mood'; there are: user_id, fields, mode"),
        ((1,), {"user_id": 2}, "given twice, by position and by name"),
        ((1, [], "full", 3), {}, "takes 3 arguments, 4 were given"),
    ],
)
def test_a_wrong_argument_names_argument_expected_and_got(args: Any, kwargs: Any, said: str) -> None:
    with pytest.raises(Mismatch) as caught:
        bind(fetch, *args, **kwargs)
    assert str(caught.value).startswith("fetch")
    assert said in str(caught.value)


def test_several_problems_are_told_together_and_bounded() -> None:
    def many(a: int, b: int, c: int, d: int, e: int) -> None: ...

    with pytest.raises(Mismatch, match=r"'a'.*'b'.*'c'.*and 2 more"):
        bind(many, *"vwxyz")


def test_a_huge_argument_is_shown_cut() -> None:
    with pytest.raises(Mismatch) as caught:
        bind(fetch, "x" * 1_000_000)
    assert len(str(caught.value)) < 400
    with pytest.raises(Mismatch, match="a huge int"):
        bind(lambda_named := _takes_text, 10**5000)
    assert lambda_named is _takes_text


def _takes_text(text: str) -> None: ...


def test_models_dataclasses_and_constraints_are_pydantics() -> None:
    def save(user: User, at: Point, count: Annotated[int, Field(gt=0)] = 1) -> None: ...

    made = bind(save, user={"id": 1}, at={"x": 1})
    assert made == {"user": User(id=1), "at": Point(1.0), "count": 1}
    with pytest.raises(Mismatch, match=r"'count'.*greater than 0; got 0"):
        bind(save, user={"id": 1}, at={"x": 1}, count=0)
    with pytest.raises(Mismatch, match=r"'user.id'"):
        bind(save, user={"id": "no"}, at={"x": 1})


def test_more_names_are_taken_where_the_function_takes_them() -> None:
    def free(a: int, **more: str) -> None: ...

    assert bind(free, 1, b="x") == {"a": 1, "b": "x"}
    with pytest.raises(Mismatch, match="'b'"):
        bind(free, 1, b=2)


@pytest.mark.spec("B10.8")
def test_results_are_checked_and_made_plain() -> None:
    result = Capability.of(fetch).result
    assert result.check(User(id=1)) == {"id": 1, "name": "nobody"}
    assert result.check({"id": 1}) == {"id": 1, "name": "nobody"}
    with pytest.raises(Mismatch, match=r"the result does not fit.*got 5 \(int\)"):
        result.check(5)

    def point() -> list[Point]:
        return []

    assert Capability.of(point).result.check([Point(1)]) == [{"x": 1, "y": 0.0}]

    def anything():  # type: ignore[no-untyped-def]
        return object()

    given = object()
    assert Capability.of(anything).result.check(given) is given


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda x: x, "needs a name"),
        (print, r"cannot cross|cannot be read|takes \*"),
    ],
)
def test_what_is_no_capability_is_refused_with_what_to_do(function: Any, said: str) -> None:
    with pytest.raises(CapabilityDefinitionError, match=said):
        Capability.of(function)


def test_parameters_that_cannot_cross_are_refused() -> None:
    def star(*rest: int) -> None: ...

    def positional(a: int, /) -> None: ...

    class Odd: ...

    def odd(a: Odd) -> None: ...

    for function, said in ((star, "take a list instead"), (positional, "positional-only"), (odd, "type cannot cross")):
        with pytest.raises(CapabilityDefinitionError, match=said):
            Capability.of(function)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"name": "a b"}, "no name for a capability"),
        ({"name": "fs..read"}, "no name for a capability"),
        ({"timeout": 0}, "timeout"),
        ({"timeout": float("nan")}, "timeout"),
        ({"concurrency": 0}, "concurrency"),
        ({"inline": True, "timeout": 1}, "inline"),
    ],
)
def test_options_are_checked(options: dict[str, Any], said: str) -> None:
    with pytest.raises(CapabilityDefinitionError, match=said):

        @capability(**options)
        def f() -> None: ...


def test_a_marked_function_stays_a_function() -> None:
    @capability(name="math.add", read_only=True)
    def add(a: int, b: int) -> int:
        return a + b

    assert add(1, 2) == 3
    made = Capability.of(add)
    assert (made.name, made.read_only, made.description) == ("math.add", True, "")
    assert made.input_schema["required"] == ["a", "b"]


@pytest.mark.spec("B13.1")
@pytest.mark.parametrize(("timeout", "watchdog"), [(10, 20_000), (0.001, 5_002), (120, 185_000), (0.3333, 5_500)])
def test_the_watchdog_is_one_and_a_half_times_the_timeout_and_five_seconds(timeout: float, watchdog: int) -> None:
    @capability(timeout=timeout)
    def f() -> None: ...

    assert Capability.of(f).watchdog_ms == watchdog


def test_a_million_wrong_items_are_one_problem() -> None:
    class Inner(BaseModel):
        xs: list[int]

    def f(a: list[int], b: Inner | None = None) -> None: ...

    parameters, _ = of_function(f, "f")
    with pytest.raises(Mismatch, match=r"^f: argument 'a\.0': [^;]*; got 'x' \(str\)$"):
        parameters.bind([], {"a": ["x"] * 100_000}, "f")
    # Those of a model too.
    with pytest.raises(Mismatch, match=r"^f: argument 'b\.xs\.0': [^;]*; got 'x' \(str\)$"):
        parameters.bind([], {"a": [], "b": {"xs": ["x"] * 100_000}}, "f")


def test_a_hundred_thousand_unknown_names_are_one_problem() -> None:
    def f(a: int) -> None: ...

    parameters, _ = of_function(f, "f")
    with pytest.raises(Mismatch, match=r"there is no argument 'k0'; there are: a; 100000 arguments were given"):
        parameters.bind([], {f"k{i}": 1 for i in range(100_000)}, "f")


def test_a_validator_that_fails_in_another_way_is_told_as_one() -> None:
    class Odd(BaseModel):
        x: int

        @field_validator("x")
        @classmethod
        def fails(cls, value: int) -> int:
            raise KeyError("its own trouble")

    def f(a: Odd) -> Odd:
        return a

    parameters, result = of_function(f, "f")
    with pytest.raises(Mismatch, match="the check of the arguments failed with KeyError"):
        parameters.bind([], {"a": {"x": 1}}, "f")
    with pytest.raises(Mismatch, match="the check of the result failed with KeyError"):
        result.check({"x": 1})


def test_a_wrong_argument_that_python_does_not_write_out_is_named_by_its_type() -> None:
    def f(a: int) -> None: ...

    parameters, _ = of_function(f, "f")
    with pytest.raises(Mismatch, match="got a Fraction"):
        parameters.bind([], {"a": Fraction(1 << 50_000, 3)}, "f")


# ---- what a guest could keep the host busy with --------------------------------------------------------------------

PRIME = 2**61 - 1  # hash(n) is n modulo this, for every number


class Seen(BaseModel):
    seen: set[int] = set()
    inner: "Seen | None" = None


def in_sets(numbers: set[int]) -> None: ...
def in_frozensets(numbers: frozenset[tuple[int, int]]) -> None: ...
def in_dicts(numbers: dict[int, str]) -> None: ...
def in_models(numbers: Seen) -> None: ...
def in_lists(numbers: list[set[int]]) -> None: ...


@pytest.mark.spec("C7.4", "D1")
@pytest.mark.timeout(30)
@pytest.mark.parametrize(
    ("function", "make"),
    [
        (in_sets, lambda keys: keys),
        (in_sets, lambda keys: [str(key) for key in keys]),
        (in_frozensets, lambda keys: [[1, key] for key in keys]),
        (in_dicts, lambda keys: {str(key): "x" for key in keys}),
        (in_models, lambda keys: {"seen": keys}),
        (in_models, lambda keys: {"inner": {"seen": keys}}),
        (in_lists, lambda keys: [keys]),
    ],
)
def test_keys_that_collide_after_the_check_make_no_set(function: Any, make: Any) -> None:
    parameters, _ = of_function(function, "f")
    few, many = [0, 1, -1, -2, PRIME], [key * PRIME for key in range(20_000)]
    parameters.bind([], {"numbers": make(few)}, "f")
    with pytest.raises(Mismatch, match="too many have the same hash"):
        parameters.bind([], {"numbers": make(many)}, "f")


def test_sets_and_dicts_are_what_they_were() -> None:
    parameters, _ = of_function(in_frozensets, "f")
    assert parameters.bind([[[1, 2], [1, "2"]]], {}, "f") == {"numbers": frozenset({(1, 2)})}
    parameters, _ = of_function(in_dicts, "f")
    assert parameters.bind([{"1": "a", 2: "b"}], {}, "f") == {"numbers": {1: "a", 2: "b"}}
    for wrong in ({"x": "a"}, [1], "x", 5, None):
        with pytest.raises(Mismatch):
            parameters.bind([wrong], {}, "f")
    parameters, _ = of_function(in_sets, "f")
    others: list[Any] = [["x"], {"a": 1}, "x", 5, [[1]]]
    for other in others:
        with pytest.raises(Mismatch):
            parameters.bind([other], {}, "f")


@pytest.mark.spec("C7.4", "D1")
@pytest.mark.timeout(30)
def test_a_huge_integer_is_no_decimal() -> None:
    def takes(amounts: list[Decimal]) -> None: ...

    parameters, _ = of_function(takes, "f")
    assert parameters.bind([[1, "2.5", 10**1_000]], {}, "f") == {
        "amounts": [Decimal(1), Decimal("2.5"), Decimal(10**1_000)]
    }
    with pytest.raises(Mismatch, match="more than 4096 bits"):
        parameters.bind([[1 << 1_000_000] * 100], {}, "f")
