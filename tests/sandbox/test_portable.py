"""What other systems lack is taken away from a process on this one: everything still works, by the portable paths.

The processes here still run on this machine's library; what another system does differently by itself (its signals, its
memory manager) only shows there.
"""

import textwrap

import pytest

from tests.support.child import run_python

LACKING = {
    "no /proc": """
        import builtins
        for name in ("open", "stat", "lstat"):
            def without(path, *rest, real=getattr(os, name), **named):
                if str(path).startswith("/proc"):
                    raise FileNotFoundError(path)
                return real(path, *rest, **named)
            setattr(os, name, without)
        exists = os.path.exists
        os.path.exists = lambda path: not str(path).startswith("/proc") and exists(path)
        real_open = builtins.open
        def open_without(path, *rest, **named):
            if str(path).startswith("/proc"):
                raise FileNotFoundError(path)
            return real_open(path, *rest, **named)
        builtins.open = open_without
    """,
    "macOS": """
        # No /proc, no getcontext that we know the layout of, another word for the system.
        exists = os.path.exists
        os.path.exists = lambda path: not str(path).startswith("/proc") and exists(path)
        sys.platform = "darwin"
    """,
    "Windows": """
        exists = os.path.exists
        os.path.exists = lambda path: not str(path).startswith("/proc") and exists(path)
        os.environ["PROCESSOR_ARCHITECTURE"] = os.uname().machine
        for name in ("geteuid", "getuid", "uname", "sysconf", "register_at_fork", "fork", "O_NOFOLLOW", "O_CLOEXEC"):
            delattr(os, name)
        for name in ("fcntl", "resource", "pwd", "grp"):
            sys.modules[name] = None
        sys.platform = "win32"
    """,
    "another machine": """
        # No layout of its registers is known.
        from wasmhost.sandbox.engine import engine
        engine()
        other = os.uname_result((*tuple(os.uname())[:4], "riscv64"))
        os.uname = lambda: other
    """,
}

PROGRAM = """
from wasmhost import JavaScriptRuntime, Limits, PythonRuntime
from wasmhost.sandbox.pages import fast_way
from wasmhost.sandbox.stack import room

found = []

def everything(runtime, assign, spin, stubborn):
    with runtime() as session:
        found.append(session.run(assign + "\\nn + 1").value)
        found.append(session.run(spin, limits=Limits(script_ms=50)).stop.layer)
        result = session.run(stubborn, limits=Limits(fuel=300_000_000))
        found.append((result.ok, result.state))
        found.append(session.run("n").value)
        session.reset_blocking()
        found.append(session.run("n").ok)

async def async_too():
    async with PythonRuntime() as session:
        found.append((await session.execute("import asyncio; await asyncio.sleep(0, 5)")).value)

def all_of_it():
    everything(PythonRuntime, "n = 1", "while True: pass", "n = 2\\nwhile True: pass")
    everything(JavaScriptRuntime, "var n = 1;", "for (;;) {}", "n = 2; for (;;) {}")
    anyio.run(async_too)

all_of_it()
small = threading.Thread(target=all_of_it)
threading.stack_size(256 << 10)
small.start()
small.join()
one = [2, "soft", (False, "restored"), 1, False]
assert found == (one + one + [5]) * 2, found
"""

# The library of this machine, and its compiled images: both are named after the system.
FIRST = """
import types
from wasmhost.sandbox import image
from wasmhost.sandbox._wasmtime import library
library()
image.sys = types.SimpleNamespace(platform=sys.platform, stderr=sys.stderr)
"""

HOLDS = {
    "no /proc": "assert fast_way() is None",
    "macOS": "assert fast_way() is None and room() == 0",
    "Windows": "from wasmhost.sandbox.engine import engine\nassert fast_way() is None and room() == 0\n"
    "assert engine().trap_handlers is None",
    "another machine": "assert room() == 0",
}


def program(system: str, then: str) -> str:
    parts = ["import asyncio, os, sys, threading\nimport anyio", FIRST, LACKING[system], then]
    return "\n".join(textwrap.dedent(part) for part in parts)


@pytest.mark.spec("S1", "S7")
@pytest.mark.parametrize("system", sorted(LACKING))
def test_everything_works_without_what_another_system_lacks(system: str) -> None:
    run_python(program(system, PROGRAM + HOLDS[system]))


@pytest.mark.parametrize("system", sorted(LACKING))
def test_doctor_works_there_too(system: str) -> None:
    then = "from wasmhost.diagnosis import diagnose\nprint([each for each in diagnose() if each.status == 'wrong'])"
    assert run_python(program(system, then)).stdout == "[]\n"
