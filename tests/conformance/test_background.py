"""C6: timers, tasks and callbacks that a cell leaves: when they go on, whose output they print, how they are named."""

import time
from typing import Any

import pytest

from tests.support.drivers import Driver
from tests.support.guests import Guest
from wasmhost import (
    Allow,
    ApprovalRequest,
    Deterministic,
    JavaScriptRuntime,
    Limits,
    ReplayLog,
    RuntimeFailure,
    RuntimeSuccess,
    Suspend,
    TypeScriptRuntime,
)
from wasmhost.session.session import Session

Result = RuntimeSuccess | RuntimeFailure


def leave(guest: Guest) -> str:
    """A cell that leaves something which counts in `n`, and prints what it has counted."""
    return str(
        guest.pick(
            python="import asyncio\nn = 0\nasync def count():\n    global n\n    while True:\n"
            "        await asyncio.sleep(0.001)\n        n += 1\n        print('tick', n)\n"
            "task = asyncio.create_task(count())",
            javascript="var n = 0; const id = setInterval(function count() { n++; console.log('tick', n) }, 1); 0",
        )
    )


def wait(guest: Guest, milliseconds: int = 20) -> str:
    return str(
        guest.pick(
            python=f"await asyncio.sleep({milliseconds / 1000})",
            javascript=f"await new Promise((done) => setTimeout(done, {milliseconds}))",
        )
    )


def quiet(guest: Guest) -> str:
    return str(guest.pick(python="task.cancel()", javascript="clearInterval(id)"))


def holding(guest: Guest, **options: Any) -> Session:
    return guest.runtime(background="hold", **options)


def ticks(result: Result) -> int:
    assert set(result.background["stdout"].split("\n")[:-1]) == {
        f"tick {i + 1}" for i in range(_first(result) - 1, _last(result))
    }
    return _last(result)


def _first(result: Result) -> int:
    return int(result.background["stdout"].split("\n")[0].split()[1])


def _last(result: Result) -> int:
    return int(result.background["stdout"].split("\n")[-2].split()[1])


# ---- when it goes on -----------------------------------------------------------------------------------------------


@pytest.mark.spec("C6.1", "C6.3")
def test_what_is_left_goes_on_while_a_later_cell_waits_and_prints_as_background(guest: Guest, driver: Driver) -> None:
    with holding(guest) as session:
        assert driver.run(session, leave(guest)).background == {"stdout": "", "stderr": ""}
        result = driver.run(session, f"{guest.out('mine')}\n{wait(guest)}\n{guest.out('still mine')}")
        assert result.stdout == "mine\nstill mine\n"
        assert ticks(result) >= 1
        again = driver.run(session, wait(guest))
        assert _first(again) == _last(result) + 1
        assert driver.run(session, quiet(guest)).ok
        assert driver.run(session, wait(guest)).background == {"stdout": "", "stderr": ""}


@pytest.mark.spec("C6.3")
def test_nothing_runs_between_cells_or_in_one_that_does_not_wait(guest: Guest, driver: Driver) -> None:
    with holding(guest) as session:
        driver.run(session, leave(guest))
        time.sleep(0.02)
        result = driver.run(session, "n")
        assert (result.value, result.background["stdout"]) == (0, "")


@pytest.mark.spec("C6.3")
@pytest.mark.parametrize("options", [{}, {"background": "clear"}])
def test_timers_end_with_their_cell_unless_they_are_held(driver: Driver, options: dict[str, Any]) -> None:
    for runtime in (JavaScriptRuntime, TypeScriptRuntime):
        with runtime(**options) as session:
            result = driver.run(
                session, "var n = 0; setInterval(() => console.log(n++), 1); setTimeout(() => n = 99); 0"
            )
            assert (result.ok, list(result.notes)) == (True, [])
            result = driver.run(session, "await new Promise((done) => setTimeout(done, 20)); n")
            assert (result.value, result.stdout, result.background["stdout"]) == (0, "", "")


@pytest.mark.spec("C6.3")
def test_a_timer_of_typescript_is_held(driver: Driver) -> None:
    with TypeScriptRuntime(background="hold") as session:
        driver.run(session, "setTimeout((text: string) => console.log(text), 1, 'typed'); 0")
        assert (
            driver.run(session, "await new Promise((done) => setTimeout(done, 20))").background["stdout"] == "typed\n"
        )


def test_the_mode_is_one_of_two(guest: Guest) -> None:
    with pytest.raises(ValueError, match='background is "clear" or "hold", not \'keep\''):
        guest.runtime(background="keep")


@pytest.mark.spec("C6.3")
def test_a_later_cell_waits_for_what_is_left(guest: Guest, driver: Driver) -> None:
    with holding(guest) as session:
        driver.run(
            session,
            guest.pick(
                python="import asyncio\nasync def work():\n    await asyncio.sleep(0.005)\n    return 5\n"
                "later = asyncio.create_task(work())",
                javascript="const later = new Promise((done) => setTimeout(done, 5, 5)); 0",
            ),
        )
        assert driver.value(session, "await later") == 5
        result = driver.run(session, "1")
        assert list(result.notes) == []


@pytest.mark.spec("C6.3")
def test_a_reset_ends_what_is_left(guest: Guest, driver: Driver) -> None:
    with holding(guest) as session:
        driver.run(session, leave(guest))
        driver.reset(session)
        result = driver.run(session, guest.pick(python="import asyncio\n", javascript="") + wait(guest))
        assert (list(result.notes), result.background["stdout"]) == ([], "")


# ---- whose output it is --------------------------------------------------------------------------------------------


@pytest.mark.spec("C6.1")
def test_a_cell_that_awaits_what_is_left_prints_for_itself(guest: Guest, driver: Driver) -> None:
    with holding(guest) as session:
        driver.run(
            session,
            guest.pick(
                python="import asyncio, sys\nasync def inner():\n    await asyncio.sleep(0.002)\n    print('inner')\n"
                "async def work():\n    await asyncio.sleep(0.001)\n    print('work')\n"
                "    await asyncio.create_task(inner())\n    print('failed', file=sys.stderr)\n    return 5\n"
                "later = asyncio.create_task(work())",
                javascript="const nap = (ms) => new Promise((done) => setTimeout(done, ms));\n"
                "async function inner() { await nap(2); console.log('inner') }\n"
                "async function work() { await nap(1); console.log('work'); "
                "await inner(); console.error('failed'); return 5 }\n"
                "const later = work(); 0",
            ),
        )
        result = driver.run(
            session,
            guest.pick(
                python="async def mine(name):\n    print(name, await later)\n"
                "later.add_done_callback(lambda done: print('told'))\n"
                "await asyncio.gather(mine('a'), asyncio.create_task(mine('b')))\nprint('end')",
                javascript="async function mine(name) { console.log(name, await later) }\n"
                "later.then(() => console.log('told')); await Promise.all([mine('a'), mine('b')]); console.log('end')",
            ),
        )
        # Whoever gives a plain callback to Python's loop makes it his: here the task that has ended.
        told = guest.pick(python=[], javascript=["told"])
        assert sorted(result.stdout.splitlines()) == ["a 5", "b 5", "end", *told]
        assert result.stdout.endswith("end\n")
        late = guest.pick(python="told\n", javascript="")
        assert result.background == {"stdout": f"work\ninner\n{late}", "stderr": "failed\n"}
        # What a cell itself calls is its own, whoever has defined it.
        assert (
            driver.run(session, guest.pick(python="await work()", javascript="await work()")).stdout == "work\ninner\n"
        )


@pytest.mark.spec("C6.1")
def test_errors_of_what_is_left_are_background(guest: Guest, driver: Driver) -> None:
    cells = guest.pick(
        python=[
            "import asyncio\nasync def work():\n    await asyncio.sleep(0.001)\n    1 / 0\n"
            "kept = asyncio.create_task(work())\nasyncio.create_task(work())\n"
            "asyncio.get_event_loop().call_later(0.001, lambda: {}['absent'])",
            "await asyncio.sleep(0.02)",
        ],
        javascript=[
            "setTimeout(() => { throw new Error('thrown') }, 1);"
            "setTimeout(async () => { await null; throw new Error('rejected') }, 1); 0",
            "await new Promise((done) => setTimeout(done, 20))",
        ],
    )
    with holding(guest) as session:
        for cell in cells:
            result = driver.run(session, cell)
            assert (result.ok, result.stderr) == (True, "")
        told = result.background["stderr"]
        for text in guest.pick(
            python=["ZeroDivisionError", "never retrieved", "absent"], javascript=["thrown", "rejected"]
        ):
            assert text in told


@pytest.mark.spec("C6.1")
def test_callbacks_of_the_event_loop_are_background(python: Session, driver: Driver) -> None:
    driver.run(
        python,
        "import asyncio\nloop = asyncio.get_event_loop()\nloop.call_soon(print, 'soon')\n"
        "def again(n):\n    print('again', n)\n    if n: loop.call_later(0.001, again, n - 1)\n"
        "loop.call_later(0.001, again, 2)",
    )
    result = driver.run(python, "loop.call_soon(print, 'mine')\nawait asyncio.sleep(0.3)")
    assert result.stdout == "mine\n"
    assert sorted(result.background["stdout"].splitlines()) == ["again 0", "again 1", "again 2", "soon"]
    # A loop that runs inside of such a callback prints for it.
    driver.run(python, "async def deep():\n    print('deep')\nloop.call_soon(lambda: asyncio.run(deep()))")
    result = driver.run(python, "await asyncio.sleep(0.001)\nasync def f(): print('f')\nasyncio.run(f())")
    assert (result.stdout, result.background["stdout"]) == ("f\n", "deep\n")


@pytest.mark.spec("C6.1")
def test_whoever_follows_a_cell_is_told_whose_output_it_is(guest: Guest, driver: Driver) -> None:
    heard: list[tuple[str, bytes]] = []
    with holding(guest) as session:
        driver.run(
            session,
            guest.pick(
                python="import asyncio, sys\ndef late():\n    print('one')\n    print('two', file=sys.stderr)\n"
                "asyncio.get_event_loop().call_later(0.001, late)",
                javascript="setTimeout(() => { console.log('one'); console.error('two') }, 1); 0",
            ),
        )
        code = f"{guest.out('mine')}\n{wait(guest)}\n{guest.out('end')}"
        result = driver.run(session, code, on_output=lambda name, data: heard.append((name, data)))
    joined: list[tuple[str, bytes]] = []
    for name, data in heard:
        if joined and joined[-1][0] == name:
            data = joined.pop()[1] + data
        joined.append((name, data))
    assert joined == [
        ("stdout", b"mine\n"),
        ("background_stdout", b"one\n"),
        ("background_stderr", b"two\n"),
        ("stdout", b"end\n"),
    ]
    assert (result.stdout, result.background) == ("mine\nend\n", {"stdout": "one\n", "stderr": "two\n"})
    shown = "\n".join(block["text"] for block in result.content() if block["type"] == "text")
    assert "[background stdout]\none" in shown
    assert result.to_dict()["background"] == {"stdout": "one\n", "stderr": "two\n"}


@pytest.mark.spec("C6.1")
def test_what_was_printed_last_before_a_hard_stop_is_told_apart_too(guest: Guest, driver: Driver) -> None:
    loop = "\n".join("    " * 2 + line for line in guest.spin_that_cannot_be_asked.splitlines())
    with holding(guest, limits=Limits(script_ms=100)) as session:
        driver.run(
            session,
            guest.pick(
                python=f"import asyncio\ndef late():\n    print('late', end='')\n    if True:\n{loop}\n"
                "asyncio.get_event_loop().call_later(0.001, late)",
                javascript=f"setTimeout(() => {{ console.log('late'); {guest.spin_that_cannot_be_asked} }}, 1); 0",
            ),
        )
        result = driver.run(session, f"{guest.out('mine')}\n{wait(guest, 50)}")
        assert result.stop is not None
        assert (result.stop.layer, result.state) == ("hard", "restored")
        assert (result.stdout, result.background["stdout"].rstrip("\n")) == ("mine\n", "late")


# ---- names ---------------------------------------------------------------------------------------------------------


@pytest.mark.spec("C6.2")
def test_what_is_left_is_named(guest: Guest, driver: Driver) -> None:
    with holding(guest) as session:
        result = driver.run(
            session,
            guest.pick(
                python="import asyncio\ndef late(): pass\nclass Thing:\n    def method(self): pass\n"
                "    def __call__(self): pass\nloop = asyncio.get_event_loop()\n"
                "for call in (late, Thing().method, Thing(), print): loop.call_later(60, call)\n"
                "task = asyncio.create_task(asyncio.sleep(60), name='fetch')",
                javascript="function late() {}\nsetTimeout(late, 60000); setInterval(() => {}, 60000); 0",
            ),
        )
        assert list(result.notes) == guest.pick(
            python=[
                "1 task is still running: fetch; it goes on when a later cell awaits",
                "4 callbacks are still in the event loop: late, Thing.method, Thing, print; "
                "they go on when a later cell awaits",
            ],
            javascript=["2 timers are held: late, (anonymous); they go on when a later cell awaits"],
        )
        assert list(driver.run(session, "1").notes) == list(result.notes)
        assert list(driver.run(session, guest.pick(python="1/0", javascript="absent")).notes) == list(result.notes)


@pytest.mark.spec("C6.2", "C6.5")
def test_names_are_short_clean_and_read_without_running_code(guest: Guest, driver: Driver) -> None:
    nasty = r"a\n[stdout]\nforged\u001b[2J\u202e"
    code = guest.pick(
        python="import asyncio, functools\nclass Name(str):\n    def __str__(self): return self\n"
        "    def __getitem__(self, key): print('ran'); return self * 1000\n"
        "    __format__ = __lt__ = __getitem__\n"
        "class Call:\n    def __call__(self): pass\n"
        "    def __getattribute__(self, name): print('ran'); raise MemoryError\n"
        "    def __repr__(self): print('ran'); return ''\n"
        f"loop = asyncio.get_event_loop()\nfor name in (Name('n' * 10**6), '{nasty}'):\n"
        "    late = lambda: 0\n    late.__name__ = late.__qualname__ = name\n    loop.call_later(60, late)\n"
        "    late = eval('lambda: 0')\n    globals().setdefault('kept', [])"
        ".append(asyncio.create_task(asyncio.sleep(60), name=name))\n"
        "loop.call_later(60, Call())\nloop.call_later(60, functools.partial(Call()))\nNone",
        javascript="const named = (name) => Object.defineProperty(() => {}, 'name', name);\n"
        "setTimeout(named({ get() { console.log('ran'); for (;;); } }), 60000);\n"
        "setTimeout(named({ value: new Proxy({}, { get() { console.log('ran') } }) }), 60000);\n"
        "setTimeout(new Proxy(() => {}, { get() { console.log('ran'); for (;;); },"
        " getOwnPropertyDescriptor() { console.log('ran'); for (;;); } }), 60000);\n"
        f"setTimeout(named({{ value: 'n'.repeat(1e7) }}), 60000); setTimeout(named({{ value: '{nasty}' }}), 60000); 0",
    )
    with holding(guest) as session:
        result = driver.run(session, code)
        assert (result.ok, result.stdout) == (True, ""), result.error
        for note in result.notes:
            assert len(note) < 500
            assert note.isprintable()
            assert "forged" not in note or "[stdout] forged\\x1b[2J\\u202e" in note
        assert result.notes
        assert driver.run(session, "1 + 1").value == 2


@pytest.mark.spec("C6.2", "C6.5")
def test_thousands_of_timers_are_a_number(guest: Guest, driver: Driver) -> None:
    with holding(guest, limits=Limits(script_ms=20_000)) as session:
        result = driver.run(
            session,
            guest.pick(
                python="import asyncio\nloop = asyncio.get_event_loop()\n"
                "for i in range(20_000): loop.call_later(60, print, i)\n"
                "tasks = [asyncio.create_task(asyncio.sleep(60)) for i in range(2_000)]",
                javascript="for (let i = 0; i < 20_000; i++) setTimeout(function late() {}, 60000); 0",
            ),
        )
        assert any(note.startswith("20000 ") and ", ...;" in note and len(note) < 400 for note in result.notes)
        assert (
            driver.run(session, guest.pick(python="await asyncio.sleep(0)\n2", javascript="await null; 2")).value == 2
        )


# ---- hostile -------------------------------------------------------------------------------------------------------


@pytest.mark.spec("C6.5")
def test_a_flood_of_background_output_is_bounded(guest: Guest, driver: Driver) -> None:
    with holding(guest, limits=Limits(stdout_bytes=1_000)) as session:
        driver.run(
            session,
            guest.pick(
                python="import asyncio\nasyncio.get_event_loop().call_later(0.001, lambda: print('x' * 10**7 + 'end'))",
                javascript="setTimeout(() => console.log('x'.repeat(1e7) + 'end'), 1); 0",
            ),
        )
        result = driver.run(session, f"{guest.out('mine')}\n{wait(guest)}")
        text = result.background["stdout"]
        assert (result.stdout, result.output_elided["stdout"]) == ("mine\n", 0)
        assert len(text) < 1_200
        assert "bytes left out" in text
        assert text.endswith("end\n")


@pytest.mark.spec("C6.5")
def test_endless_background_is_stopped_like_the_cell_and_ends_by_it(guest: Guest, driver: Driver) -> None:
    with holding(guest, limits=Limits(script_ms=400)) as session:
        driver.run(
            session,
            guest.pick(
                python="import asyncio\nx = 1\n"
                "async def spin():\n    await asyncio.sleep(0.001)\n    while True: pass\n"
                "task = asyncio.create_task(spin())",
                javascript="var x = 1; setInterval(function spin() { for (;;); }, 1); 0",
            ),
        )
        assert driver.run(session, "x").value == 1
        result = driver.run(session, wait(guest, 50))
        assert result.stop is not None
        assert (result.stop.limit, result.stop.layer, result.state) == ("script", "soft", "kept")
        result = driver.run(session, f"{wait(guest)}\nx")
        assert (result.value, list(result.notes)) == (1, [])


@pytest.mark.spec("C6.5")
def test_a_stop_ends_nothing_but_what_ran(guest: Guest, driver: Driver) -> None:
    with holding(guest, limits=Limits(script_ms=400)) as session:
        driver.run(session, leave(guest))
        result = driver.run(session, guest.spin)
        assert result.stop is not None
        assert result.state == "kept"
        assert ticks(driver.run(session, wait(guest))) >= 1


@pytest.mark.spec("C6.5")
@pytest.mark.parametrize(
    "code",
    [
        # refuses to be cancelled
        "async def stay():\n    while True:\n        try:\n            await asyncio.sleep(0.001)\n"
        "        except BaseException: pass\ntask = asyncio.create_task(stay())\ntask.cancel()",
        # makes two of itself
        "def more():\n    if len(loop._all) < 5000: loop.call_later(0.001, more); loop.call_later(0.001, more); "
        "loop._all.append(1)\nloop = asyncio.get_event_loop()\nloop._all = []\nloop.call_soon(more)",
        # a finaliser that makes tasks and callbacks
        "class Back:\n    def __del__(self):\n        asyncio.create_task(asyncio.sleep(60))\n"
        "        asyncio.get_event_loop().call_later(60, Back)\n        Back.last = Back()\nback = Back()\ndel back",
        # fails in each way in which one can be named or told
        "class Bad(Exception):\n    def __str__(self): raise Bad\n    __repr__ = __str__\n"
        "async def fail(): raise Bad\ntask = asyncio.create_task(fail())",
    ],
)
def test_what_does_not_want_to_end_does_no_harm_in_python(python: Session, driver: Driver, code: str) -> None:
    assert driver.run(python, f"import asyncio\n{code}").ok
    for _ in range(3):
        result = driver.run(python, "await asyncio.sleep(0.01)\nprint('mine')\n3")
        assert (result.value, result.stdout) == (3, "mine\n")
        assert all(len(note) < 500 for note in result.notes)


@pytest.mark.spec("C6.5")
@pytest.mark.parametrize(
    "code",
    [
        # makes two of itself
        "let made = 0; (function more() { if (made++ < 5000) { setTimeout(more, 1); setTimeout(more, 1) } })()",
        # a finaliser that makes timers
        "const registry = new FinalizationRegistry(back); var n = 0;\n"
        "function back() { n++; setTimeout(drop, 1) }\n"
        "function drop() { registry.register({}, 1) }\ndrop(); setInterval(drop, 1)",
        # ends itself and others while it runs
        "const ids = []; for (let i = 0; i < 100; i++) ids.push(setInterval(() => ids.forEach(clearInterval), 1))",
        # throws what cannot be shown
        "setInterval(() => { throw { get stack() { throw 1 }, toString() { throw 2 } } }, 1)",
    ],
)
def test_what_does_not_want_to_end_does_no_harm_in_javascript(driver: Driver, code: str) -> None:
    with JavaScriptRuntime(background="hold", limits=Limits(script_ms=5_000)) as session:
        assert driver.run(session, f"{code}; 0").ok
        for _ in range(3):
            result = driver.run(session, "await new Promise((done) => setTimeout(done, 10)); console.log('mine'); 3")
            assert (result.value, result.stdout) == (3, "mine\n")
            assert all(len(note) < 500 for note in result.notes)


@pytest.mark.spec("C6.5")
def test_memory_of_what_is_left_counts(guest: Guest, driver: Driver) -> None:
    limits = Limits(script_ms=20_000, memory_bytes=guest.pick(python=96, javascript=32) << 20)
    with holding(guest, limits=limits) as session:
        code = guest.pick(
            python="import asyncio\nloop = asyncio.get_event_loop()\n"
            "while True: loop.call_later(60, bytearray(1000).clear)",
            javascript="for (;;) setTimeout((kept) => kept, 60000, 'x'.repeat(1000) + Math.random())",
        )
        assert not driver.run(session, code).ok
        assert driver.run(session, "1 + 1").value == 2


@pytest.mark.spec("C6.5")
def test_a_guest_finds_no_mark_of_whose_output_it_is(python: Session, driver: Driver) -> None:
    assert driver.value(python, "import contextvars\nlen(contextvars.copy_context())") == 0
    driver.run(
        python,
        "import asyncio, sys\nasync def t():\n"
        "    await asyncio.sleep(0.001)\n    print('late')\nx = asyncio.create_task(t())",
    )
    # A copy of the cell's own context, another name of the stream, a write by the descriptor: it is where it came from.
    result = driver.run(
        python,
        "contextvars.copy_context().run(print, 'mine')\nsys.__stdout__.buffer.write(b'mine\\n')\n"
        "import os\nfor fd in (3, 4):\n    try: os.write(fd, b'forged')\n    except OSError: print('refused')\n"
        "await asyncio.sleep(0.01)",
    )
    assert result.stdout == "mine\nmine\nrefused\nrefused\n"
    assert result.background["stdout"] == "late\n"


# ---- state ---------------------------------------------------------------------------------------------------------


@pytest.mark.spec("C6.4")
def test_branches_and_snapshots_go_on_with_what_is_left(guest: Guest, driver: Driver) -> None:
    with holding(guest) as session:
        driver.run(session, leave(guest))
        at = ticks(driver.run(session, wait(guest)))
        data = session.snapshot()
        (branch,) = session.fork()
        restored = guest.runtime.restore(data, background="hold")
        for one in (branch, restored, session):
            with one:
                result = driver.run(one, f"{wait(guest)}\nn")
                assert _first(result) == at + 1
                assert ticks(result) - result.value in (0, 1)  # the last after the value was there
                assert any("goes on when" in note for note in result.notes)


@pytest.mark.spec("C6.4")
def test_a_snapshot_in_a_session_that_clears_ends_timers_with_the_next_cell(driver: Driver) -> None:
    with JavaScriptRuntime(background="hold") as session:
        driver.run(session, "var n = 0; setInterval(() => n++, 1); 0")
        data = session.snapshot()
    with JavaScriptRuntime.restore(data) as session:
        assert list(driver.run(session, "1").notes) == []
        assert driver.value(session, "await new Promise((done) => setTimeout(done, 20)); n") == 0


@pytest.mark.spec("C6.4")
def test_a_session_that_goes_back_has_what_was_left_before(guest: Guest, driver: Driver) -> None:
    with holding(guest, limits=Limits(script_ms=400)) as session:
        driver.run(session, leave(guest))
        at = ticks(driver.run(session, wait(guest)))
        result = driver.run(session, f"{wait(guest, 10)}\n{guest.spin_that_cannot_be_asked}")
        assert result.state == "restored"
        result = driver.run(session, f"{wait(guest)}\nn")
        assert _first(result) == at + 1
        assert ticks(result) - result.value in (0, 1)


@pytest.mark.spec("C6.4")
def test_a_replay_log_brings_back_what_is_left(guest: Guest, driver: Driver) -> None:
    log = ReplayLog()
    with holding(guest, log=log) as session:
        # As if the session had been used for weeks.
        session._clock_ns = 1 << 51
        driver.run(session, leave(guest))
        at = ticks(driver.run(session, wait(guest)))
    modes: list[dict[str, Any]] = [{"background": "hold"}, {}]
    for options in modes:
        with guest.runtime.from_log(log, **options) as session:
            assert session.hydration is not None
            assert session.hydration.ok, session.hydration
            assert driver.value(session, "n") == at
            if options:
                assert _first(driver.run(session, wait(guest))) == at + 1


@pytest.mark.spec("C6.4")
def test_what_is_left_does_not_keep_a_cell_from_being_suspended(guest: Guest, driver: Driver) -> None:
    async def buy(item: str) -> str:
        return f"got {item}"

    def later(request: ApprovalRequest) -> Suspend:
        return Suspend()

    given: dict[str, Any] = {"capabilities": [buy], "approve": later, "background": "hold"}
    with guest.runtime(**given) as session:
        driver.run(session, leave(guest))
        result = driver.run(
            session, guest.pick(python="await buy(item='tea')", javascript="await buy({ item: 'tea' })")
        )
        assert (result.status, session.pending_approvals[0].name) == ("suspended", "buy")
        data = session.snapshot()
    with guest.runtime.restore(data, **given) as session:
        call = session.pending_approvals[0].call_id
        assert driver.resume(session, approvals={call: Allow()}).value == "got tea"
        assert ticks(driver.run(session, wait(guest))) >= 1


@pytest.mark.spec("C6.4")
def test_background_is_deterministic_where_all_is(guest: Guest, driver: Driver) -> None:
    def course() -> list[tuple[str, int]]:
        with holding(guest, deterministic=Deterministic()) as session:
            cells = [leave(guest), wait(guest), "n", wait(guest)]
            return [(r.background["stdout"], r.fuel) for r in (driver.run(session, cell) for cell in cells)]

    assert course() == course()
    assert course()[1][0]


# ---- calls ---------------------------------------------------------------------------------------------------------


@pytest.mark.spec("C6.3")
def test_calls_end_with_their_cell_all_the_same(guest: Guest, driver: Driver) -> None:
    import anyio

    async def slow() -> int:
        await anyio.sleep(60)
        return 1

    with holding(guest, capabilities=[slow], policy="allow") as session:
        result = driver.run(
            session,
            guest.pick(
                python="import asyncio\ntask = asyncio.create_task(slow())\nawait asyncio.sleep(0.01)",
                javascript="const task = slow(); await null; 0",
            ),
        )
        assert "[not awaited: slow" in result.stderr
        assert [call.state for call in result.calls] in (["cancelled"], ["never-started"])
        assert not driver.run(session, "await task").ok


@pytest.mark.spec("C6.3")
def test_a_call_is_answered_while_background_goes_on(guest: Guest, driver: Driver) -> None:
    import anyio

    async def slow() -> int:
        await anyio.sleep(0.2)
        return 7

    with holding(guest, capabilities=[slow], policy="allow") as session:
        driver.run(session, leave(guest))
        result = driver.run(session, "await slow()")
        assert (result.value, result.stdout) == (7, "")
        assert ticks(result) >= 1


# ---- what it costs -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", ["1 + 1", "print", "await"])
def test_a_cell_that_leaves_nothing_costs_what_it_did(guest: Guest, code: str) -> None:
    """Neither fuel nor calls to the host."""
    cell = {
        "print": guest.out("x"),
        "await": guest.pick(python="await (lambda: __import__('asyncio').sleep(0))()", javascript="await 0"),
    }
    counts: list[list[Any]] = []
    fuel: dict[str, list[int]] = {"clear": [], "hold": []}
    for mode in fuel:
        with guest.runtime(background=mode) as session:
            made = []
            for _ in range(3):
                result = session.run(cell.get(code, code))
                instance = session._instance
                assert instance is not None
                made.append((len(instance.source.readings), list(result.notes)))
                fuel[mode].append(result.fuel)
            counts.append(made)
    assert counts[0] == counts[1]
    # Whether to clear is one look at a flag.
    assert all(abs(one - other) < 50 for one, other in zip(*fuel.values(), strict=True))
