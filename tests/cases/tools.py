"""The tools of the open cases, as their texts say, and what has to be true on the host afterwards."""

import inspect
from collections.abc import Callable
from typing import Any, ClassVar

import anyio

from wasmhost import Deny, Policy, RuntimeFailure, RuntimeSuccess

Results = list[RuntimeSuccess | RuntimeFailure]


class Tools:
    """Capabilities, options of the runtime, and checks of one case."""

    options: ClassVar[dict[str, Any]] = {"policy": "allow"}

    @property
    def capabilities(self) -> list[Callable[..., Any]]:
        found = [getattr(self, name) for name in vars(type(self)) if not name.startswith("_")]
        return [one for one in found if inspect.iscoroutinefunction(one)]

    def _checks(self, results: Results) -> list[str]:
        return []


class Lookup(Tools):
    async def lookup(self, id: int) -> None:
        raise ValueError(f"row {id} missing")

    async def ok(self) -> dict[str, int]:
        return {"n": 1}


class Arguments(Tools):
    def __init__(self) -> None:
        self._added = 0

    async def add(self, a: int, b: int) -> int:
        self._added += 1
        return a + b

    async def greet(self, name: str = "world") -> str:
        return f"hello {name}"

    def _checks(self, results: Results) -> list[str]:
        executed = [call.executed for call in results[0].calls]
        found = [] if executed == [False] else [f"add ran in cell 1: {executed}"]
        told = sum(call.executed for result in results for call in result.calls if call.name == "add")
        return found + ([] if self._added == told else [f"add ran {self._added} times, the records say {told}"])


class Denied(Tools):
    options: ClassVar[dict[str, Any]] = {
        "policy": Policy(allow=["read_file"], ask=["delete_file"]),
        "approve": lambda request: Deny("no"),
    }

    def __init__(self) -> None:
        self._deleted = 0

    async def delete_file(self, path: str) -> None:
        self._deleted += 1

    async def read_file(self, path: str) -> str:
        return f"content of {path}"

    def _checks(self, results: Results) -> list[str]:
        calls = [call for result in results for call in result.calls]
        states = sorted(call.state for call in calls)
        found = [] if self._deleted == 0 else ["delete_file ran"]
        found += [] if states == ["completed", "denied", "denied"] else [f"states {states}"]
        return found + ([] if len({call.id for call in calls}) == 3 else ["ids are not unique"])


class Slow(Tools):
    async def slow(self, seconds: float) -> str:
        await anyio.sleep(seconds)
        return f"slept {seconds:g}"


class Parallel(Tools):
    def __init__(self) -> None:
        self._running = self._most = 0

    async def work(self, i: int) -> int:
        self._running += 1
        self._most = max(self._most, self._running)
        await anyio.sleep((80 - 3 * i) / 1000)
        self._running -= 1
        return i * 10

    async def fail(self) -> None:
        raise RuntimeError("work refused")

    def _checks(self, results: Results) -> list[str]:
        return [] if 2 <= self._most <= 4 else [f"{self._most} handlers ran at once"]


class Binary(Tools):
    async def read_bytes(self) -> bytes:
        return bytes(range(256))

    async def size_of(self, data: bytes) -> int:
        return len(data)

    async def big_text(self) -> str:
        return "x" * (5 * 1024 * 1024 - 3) + "end"


class Unawaited(Tools):
    def __init__(self) -> None:
        self._written: list[str] = []

    async def write(self, path: str, text: str) -> None:
        await anyio.sleep(0.3)
        self._written.append(path)

    async def echo(self, text: str) -> str:
        return text

    def _checks(self, results: Results) -> list[str]:
        (call,) = results[0].calls
        wanted = ["a"] if call.state == "completed" else []
        return [] if self._written == wanted else [f"write is {call.state}, and {self._written} was written"]


OF_CASE: dict[str, type[Tools]] = {
    "host-01": Lookup,
    "host-02": Arguments,
    "host-03": Denied,
    "host-04": Slow,
    "host-05": Parallel,
    "host-06": Binary,
    "host-07": Unawaited,
}

# Cells whose note takes an error as well, and what it has to say. Row B8 asks for the error.
ERROR_WILL_DO = {("host-07", 2): "await"}
