"""Security rules 3, 4 and 17: signal handlers of others, ``os.fork()``, and address space that is short."""

import sys

import pytest

from tests.support.child import run_python
from tests.support.guests import Guest

pytestmark = [
    pytest.mark.spec("D1"),
    pytest.mark.skipif(sys.platform == "win32", reason="POSIX"),
]

# A trap of each kind that is a signal where wasmtime runs: a memory access out of bounds is one, `unreachable` another.
HEAD = """
    import os, sys, threading, warnings
    from tests.support.guests import GUESTS
    from wasmhost import Limits, PythonRuntime, SessionLost
    guest = GUESTS[{name!r}]

    def hostile():
        from tests.support.hostile import HostileRuntime, hostile_image
        from wasmhost.sandbox import image
        from wasmhost.sandbox.engine import engine
        image._images[HostileRuntime.image_name, engine().ptr] = hostile_image()
        return HostileRuntime()

    def traps():
        from tests.support.hostile import Script
        with hostile() as session:
            for trap in ("trap", "recurse"):
                result = session.run(Script().do(trap).text)
                assert result.state == "restored", result
        with PythonRuntime() as session:
            assert session.run("x = 1").ok
            assert session.run("import posix; posix.abort()").state == "restored"
            deep = "g = iter([1])\\nfor _ in range(10**5): g = map(int, g)\\nlist(g)"
            assert session.run(deep).stop.limit == "stack"
            assert session.run("x").value == 1
        with guest.runtime() as session:
            assert session.run("1 + 1").value == 2
"""


@pytest.mark.spec("S3")
@pytest.mark.parametrize("before", [True, False], ids=["faulthandler first", "sandbox first"])
def test_traps_are_results_whoever_installed_signal_handlers(guest: Guest, before: bool) -> None:
    child = run_python(
        HEAD.format(name=guest.name)
        + f"""
    import faulthandler
    warnings.simplefilter("always")
    with warnings.catch_warnings(record=True) as told:
        if {before}:
            faulthandler.enable()
        traps()
        if not {before}:
            faulthandler.enable()
        traps()
        traps()
    print(len([each for each in told if "signal handlers" in str(each.message)]))
"""
    )
    # One warning, and only where handlers had to be put back.
    assert child.stdout == f"{int(not before)}\n"


@pytest.mark.spec("S3")
def test_handlers_that_are_replaced_again_and_again_are_put_back_with_one_warning(guest: Guest) -> None:
    child = run_python(
        HEAD.format(name=guest.name)
        + """
    import faulthandler
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        traps()
        for _ in range(3):
            faulthandler.enable()
            traps()
            faulthandler.disable()
            traps()
    print(len(told))
"""
    )
    assert child.stdout == "1\n"


FORK = """
    def in_child(work):
        pid = os.fork()
        if pid == 0:
            try:
                work()
                os._exit(0)
            except BaseException:
                import traceback
                traceback.print_exc()
                os._exit(1)
        return pid

    def ended_well(pid):
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
"""


@pytest.mark.spec("S4")
def test_after_a_fork_loops_are_stopped_in_the_child_and_in_the_parent(guest: Guest) -> None:
    run_python(
        HEAD.format(name=guest.name)
        + FORK
        + """
    session = guest.runtime(limits=Limits(script_ms=100))
    assert session.run(guest.assign("x", "1")).ok
    assert session.run(guest.spin).stop.limit == "script"

    def work():
        for method in (lambda: session.run("x"), session.reset_blocking):
            try:
                method()
                raise AssertionError("used in the child")
            except SessionLost as lost:
                assert "fork" in str(lost)
        session.close()
        with guest.runtime(limits=Limits(script_ms=100)) as own:
            assert own.run(guest.assign("x", "2")).ok
            assert own.run(guest.spin).stop.limit == "script"
            assert own.run("x").value == 2
            # And in a child of the child.
            ended_well(in_child(lambda: None))

    for _ in range(3):
        ended_well(in_child(work))
        assert session.run(guest.spin).stop.limit == "script"
        assert session.run("x").value == 1
"""
    )


@pytest.mark.spec("S4")
def test_a_fork_while_guests_run_in_other_threads(guest: Guest) -> None:
    run_python(
        HEAD.format(name=guest.name)
        + FORK
        + """
    warnings.simplefilter("ignore")  # of Python, about threads and fork
    import anyio
    results = []
    begun = threading.Barrier(4)

    def spin():
        told = []

        def listener(stream, data):
            if not told:
                told.append(1)
                begun.wait()

        with guest.runtime(limits=Limits(script_ms=1_500)) as session:
            results.append(session.run(guest.out("begun") + "\\n" + guest.spin, on_output=listener))

    threads = [threading.Thread(target=spin) for _ in range(3)]
    for thread in threads:
        thread.start()
    begun.wait()

    def work():
        async def cell():
            async with guest.runtime(limits=Limits(script_ms=100)) as own:
                assert (await own.execute(guest.spin)).stop.limit == "script"
                assert (await own.execute("1 + 1")).value == 2

        anyio.run(cell)

    children = [in_child(work) for _ in range(3)]
    for child in children:
        ended_well(child)
    for thread in threads:
        thread.join()
    assert [result.stop.limit for result in results] == ["script"] * 3
"""
    )


@pytest.mark.spec("S17")
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of Linux")
def test_short_address_space_is_an_error_that_says_so_and_no_crash(guest: Guest) -> None:
    run_python(
        HEAD.format(name=guest.name)
        + """
    import resource
    from wasmhost import WasmhostError
    with guest.runtime() as session:
        assert session.run("1 + 1").value == 2
        size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + (6 << 30), size + (6 << 30)))
        held = []
        try:
            while True:
                held.append(guest.runtime())
                assert held[-1].run("1 + 1").value == 2
                assert len(held) < 10
        except WasmhostError as error:
            assert "address space" in str(error), error
        # What is there goes on, and there is room again after one was closed.
        assert session.run("1 + 1").value == 2
        for each in held:
            each.close()
        with guest.runtime() as again:
            assert again.run("1 + 1").value == 2
"""
    )
