"""Cells that are suspended until somebody has decided."""

import asyncio
import base64
import json
import subprocess
import sys
from typing import Any

import pytest

from tests.support.child import ROOT, environment
from tests.support.drivers import Driver
from tests.support.guests import GUESTS, Guest
from wasmhost import (
    Allow,
    ApprovalRequest,
    CallEvent,
    Capability,
    Deny,
    Deterministic,
    HookCall,
    HookResult,
    Hooks,
    Limits,
    Policy,
    RuntimeFailure,
    RuntimeSuccess,
    SessionBusy,
    Suspend,
)
from wasmhost.session.session import Session


def later(request: ApprovalRequest) -> Suspend:
    return Suspend()


class Shop:
    """Capabilities of both kinds that count what they are asked to do."""

    def __init__(self) -> None:
        self.bought: list[Any] = []

    async def buy(self, item: Any) -> str:
        self.bought.append(item)
        return f"got {item}"

    def order(self, item: Any) -> str:
        self.bought.append(item)
        return f"ordered {item}"

    def session(self, guest: Guest, data: bytes | None = None, **options: Any) -> Session:
        given = {"capabilities": [self.buy, self.order], "approve": later, **options}
        return guest.runtime(**given) if data is None else guest.runtime.restore(data, **given)


BUY = {
    "buy": {
        "python": "print('before')\nx = await tools.buy(item='tea')\nprint('after')\nx + '!'",
        "javascript": "console.log('before'); const x = await tools.buy({ item: 'tea' }); "
        "console.log('after'); x + '!'",
    },
    "order": {
        "python": "print('before')\nx = tools.order(item='tea')\nprint('after')\nx + '!'",
        "javascript": "console.log('before'); const x = await tools.order({ item: 'tea' }); "
        "console.log('after'); x + '!'",
    },
}
ANSWER = {"buy": "got tea", "order": "ordered tea"}


@pytest.fixture(params=["buy", "order"])
def tool(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.spec("D5.1", "D5.2")
def test_a_cell_is_suspended_and_goes_on(guest: Guest, driver: Driver, tool: str) -> None:
    shop = Shop()
    with shop.session(guest) as session:
        driver.run(session, guest.assign("kept", "1"))
        result = driver.run(session, BUY[tool][guest.name])
        assert result.status == "suspended"
        assert not result.ok
        assert result.state == "kept"
        assert result.stdout == "before\n"
        assert [(call.id, call.state, call.executed) for call in result.calls] == [("c2.1", "suspended", False)]
        assert "is not to be run again" in (result.error or "")
        [request] = session.pending_approvals
        assert (request.call_id, request.name, request.input) == ("c2.1", tool, {"item": "tea"})
        assert shop.bought == []

        done = driver.resume(session, approvals={"c2.1": Allow()})
        assert done.value == ANSWER[tool] + "!", done.error
        assert done.status == "done"
        assert done.stdout == "before\nafter\n"
        assert [(call.id, call.state, call.permission) for call in done.calls] == [
            ("c2.1", "completed", "allow (asked)")
        ]
        assert shop.bought == ["tea"]
        assert session.pending_approvals == []
        assert driver.value(session, "kept") == 1
        assert driver.value(session, "x") == ANSWER[tool]


@pytest.mark.spec("D5.1")
def test_denied_later(guest: Guest, driver: Driver, tool: str) -> None:
    shop = Shop()
    with shop.session(guest) as session:
        driver.run(session, BUY[tool][guest.name])
        done = driver.resume(session, approvals={"c1.1": Deny("not today")})
        assert done.error_type == "PermissionError"
        assert "not today" in (done.error or "")
        assert done.calls[0].state == "denied"
        assert shop.bought == []
        assert driver.value(session, "1 + 1") == 2


@pytest.mark.spec("D5.1")
def test_without_a_decision_it_is_asked_again_and_suspended_again(guest: Guest, driver: Driver, tool: str) -> None:
    shop = Shop()
    with shop.session(guest) as session:
        driver.run(session, BUY[tool][guest.name])
        for _ in range(3):
            again = driver.resume(session)
            assert again.status == "suspended"
            assert again.stdout == "before\n"
            assert [call.id for call in again.calls] == ["c1.1"]
        assert driver.resume(session, approvals={"c1.1": Allow()}).value == ANSWER[tool] + "!"
        assert shop.bought == ["tea"]


MANY = {
    "python": "import asyncio\nout = await asyncio.gather(*[tools.buy(item=i) for i in range(4)], "
    "return_exceptions=True)\n"
    "[str(o) for o in out]",
    "javascript": "const out = await Promise.allSettled([0, 1, 2, 3].map(item => tools.buy({ item })));"
    "out.map(o => o.value ?? o.reason.message)",
}


@pytest.mark.spec("D5.1")
def test_several_calls_wait_side_by_side(guest: Guest, driver: Driver) -> None:
    shop = Shop()
    with shop.session(guest) as session:
        assert driver.run(session, MANY[guest.name]).status == "suspended"
        ids = [request.call_id for request in session.pending_approvals]
        assert ids == [f"c1.{n}" for n in range(1, 5)]
        half = driver.resume(session, approvals={ids[0]: Allow(), ids[2]: Deny("no")})
        assert half.status == "suspended"
        assert [request.call_id for request in session.pending_approvals] == [ids[1], ids[3]]
        assert shop.bought == [0]
        done = driver.resume(session, approvals={ids[1]: Allow(), ids[3]: Allow()})
        assert done.value == ["got 0", "got 1", "buy was denied: no", "got 3"], done.error
        assert sorted(shop.bought) == [0, 1, 3]


@pytest.mark.spec("D5.1")
def test_what_needs_no_decision_is_done_before_the_cell_is_suspended(guest: Guest, driver: Driver) -> None:
    shop = Shop()
    code = guest.pick(
        python="import asyncio\nfirst = asyncio.ensure_future(tools.buy(item='a'))\nb = "
        "tools.order(item='b')\n[await first, b]",
        javascript="const first = tools.buy({ item: 'a' }); const b = await tools.order({ item: 'b' }); "
        "[await first, b]",
    )
    with shop.session(guest, policy=Policy(allow=["order"])) as session:
        result = driver.run(session, code)
        assert result.status == "suspended"
        assert shop.bought == ["b"]
        [request] = session.pending_approvals
        assert request.input == {"item": "a"}
        done = driver.resume(session, approvals={request.call_id: Allow()})
        assert done.value == ["got a", "ordered b"]
        assert shop.bought == ["b", "a"]


@pytest.mark.spec("D5.5")
def test_calls_before_a_blocking_one_are_not_made_again(guest: Guest, driver: Driver) -> None:
    shop = Shop()
    code = guest.pick(
        python="import random\nn = random.random()\na = tools.order(item=1)\nb = tools.order(item=2)\n"
        "c = tools.order(item=[n])\n[a, b, n]",
        javascript="const n = Math.random(); const a = await tools.order({ item: 1 }), b = await "
        "tools.order({ item: 2 });"
        "await tools.order({ item: [n] }); [a, b, n]",
    )
    with shop.session(guest, policy=Policy([*one_and_two()])) as session:
        driver.run(session, guest.assign("kept", "5"))
        assert driver.run(session, code).status == "suspended"
        assert shop.bought == [1, 2]
        [request] = session.pending_approvals
        done = driver.resume(session, approvals={request.call_id: Allow()})
        assert done.ok, done.error
        assert done.value[:2] == ["ordered 1", "ordered 2"]
        # The random number of the first part is still the one that was sent.
        assert shop.bought == [1, 2, [done.value[2]]]
        assert [call.state for call in done.calls] == ["completed"] * 3
        assert driver.value(session, "kept") == 5


def one_and_two() -> Any:
    from wasmhost import Rule

    return [Rule("order", "allow", {"item": 1}), Rule("order", "allow", {"item": 2})]


@pytest.mark.spec("D5.4")
def test_policy_is_asked_again(guest: Guest, tool: str) -> None:
    shop = Shop()
    with shop.session(guest) as session:
        session.run(BUY[tool][guest.name])
        data = session.snapshot()
    with shop.session(guest, data, policy=Policy(deny=[tool])) as other:
        done = other.resume_blocking(approvals={"c1.1": Allow()})
        assert "the policy denies it" in (done.error or "")
    assert shop.bought == []


@pytest.mark.spec("D5.4")
def test_an_approval_holds_for_the_input_that_it_was_given_for(guest: Guest, tool: str) -> None:
    shop = Shop()
    with shop.session(guest) as session:
        session.run(BUY[tool][guest.name])
        data = session.snapshot()

    def rewrite(call: HookCall) -> HookResult:
        return HookResult(input={"item": "gold"})

    with shop.session(guest, data, hooks=Hooks(pre=[rewrite])) as other:
        again = other.resume_blocking(approvals={"c1.1": Allow()})
        assert again.status == "suspended"
        assert other.pending_approvals[0].input == {"item": "gold"}
        assert shop.bought == []
        assert other.resume_blocking(approvals={"c1.1": Allow()}).ok
        assert shop.bought == ["gold"]


def test_misuse_of_resume(guest: Guest, tool: str) -> None:
    shop = Shop()
    with shop.session(guest) as session:
        session.run(BUY[tool][guest.name])
        with pytest.raises(SessionBusy, match=r"resume\(\) goes on with it, reset\(\) gives it up"):
            session.run("1")
        with pytest.raises(LookupError, match=r"no call 'c9' waits for an approval; those that do: c1.1"):
            session.resume_blocking(approvals={"c9": Allow()})
        with pytest.raises(TypeError, match="must be Allow"):
            session.resume_blocking(approvals={"c1.1": True})  # type: ignore[dict-item]
        session.reset_blocking()
        assert session.pending_approvals == []
        assert session.run("1 + 1").value == 2
        with pytest.raises(LookupError):
            session.resume_blocking()


@pytest.mark.spec("D5.1", "D6.1")
def test_a_resumed_cell_that_ends_hard_goes_back_to_before_it(guest: Guest, driver: Driver, tool: str) -> None:
    shop = Shop()
    code = BUY[tool][guest.name] + guest.pick(python="\n", javascript=";\n") + guest.spin_that_cannot_be_asked
    with shop.session(guest, limits=Limits(script_ms=100)) as session:
        driver.run(session, guest.assign("kept", "1"))
        assert driver.run(session, code).status == "suspended"
        ended = driver.resume(session, approvals={"c2.1": Allow()})
        assert ended.state == "restored"
        assert ended.stop is not None
        assert driver.value(session, "kept") == 1
        assert shop.bought == ["tea"]


@pytest.mark.spec("D5.3", "D4.2")
def test_a_fork_of_a_suspended_cell_decides_for_itself(guest: Guest, driver: Driver, tool: str) -> None:
    shop = Shop()
    with shop.session(guest) as session:
        driver.run(session, BUY[tool][guest.name])
        yes, no = session.fork(2)
        assert driver.resume(yes, approvals={"c1.1": Allow()}).value == ANSWER[tool] + "!"
        assert "nope" in (driver.resume(no, approvals={"c1.1": Deny("nope")}).error or "")
        assert driver.resume(session, approvals={"c1.1": Allow()}).value == ANSWER[tool] + "!"
        assert shop.bought == ["tea", "tea"]
        yes.close()
        no.close()


# ---- twenty programs, suspended at every call, each time resumed in a new process -----------------------------------

PYTHON_PROGRAMS = {
    "one": "await tools.buy(item=1)",
    "blocking": "tools.order(item=1)",
    "three in a row": "[await tools.buy(item=i) for i in range(3)]",
    "three blocking in a row": "[tools.order(item=i) for i in range(3)]",
    "alternating": "[await tools.buy(item=1), tools.order(item=2), await tools.buy(item=3)]",
    "output": "for i in range(3):\n    print('round', i)\n    await tools.buy(item=i)\nprint('end')",
    "function": "def f(n):\n    return 1 if n == 0 else len(tools.order(item=n)) * f(n - 1)\nf(3)",
    "coroutine": "async def f(n):\n    return await tools.buy(item=n) + (await f(n - 1) if n else '')\nawait f(2)",
    "gather": "import asyncio\nawait asyncio.gather(tools.buy(item=1), tools.buy(item=2))",
    "task left over a blocking call": "import asyncio\nt = asyncio.ensure_future(tools.buy(item=1))\n"
    "await asyncio.sleep(0)\nb = tools.order(item=2)\n[await t, b]",
    "class": "class C:\n    async def __aenter__(self):\n        self.x = await tools.buy(item='in')\n        "
    "return self\n"
    "    async def __aexit__(self, *a):\n        self.y = await tools.buy(item='out')\nasync with C() as c: "
    "pass\n[c.x, c.y]",
    "generator": "def g():\n    for i in range(3):\n        yield tools.order(item=i)\nlist(g())",
    "async generator": "async def g():\n    for i in range(3):\n        yield await tools.buy(item=i)\n[x "
    "async for x in g()]",
    "try": "try:\n    await tools.buy(item=1)\n    1 / 0\nexcept ZeroDivisionError:\n    r = "
    "tools.order(item='saved')\nr",
    "failure": "tools.order(item=1)\nraise KeyError('at the end')",
    "sorted by calls": "sorted([3, 1, 2], key=lambda n: tools.order(item=n))",
    "big value": "s = 'x' * 100_000\nlen(await tools.buy(item=s))",
    "bytes": "r = tools.order(item=b'abc')\nr",
    "timer": "import asyncio\nawait asyncio.sleep(0.01)\nr = await tools.buy(item=1)\nawait asyncio.sleep(0.01)\nr",
    "comprehension over state": "items = {i: await tools.buy(item=i) for i in 'ab'}\nitems",
}
JAVASCRIPT_PROGRAMS = {
    "one": "await tools.buy({ item: 1 })",
    "sync": "await tools.order({ item: 1 })",
    "three in a row": "const r = []; for (let i = 0; i < 3; i++) r.push(await tools.buy({ item: i })); r",
    "alternating": "[await tools.buy({ item: 1 }), await tools.order({ item: 2 }), await tools.buy({ item: 3 })]",
    "output": "for (let i = 0; i < 3; i++) { console.log('round', i); await tools.buy({ item: i }) } "
    "console.log('end')",
    "function": "async function f(n) { return n === 0 ? 1 : (await tools.order({ item: n })).length * await "
    "f(n - 1) } await f(3)",
    "all": "await Promise.all([tools.buy({ item: 1 }), tools.buy({ item: 2 })])",
    "race": "await Promise.race([tools.buy({ item: 1 })])",
    "then": "await tools.buy({ item: 1 }).then(r => tools.buy({ item: r })).finally(() => console.log('finally'))",
    "class": "class C { async go() { this.x = await tools.buy({ item: 'go' }); return this } } const c = "
    "await new C().go(); c.x",
    "async generator": "async function* g() { for (let i = 0; i < 3; i++) yield await tools.buy({ item: i }) }"
    "const r = []; for await (const x of g()) r.push(x); r",
    "try": "let r; try { await tools.buy({ item: 1 }); null.x } catch (e) { r = await tools.order({ item: "
    "e.name }) } r",
    "failure": "await tools.order({ item: 1 }); throw new RangeError('at the end')",
    "big value": "const s = 'x'.repeat(100000); (await tools.buy({ item: s })).length",
    "bytes": "await tools.order({ item: new Uint8Array([97, 98]) })",
    "timer": "await new Promise(r => setTimeout(r, 10)); const r = await tools.buy({ item: 1 });"
    "await new Promise(r => setTimeout(r, 10)); r",
    "closure": "let n = 0; const next = async () => tools.buy({ item: ++n }); [await next(), await next(), n]",
    "map and set": "const m = new Map(); for (const k of 'ab') m.set(k, await tools.buy({ item: k })); m",
    "destructuring with a call": "const [a, b = await tools.buy({ item: 'b' })] = [await tools.order({ item: "
    "'a' })]; [a, b]",
    "label and continue": "outer: for (let i = 0; i < 3; i++) { for (;;) { await tools.buy({ item: i }); "
    "continue outer } } 'done'",
}
PROGRAMS = {"python": PYTHON_PROGRAMS, "javascript": JAVASCRIPT_PROGRAMS}

CHILD = """
import base64, json, sys
from tests.state.test_suspend import Shop, outcome
from tests.support.guests import GUESTS
from wasmhost import Allow

given = json.load(sys.stdin)
out = {}
for name, data in given["sessions"].items():
    shop = Shop()
    with shop.session(GUESTS[given["guest"]], base64.b64decode(data)) as session:
        first = session.pending_approvals[0].call_id
        result = session.resume_blocking(approvals={first: Allow()})
        out[name] = {"bought": [repr(one) for one in shop.bought]}
        if result.status == "suspended":
            out[name]["next"] = base64.b64encode(session.snapshot()).decode()
        else:
            out[name]["result"] = outcome(result)
json.dump(out, sys.stdout)
"""


def outcome(result: RuntimeSuccess | RuntimeFailure) -> dict[str, Any]:
    made = json.loads(result.to_json())
    kept = ("ok", "stdout", "stderr", "value", "valueText", "error", "errorType", "status", "state")
    outcome = {key: made.get(key) for key in kept}
    outcome["calls"] = [
        {key: call.get(key) for key in ("id", "name", "state", "input", "result")} for call in made["calls"]
    ]
    return outcome


@pytest.mark.spec("D5.3", "D5.5")
@pytest.mark.parametrize("name", list(GUESTS))
def test_twenty_programs_suspended_at_each_call(name: str) -> None:
    guest = GUESTS[name]
    programs = PROGRAMS[name]
    assert len(programs) == 20
    expected, bought = {}, {}
    waiting: dict[str, str] = {}
    for title, code in programs.items():
        shop = Shop()
        with shop.session(guest, approve=lambda request: True) as session:
            expected[title] = outcome(session.run(code))
            bought[title] = sorted(repr(one) for one in shop.bought)
        with Shop().session(guest) as session:
            assert session.run(code).status == "suspended", title
            waiting[title] = base64.b64encode(session.snapshot()).decode()
    got: dict[str, Any] = {}
    done: dict[str, list[str]] = {title: [] for title in programs}
    rounds = 0
    while waiting:
        rounds += 1
        assert rounds < 10
        child = subprocess.run(
            [sys.executable, "-c", CHILD],
            input=json.dumps({"guest": name, "sessions": waiting}),
            capture_output=True,
            text=True,
            timeout=120,
            env=environment(),
            cwd=ROOT,
        )
        assert child.returncode == 0, child.stderr[-3000:]
        waiting = {}
        for title, one in json.loads(child.stdout).items():
            done[title] += one["bought"]
            if "next" in one:
                waiting[title] = one["next"]
            else:
                got[title] = one["result"]
    for title in programs:
        assert got[title] == expected[title], title
        assert sorted(done[title]) == bought[title], title
    assert rounds >= 3


FLYING = {
    "python": "import asyncio\nout = await asyncio.gather(*[getattr(tools, n)(n=1) for n in names], "
    "return_exceptions=True)\n[str(o) for o in out]",
    "javascript": "const out = await Promise.allSettled(names.map(n => tools[n]({ n: 1 })));"
    "out.map(o => o.value ?? o.reason.message)",
}


@pytest.mark.spec("D4.2", "D4.8")
def test_a_call_in_flight_is_made_again_only_where_that_is_harmless(guest: Guest) -> None:
    """Stored while five calls are under way: one is done, three have begun, one waits for its place."""
    made: list[tuple[str, str]] = []
    names = ["done", "look", "put", "send", "queued"]

    def capabilities(where: str, release: asyncio.Event, begun: asyncio.Event) -> list[Capability]:
        def one(name: str) -> Capability:
            async def work(n: int) -> str:
                made.append((where, name))
                if name == "send":
                    begun.set()
                if name != "done":
                    await release.wait()
                return f"{name} {where}"

            return Capability.of(work, name=name, read_only=name == "look", idempotent=name == "put")

        return [one(name) for name in names]

    async def main() -> None:
        here, there, begun = asyncio.Event(), asyncio.Event(), asyncio.Event()
        there.set()
        limits = Limits(parallel_calls=3)
        async with guest.runtime(
            capabilities=capabilities("here", here, begun), policy="allow", limits=limits
        ) as session:
            await session.execute(guest.assign("names", json.dumps(names)))
            running = asyncio.create_task(session.execute(FLYING[guest.name]))
            await begun.wait()
            data = b""
            while not data:
                try:
                    data = session.snapshot()
                except SessionBusy:
                    await asyncio.sleep(0.001)
            assert sorted(made) == [("here", name) for name in ("done", "look", "put", "send")]
            options: dict[str, Any] = {
                "capabilities": capabilities("there", there, begun),
                "policy": "allow",
                "limits": limits,
            }
            async with guest.runtime.restore(data, **options) as other:
                result = await other.resume()
            assert result.ok, result.error
            lost = "send was in flight when the session was stored; its effect may have happened: look before you "
            expected = ["done here", "look there", "put there", f"{lost}make it again", "queued there"]
            assert result.value == expected
            states = {call.name: (call.id, call.state) for call in result.calls}
            assert states == {
                name: (f"c2.{number}", "unknown" if name == "send" else "completed")
                for number, name in enumerate(names, 1)
            }
            assert sorted(made[4:]) == [("there", name) for name in ("look", "put", "queued")]
            here.set()
            assert (await running).value == [f"{name} here" for name in names]
            assert len(made) == 4 + 3 + 1

    asyncio.run(main())


@pytest.mark.spec("D4.2", "D4.8")
def test_a_call_that_is_done_is_never_made_again_though_the_guest_does_not_know_yet(guest: Guest) -> None:
    """Answers come in the order of the calls here, so that of the second one waits for the first."""
    made: list[str] = []

    async def main() -> None:
        release, done = asyncio.Event(), asyncio.Event()

        async def slow(n: int) -> str:
            made.append("slow")
            await release.wait()
            return "slow"

        async def quick(n: int) -> str:
            made.append("quick")
            return f"quick {len(made)}"

        def told(event: CallEvent) -> None:
            if event.kind == "complete" and event.call.name == "quick":
                done.set()

        options: dict[str, Any] = {
            "capabilities": [Capability.of(slow, read_only=True), quick],
            "policy": "allow",
            "on_event": told,
            "deterministic": Deterministic(seed=b"x" * 32),
        }
        async with guest.runtime(**options) as session:
            await session.execute(guest.assign("names", json.dumps(["slow", "quick"])))
            running = asyncio.create_task(session.execute(FLYING[guest.name]))
            await done.wait()
            data = b""
            while not data:
                try:
                    data = session.snapshot()
                except SessionBusy:
                    await asyncio.sleep(0.001)
            release.set()
            assert (await running).value == ["slow", "quick 2"]
        async with guest.runtime.restore(data, **options) as other:
            assert (await other.resume()).value == ["slow", "quick 2"]
        assert made == ["slow", "quick", "slow"]

    asyncio.run(main())
