"""Programs whose course depends on time, random numbers, results and errors of calls, and on the order of what
happens at once. Each is a few cells, and an expression that tells what has become of it."""

import asyncio
from collections.abc import Callable
from typing import Any

Program = tuple[list[str], str]


class World:
    """Capabilities whose answers are never the same twice."""

    def __init__(self) -> None:
        self.asked = 0

    def next_number(self) -> int:
        self.asked += 1
        return self.asked * 17 % 101

    def fails_at_times(self, at: int) -> str:
        self.asked += 1
        if self.asked % 2:
            raise ValueError(f"no luck at {at}, {self.asked}")
        return f"luck at {at}, {self.asked}"

    async def later(self, name: str, turns: int = 0) -> str:
        self.asked += 1
        mine = self.asked
        for _ in range(turns):
            await asyncio.sleep(0.001)
        return f"{name}{mine}"

    async def fails_later(self, turns: int) -> None:
        self.asked += 1
        for _ in range(turns):
            await asyncio.sleep(0.001)
        raise LookupError(f"gone {self.asked}")

    def blob(self, size: int) -> bytes:
        self.asked += 1
        return bytes((self.asked + i) % 256 for i in range(size))

    def capabilities(self) -> list[Callable[..., Any]]:
        return [self.next_number, self.fails_at_times, self.later, self.fails_later, self.blob]


PYTHON: dict[str, Program] = {
    "wall clock": (["import time\nnow = time.time()", "later_ = time.time()"], "now, later_, later_ >= now"),
    "monotonic clock": (["import time\nticks = [time.monotonic_ns() for _ in range(20)]"], "ticks"),
    "date branches": (
        ["import datetime\nd = datetime.datetime.now()\nkind = 'even' if d.microsecond % 2 == 0 else 'odd'"],
        "kind, d",
    ),
    "deadline loop": (
        ["import time\nend = time.monotonic() + 0.003\nrounds = 0\nwhile time.monotonic() < end: rounds += 1"],
        "rounds",
    ),
    "random module": (["import random\nxs = [random.randrange(1000) for _ in range(50)]"], "xs"),
    "operating system's random": (["import os, secrets\na = os.urandom(8); b = secrets.token_hex(4)"], "a, b"),
    "uuid": (["import uuid\nids = [str(uuid.uuid4()), str(uuid.uuid1())]"], "ids"),
    "hashes of texts": (["order = list({str(i) for i in range(30)})", "h = hash('a')"], "order, h"),
    "random branches call": (
        [
            "import random\ncalls = [next_number() if random.random() < 0.5 else fails_at_times if 0 else -1 "
            "for _ in range(9)]"
        ],
        "calls",
    ),
    "random walk over cells": (
        ["import random\npath = [0]", *["path.append(path[-1] + random.choice((-1, 1)))"] * 5],
        "path",
    ),
    "results decide": (["seen = []\nwhile sum(seen) < 200: seen.append(next_number())"], "seen"),
    "errors decide": (
        [
            "got = []\nfor i in range(6):\n    try:\n        got.append(fails_at_times(i))\n"
            "    except Exception as e:\n        got.append((type(e).__name__, str(e)))"
        ],
        "got",
    ),
    "error ends the cell": (["a = 1\nb = next_number()\nfails_at_times(0); fails_at_times(0)\na = 2"], "a, b"),
    "cell throws halfway": (["n = next_number()\nraise KeyError(n)"], "n"),
    "gather in one order": (
        ["import asyncio\nr = await asyncio.gather(*[later(c, 3 - i) for i, c in enumerate('abc')])"],
        "r",
    ),
    "as completed": (
        [
            "import asyncio\nr = [await f for f in asyncio.as_completed([later(c, 9 - 3 * i) for i, c in "
            "enumerate('abcd')])]"
        ],
        "r",
    ),
    "first of several": (
        [
            "import asyncio\nts = [asyncio.ensure_future(later(c, 5 * i)) for i, c in enumerate('abc')]\n"
            "done, rest = await asyncio.wait(ts, return_when=asyncio.FIRST_COMPLETED)\n"
            "first = sorted(t.result() for t in done)\nall_ = await asyncio.gather(*ts)"
        ],
        "first, all_",
    ),
    "tasks write as they end": (
        [
            "import asyncio, random\nlog = []\nasync def w(c, n):\n    log.append(await later(c, n))\n"
            "await asyncio.gather(*[w(c, random.randrange(6)) for c in 'abcdef'])"
        ],
        "log",
    ),
    "errors among tasks": (
        [
            "import asyncio\nr = await asyncio.gather(later('a', 3), fails_later(1), later('b'), "
            "return_exceptions=True)\n"
            "r = [x if isinstance(x, str) else repr(x) for x in r]"
        ],
        "r",
    ),
    "timer against call": (
        [
            "import asyncio\nasync def race():\n    try:\n        return await asyncio.wait_for(later('slow', "
            "40), 0.004)\n"
            "    except TimeoutError:\n        return 'too slow'\nr = [await race(), await later('x')]"
        ],
        "r",
    ),
    "sleeps": (["import asyncio, time\nt = time.time()\nawait asyncio.sleep(0.02)\ndt = time.time() - t"], "dt"),
    "cancelled task": (
        [
            "import asyncio\nt = asyncio.ensure_future(later('x', 500))\nawait asyncio.sleep(0.002)\nt.cancel()\n"
            "try:\n    await t\n    how = 'done'\nexcept asyncio.CancelledError:\n    how = 'cancelled'\nn = "
            "next_number()"
        ],
        "how, n",
    ),
    "bytes come back": (
        ["import zlib\nparts = [blob(n) for n in (0, 10, 70000)]\nc = [zlib.crc32(p) for p in parts]"],
        "c",
    ),
    "state over cells": (
        ["class Box:\n    def __init__(self): self.items = []\nb = Box()", "b.items.append(next_number())"] * 2,
        "b.items",
    ),
    "registered tool": (
        [
            "def twice(arguments):\n    return arguments['x'] * 2\n"
            "registerTool('twice', 'doubles', {'type': 'object', 'properties': {'x': {'type': 'integer'}}}, twice)",
            "r = await tools.eval_registered__twice.start(x=next_number())",
        ],
        "r, [t['name'] for t in listTools()]",
    ),
    "wrong arguments": (
        [
            "try:\n    blob('many')\nexcept Exception as e:\n    why = str(e)\ntry:\n    "
            "nothing_here()\nexcept NameError as e:\n    what = str(e)"
        ],
        "why, what",
    ),
}

JAVASCRIPT: dict[str, Program] = {
    "wall clock": (["const now = Date.now()", "const after = Date.now()"], "[now, after, after >= now]"),
    "performance clock": (["const ticks = Array.from({length: 20}, () => performance.now())"], "ticks"),
    "date branches": (["const kind = new Date().getMilliseconds() % 2 ? 'odd' : 'even'"], "kind"),
    "deadline loop": (["let rounds = 0; const end = Date.now() + 3; while (Date.now() < end) rounds++"], "rounds"),
    "random numbers": (["const xs = Array.from({length: 50}, Math.random)"], "xs"),
    "shuffle": (["const cards = [...Array(20).keys()].sort(() => Math.random() - 0.5)"], "cards"),
    "random branches call": (
        ["const calls = []; for (let i = 0; i < 9; i++) calls.push(Math.random() < 0.5 ? await next_number() : -1)"],
        "calls",
    ),
    "random walk over cells": (
        ["let path = [0]", *["path.push(path.at(-1) + (Math.random() < 0.5 ? -1 : 1))"] * 5],
        "path",
    ),
    "results decide": (
        ["const seen = []; let sum = 0; while (sum < 200) { const n = await next_number(); seen.push(n); sum += n }"],
        "seen",
    ),
    "errors decide": (
        [
            "const got = []; for (let i = 0; i < 6; i++) { try { got.push(await fails_at_times(i)) } "
            "catch (e) { got.push([e.name, e.message]) } }"
        ],
        "got",
    ),
    "error ends the cell": (
        ["let a = 1; const b = await next_number(); await fails_at_times(0); await fails_at_times(0); a = 2"],
        "[a, b]",
    ),
    "cell throws halfway": (["const n = await next_number(); throw new RangeError(String(n))"], "n"),
    "all in one order": (["const r = await Promise.all(['a', 'b', 'c'].map((c, i) => later(c, 3 - i)))"], "r"),
    "race": (["const r = await Promise.race(['a', 'b', 'c'].map((c, i) => later(c, 9 - 4 * i)))"], "r"),
    "any among errors": (
        ["const r = await Promise.any([fails_later(1), later('b', 6), later('c', 3), fails_later(0)])"],
        "r",
    ),
    "settled": (
        [
            "const r = (await Promise.allSettled([later('a', 3), fails_later(1), later('b')]))"
            ".map(x => x.value ?? String(x.reason))"
        ],
        "r",
    ),
    "written as they end": (
        [
            "const log = []; await Promise.all([...'abcdef'].map(async c => "
            "log.push(await later(c, Math.floor(Math.random() * 6)))))"
        ],
        "log",
    ),
    "timer against call": (
        [
            "const wait = ms => new Promise(r => setTimeout(() => r('too slow'), ms)); "
            "const r = [await Promise.race([later('slow', 40), wait(4)]), await later('x')]"
        ],
        "r",
    ),
    "sleeps": (
        ["const t = Date.now(); await new Promise(r => setTimeout(r, 20)); const dt = Date.now() - t"],
        "dt",
    ),
    "interval": (
        [
            "let n = 0; const ticks = []; await new Promise(done => { const h = setInterval(async () => { "
            "ticks.push(await next_number()); if (++n === 4) { clearInterval(h); done() } }, 2) })"
        ],
        "ticks",
    ),
    "generators": (
        [
            "async function* pages() { for (let i = 0; i < 4; i++) yield await later('p' + i, 3 - i) }\n"
            "const all = []; for await (const p of pages()) all.push(p)"
        ],
        "all",
    ),
    "bytes come back": (
        [
            "const sums = []; for (const n of [0, 10, 70000]) { const b = await blob(n); "
            "let s = 0; for (const x of b) s = (s * 31 + x) % 65521; sums.push(s) }"
        ],
        "sums",
    ),
    "state over cells": (
        [
            "class Box { items = [] }\nconst box = new Box()",
            "box.items.push(await next_number())",
            "box.items.push(await next_number())",
        ],
        "box.items",
    ),
    "registered tool": (
        [
            "registerTool('twice', 'doubles', {type: 'object', properties: {x: {type: 'integer'}}}, ({x}) => x * 2)",
            "const r = await tools.eval_registered__twice({x: await next_number()})",
        ],
        "[r, listTools().map(t => t.name)]",
    ),
    "wrong arguments": (
        [
            "let why, what; try { await blob('many') } catch (e) { why = e.message }\n"
            "try { nothing_here() } catch (e) { what = e.message }"
        ],
        "[why, what]",
    ),
    "chains of calls": (
        ["const end = await later('a').then(x => later(x, 2)).then(x => later(x, 1)).finally(() => next_number())"],
        "end",
    ),
}

PROGRAMS = {"python": PYTHON, "javascript": JAVASCRIPT}
