"""Security rule 1: guests recurse on threads of any stack, whoever calls. In a child process: a mistake is a crash."""

import pytest

from tests.support.child import run_python
from tests.support.guests import Guest
from wasmhost.sandbox import stack

pytestmark = pytest.mark.spec("D1", "S1")

KIB = 1 << 10


@pytest.mark.spec("D1.3")
@pytest.mark.parametrize("kib", [128, 512, 2048, 8192])
def test_deep_recursion_on_threads_of_every_stack(guest: Guest, kib: int) -> None:
    deep = guest.pick(
        python=[
            "def f(): return f()\nf()",
            "import json\njson.loads('[' * 10**6)",
            "x = []\nfor _ in range(10**5): x = [x]\nrepr(x)",
            "import re\nre.compile('(' * 10**4 + ')' * 10**4)",
        ],
        javascript=[
            "(function f() { return f() })()",
            "JSON.parse('['.repeat(1e6))",
            "let x = []; for (let i = 0; i < 1e5; i++) x = [x]\nJSON.stringify(x)",
            "new RegExp('('.repeat(1e5) + ')'.repeat(1e5))",
        ],
    )
    run_python(
        f"""
        import threading
        from tests.support.guests import GUESTS
        threading.stack_size({kib} * 1024)
        guest = GUESTS["{guest.name}"]
        seen = []

        def work():
            with guest.runtime() as session:
                for code in {deep!r}:
                    result = session.run(code)
                    assert not result.ok, result
                    assert result.error_type or result.stop, result
                    assert session.run("40 + 2").value == 42
            seen.append(1)

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(seen) == 2
        # Our own threads have not changed the size for those of the program.
        assert threading.stack_size() == {kib} * 1024
        """
    )


def test_recursion_from_a_deep_stack_of_the_program(guest: Guest) -> None:
    # The thread's stack is large enough, but most of it is used already when run() is called: by nested C calls.
    call = guest.pick(python="def f(): return f()\nf()", javascript="(function f() { return f() })()")
    run_python(
        f"""
        import ctypes, threading
        from tests.support.guests import GUESTS
        guest = GUESTS["{guest.name}"]
        session = guest.runtime()
        callback_type = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)

        def down(depth):
            if depth == 0:
                result = session.run({call!r})
                assert not result.ok
                return session.run("40 + 2").value
            return callback_type(down)(depth - 1)

        def work():
            import sys
            sys.setrecursionlimit(10_000)
            for depth in (1, 100, 1_000, 3_000):
                assert down(depth) == 42
            seen.append(1)

        seen = []
        threading.stack_size(8 << 20)
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert seen
        """
    )


@pytest.mark.parametrize("megabytes", [1, 16, 64])
def test_wasm_stacks_of_every_size_on_the_main_thread(guest: Guest, megabytes: int) -> None:
    call = guest.pick(python="def f(): return f()\nf()", javascript="(function f() { return f() })()")
    run_python(
        f"""
        from tests.support.guests import GUESTS
        from wasmhost import Limits
        with GUESTS["{guest.name}"].runtime(limits=Limits(stack_bytes={megabytes} << 20, script_ms=10_000)) as session:
            for _ in range(3):
                assert not session.run({call!r}).ok
                assert session.run("40 + 2").value == 42
        """
    )


@pytest.mark.spec("D1.3")
def test_a_hostile_guest_recurses_on_a_small_thread() -> None:
    run_python(
        """
        import threading
        from tests.support.hostile import HostileRuntime, Script, hostile_image
        from wasmhost.sandbox import image
        from wasmhost.sandbox.engine import engine
        image._images[HostileRuntime.image_name, engine().ptr] = hostile_image()
        results = []

        def work():
            with HostileRuntime() as session:
                for _ in range(3):
                    results.append(session.run(Script().do("recurse").text))

        threading.stack_size(128 << 10)
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert [result.stop.limit for result in results] == ["stack"] * 3, results
        """
    )


def test_what_cannot_be_measured_counts_as_too_small(monkeypatch: pytest.MonkeyPatch, guest: Guest) -> None:
    class Blind(stack._Probe):
        def __init__(self) -> None:
            self.getcontext = None

    monkeypatch.setattr(stack, "_probe", Blind())
    assert stack.room() == 0
    assert not stack.fits(1)
    with guest.runtime() as session:
        assert session.run("40 + 2").value == 42


def test_room_shrinks_with_depth() -> None:
    top = stack.room()
    if not top:
        pytest.skip("the stack cannot be measured here")

    def down(depth: int) -> int:
        import ctypes

        if depth == 0:
            return stack.room()
        kind = ctypes.CFUNCTYPE(ctypes.c_longlong, ctypes.c_longlong)
        return int(kind(down)(depth - 1))

    assert down(50) < top - 50 * 100
    assert abs(stack.room() - top) < 4096


def test_a_runner_has_the_stack_that_it_needs() -> None:
    import threading

    rooms: list[int] = []
    done = threading.Event()
    stack.submit(lambda: rooms.append(stack.room()), done.set)
    assert done.wait(30)
    assert rooms[0] == 0 or rooms[0] > stack.RUNNER_STACK_BYTES - 64 * KIB
