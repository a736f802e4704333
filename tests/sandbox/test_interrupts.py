"""Security rule 2: Ctrl-C stops the guest, raises KeyboardInterrupt, and leaves a session that works."""

import sys

import pytest

from tests.support.child import run_python
from tests.support.guests import Guest

pytestmark = [
    pytest.mark.spec("C4", "S2"),
    pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX"),
]

# Sends SIGINT to the main thread at moments that it chooses; each is waited for before the next.
HEAD = """
    import os, random, signal, threading, time
    from tests.support.guests import GUESTS
    from wasmhost import Limits
    from wasmhost.sandbox import stack
    from wasmhost.sandbox.imports import current

    guest = GUESTS[{name!r}]
    if {elsewhere}:
        stack.MARGIN_BYTES = 1 << 40  # no thread has that room: every guest runs on a runner

    def interrupt_after(seconds):
        threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()

    session = guest.runtime(limits=Limits(script_ms=30_000))
    assert session.run(guest.assign("x", "0")).ok
    random.seed(7)
"""


@pytest.mark.spec("C4.5")
@pytest.mark.parametrize("elsewhere", [False, True], ids=["in place", "on a runner"])
def test_fifty_interrupts_at_random_moments_of_a_long_cell(guest: Guest, elsewhere: bool) -> None:
    child = run_python(
        HEAD.format(name=guest.name, elsewhere=elsewhere)
        + """
    stopped = 0
    for turn in range(50):
        try:
            interrupt_after(random.uniform(0.0, 0.03))
            session.run(guest.spin)
        except KeyboardInterrupt:
            stopped += 1
        assert not current
        try:
            assert session.run("x += 1").ok
        except KeyboardInterrupt:
            raise AssertionError("interrupted twice")
    assert session.run("x").value == 50
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    print(stopped)
"""
    )
    assert child.stdout == "50\n"


@pytest.mark.parametrize("elsewhere", [False, True], ids=["in place", "on a runner"])
def test_interrupts_at_random_moments_of_short_cells_lose_nothing(guest: Guest, elsewhere: bool) -> None:
    # Most of them come between two lines of the host and not while a guest runs.
    child = run_python(
        HEAD.format(name=guest.name, elsewhere=elsewhere)
        + """
    done = caught = 0
    until = time.monotonic() + 4
    stop = threading.Event()

    def fire():
        while not stop.is_set():
            time.sleep(random.uniform(0.001, 0.02))
            os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=fire)
    thread.start()
    sure = unsure = 0
    while True:
        try:
            try:
                if time.monotonic() > until:
                    break
                unsure += 1
                result = session.run("x += 1")
                sure += 1
            except KeyboardInterrupt:
                caught += 1
        except KeyboardInterrupt:
            caught += 1
    while True:
        try:
            stop.set()
            thread.join()
            break
        except KeyboardInterrupt:
            pass
    try:
        time.sleep(0.05)
    except KeyboardInterrupt:
        pass
    assert caught > 20, caught
    assert not current
    value = session.run("x").value
    # Every cell that came back has happened, in one session that was never dropped.
    assert sure <= value <= unsure, (sure, value, unsure)
    print("well")
"""
    )
    assert child.stdout == "well\n"


@pytest.mark.parametrize("elsewhere", [False, True], ids=["in place", "on a runner"])
def test_a_second_interrupt_never_lets_go_of_a_guest_that_still_runs(elsewhere: bool) -> None:
    child = run_python(
        HEAD.format(name="python", elsewhere=elsewhere)
        + """
    code = "while True:\\n  try:\\n    while True: pass\\n  except BaseException: pass"
    for turn in range(3):
        for after in (0.05, 0.1, 0.15, 0.2):
            interrupt_after(after)
        caught = 0
        try:
            session.run(code)
        except KeyboardInterrupt:
            caught += 1
        assert not current, "the guest runs on"
        try:
            time.sleep(0.4)
        except KeyboardInterrupt:
            pass
        assert caught == 1
        assert session.run("x").value == 0
    print("well")
"""
    )
    assert child.stdout == "well\n"


def test_waiting_is_interrupted_at_once(guest: Guest) -> None:
    child = run_python(
        HEAD.format(name=guest.name, elsewhere=False)
        + """
    codes = guest.pick(
        python=["import time; time.sleep(60)", "import asyncio; await asyncio.sleep(60)"],
        javascript=["await new Promise((done) => setTimeout(done, 60_000))"],
    )
    for code in codes:
        interrupt_after(0.1)
        began = time.monotonic()
        try:
            session.run(code, limits=Limits(wall_ms=60_000))
            raise AssertionError
        except KeyboardInterrupt:
            assert time.monotonic() - began < 20
        assert session.run("x").value == 0
    print("well")
"""
    )
    assert child.stdout == "well\n"


def test_a_handler_of_the_program_is_left_alone(guest: Guest) -> None:
    child = run_python(
        HEAD.format(name=guest.name, elsewhere=False)
        + """
    calls = []
    handler = lambda *_: calls.append(1)
    signal.signal(signal.SIGINT, handler)
    interrupt_after(0.05)
    result = session.run(guest.spin, limits=Limits(script_ms=300))
    assert result.stop.limit == "script", result
    assert calls == [1]
    assert signal.getsignal(signal.SIGINT) is handler
    print("well")
"""
    )
    assert child.stdout == "well\n"


@pytest.mark.parametrize("elsewhere", [False, True], ids=["in place", "on a runner"])
def test_what_a_signal_handler_raises_comes_out_and_the_guest_has_stopped(guest: Guest, elsewhere: bool) -> None:
    # As a program's own time-out by SIGALRM does.
    child = run_python(
        HEAD.format(name=guest.name, elsewhere=elsewhere)
        + """
    class Mine(Exception):
        pass

    def handler(*_):
        raise Mine

    signal.signal(signal.SIGALRM, handler)
    for turn in range(5):
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        try:
            result = session.run(guest.spin)
            raise AssertionError(result)
        except Mine:
            pass
        assert not current
    assert session.run("40 + 2").value == 42
    print("well")
"""
    )
    assert child.stdout == "well\n"


def test_an_interrupt_in_a_listener_stops_the_cell(guest: Guest) -> None:
    child = run_python(
        HEAD.format(name=guest.name, elsewhere=False)
        + """
    def listener(stream, data):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.05)

    try:
        session.run(guest.out("a") + "\\n" + guest.spin, on_output=listener)
        raise AssertionError
    except KeyboardInterrupt:
        pass
    assert session.run("x").value == 0
    print("well")
"""
    )
    assert child.stdout == "well\n"


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_an_interrupt_of_an_event_loop_stops_the_guest(guest: Guest, backend: str) -> None:
    child = run_python(
        HEAD.format(name=guest.name, elsewhere=False)
        + f"""
    import anyio
    for turn in range(3):
        interrupt_after(0.2)
        try:
            anyio.run(session.execute, guest.spin, backend="{backend}")
            raise AssertionError
        except KeyboardInterrupt:
            pass
        assert not current
        assert session.run("x").value == 0
    print("well")
"""
    )
    assert child.stdout == "well\n"
