"""D2: the same program uses the same fuel, on every run, in every process, with either driver."""

import json

import pytest

from tests.support.child import run_python
from tests.support.drivers import DRIVERS, Driver
from tests.support.guests import Guest
from wasmhost import Limits
from wasmhost.session.session import Session

pytestmark = pytest.mark.spec("D2")

# In the language of each guest, with the same work.
PYTHON = {
    "arithmetic": "sum(i * i for i in range(20_000))",
    "functions": "def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\nfib(15)",
    "strings": "'-'.join(str(i) for i in range(3000)).upper()[:50]",
    "maps": "d = {}\nfor i in range(5000): d[f'k{i % 700}'] = i\nlen(d)",
    "sorting": "sorted((i * 7919) % 10_007 for i in range(3000))[5]",
    "objects": "class P:\n  def __init__(s, x): s.x = x\nsum(P(i).x for i in range(3000))",
    "regex": "import re\nlen(re.findall(r'\\w+', 'one two three ' * 300))",
    "json": "import json\nlen(json.dumps([{'a': i, 'b': [i] * 3} for i in range(300)]))",
    "printing": "for i in range(200): print(i, [i])",
    "errors": "def f(n):\n  if n == 0: raise ValueError('no')\n  f(n - 1)\nf(20)",
    "big numbers": "len(str(3 ** 5000))",
    "awaiting": "import asyncio\nfor _ in range(50): await asyncio.sleep(0)",
}
JAVASCRIPT = {
    "arithmetic": "let s = 0; for (let i = 0; i < 20_000; i++) s += i * i; s",
    "functions": "function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }\nfib(15)",
    "strings": "Array.from({ length: 3000 }, (_, i) => String(i)).join('-').toUpperCase().slice(0, 50)",
    "maps": "const d = new Map(); for (let i = 0; i < 5000; i++) d.set('k' + i % 700, i); d.size",
    "sorting": "Array.from({ length: 3000 }, (_, i) => i * 7919 % 10_007).sort((a, b) => a - b)[5]",
    "objects": "class P { constructor(x) { this.x = x } }\nlet n = 0; for (let i = 0; i < 3e3; i++) n += new P(i).x; n",
    "regex": "('one two three '.repeat(300).match(/\\w+/g)).length",
    "json": "JSON.stringify(Array.from({ length: 300 }, (_, i) => ({ a: i, b: [i, i, i] }))).length",
    "printing": "for (let i = 0; i < 200; i++) console.log(i, [i])",
    "errors": "function f(n) { if (n === 0) throw new Error('no'); f(n - 1) }\nf(20)",
    "big numbers": "String(3n ** 5000n).length",
    "awaiting": "for (let i = 0; i < 50; i++) await null",
}


def fuel_of(guest: Guest, driver: Driver) -> dict[str, int]:
    """Of every program in one session, one after the other."""
    made = {}
    # Time is not what this is about, and the machine may be busy.
    with guest.runtime(limits=Limits(script_ms=60_000)) as session:
        for name, code in guest.pick(python=PYTHON, javascript=JAVASCRIPT).items():
            result = driver.run(session, code)
            assert result.ok or name == "errors", result.error
            made[name] = result.fuel
    return made


@pytest.mark.spec("D2.1")
def test_fuel_is_the_same_on_every_run_and_with_every_driver(guest: Guest) -> None:
    expected = fuel_of(guest, DRIVERS["blocking"])
    assert all(fuel > 1_000 for fuel in expected.values())
    for driver in DRIVERS.values():
        for _ in range(2):
            assert fuel_of(guest, driver) == expected


@pytest.mark.spec("D2.2")
def test_fuel_is_the_same_in_other_processes(guest: Guest) -> None:
    code = f"""
        import json
        from tests.conformance.test_fuel import DRIVERS, fuel_of
        from tests.support.guests import GUESTS
        print(json.dumps(fuel_of(GUESTS["{guest.name}"], DRIVERS["blocking"])))
    """
    here = fuel_of(guest, DRIVERS["blocking"])
    for seed in ("0", "12345"):
        child = run_python(code, PYTHONHASHSEED=seed, LANG="C", TZ="Asia/Tokyo")
        assert json.loads(child.stdout) == here


def test_fuel_does_not_depend_on_what_others_do(guest: Guest) -> None:
    import threading

    stop = threading.Event()

    def load() -> None:
        with guest.runtime() as session:
            while not stop.is_set():
                session.run(guest.pick(python="sum(range(10_000))", javascript="for (let i = 0; i < 1e4; i++) {}"))

    alone = fuel_of(guest, DRIVERS["blocking"])
    threads = [threading.Thread(target=load) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        assert fuel_of(guest, DRIVERS["blocking"]) == alone
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_more_work_takes_more_fuel(session: Session, guest: Guest, driver: Driver) -> None:
    def fuel(count: int) -> int:
        code = guest.pick(python=f"for i in range({count}): pass", javascript=f"for (let i = 0; i < {count}; i++) {{}}")
        return driver.run(session, code).fuel

    fuel(10)
    small, middle, large = fuel(1_000), fuel(101_000), fuel(201_000)
    assert large - middle == pytest.approx(middle - small, rel=0.01)
    assert middle > 10 * small


def test_the_fuel_of_a_first_cell_does_not_depend_on_the_seed(guest: Guest) -> None:
    seen = set()
    for _ in range(25):
        with guest.runtime() as session:
            seen.add(session.run("1 + 1").fuel)
    assert len(seen) == 1


@pytest.mark.spec("D2.3", "D1.4")
def test_a_fuel_budget_holds_and_what_suffices_suffices(guest: Guest, driver: Driver) -> None:
    code = guest.pick(python="sum(range(50_000))", javascript="let s = 0; for (let i = 0; i < 50_000; i++) s += i; s")
    with guest.runtime() as session:
        driver.run(session, "1")
        needed = driver.run(session, code).fuel
    for budget in (needed, needed // 2, 1):
        with guest.runtime() as session:
            driver.run(session, "1")
            result = driver.run(session, code, limits=Limits(fuel=budget))
            assert result.ok is (budget == needed)
            assert result.fuel <= budget
            if budget < needed:
                assert result.stop is not None
                assert (result.stop.limit, result.stop.layer) == ("fuel", "hard")
                assert result.stop.used == result.fuel
            assert driver.value(session, "1 + 1") == 2


@pytest.mark.spec("D2.3")
def test_a_spent_budget_stops_at_the_same_place_on_every_run(guest: Guest, driver: Driver) -> None:
    code = guest.pick(python="for i in range(10**9): print(i)", javascript="for (let i = 0; ; i++) console.log(i)")

    def printed() -> str:
        with guest.runtime() as session:
            result = driver.run(session, code, limits=Limits(fuel=5_000_000))
            assert result.stop is not None
            return result.stdout

    first = printed()
    assert len(first) > 20
    assert printed() == first
