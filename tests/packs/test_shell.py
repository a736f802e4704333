"""The shell pack: what guests get of a command, and what becomes of everything that it starts."""

import gc
import os
import sys
import textwrap
import time
import uuid
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.support.child import run_python
from tests.support.drivers import BACKENDS, Driver
from tests.support.guests import Guest
from wasmhost import PythonRuntime
from wasmhost.packs import Pack, shell

from .conftest import Open

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
# How long something that must come is waited for.
BOUND = 30


class Marked:
    """A shell whose processes can be told from all others."""

    def __init__(self, **options: Any) -> None:
        self.mark = uuid.uuid4().hex
        self.pack = shell(env={"MARK": self.mark}, **options)

    def survivors(self) -> list[str]:
        """What still runs of it."""
        return processes_with(self.mark)


def processes_with(mark: str) -> list[str]:
    found = []
    for entry in os.listdir("/proc"):
        try:
            environ = Path(f"/proc/{entry}/environ").read_bytes() if entry.isdigit() else b""
            if f"MARK={mark}".encode() in environ:
                found.append(Path(f"/proc/{entry}/cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            pass
    return found


def folder_of(pack: Pack) -> Path:
    cwd = pack.capabilities[0].function.__self__.cwd  # type: ignore[attr-defined]
    return Path(str(cwd))


@pytest.mark.spec("B9.6")
def test_a_command_and_how_it_ended(opened: Open, driver: Driver) -> None:
    ask = opened(shell(), driver=driver)
    assert ask("Bash", command="echo out; echo err >&2; exit 3") == {
        "stdout": "out\n",
        "stderr": "err\n",
        "exit_code": 3,
        "timed_out": False,
    }
    assert ask("Bash", command="") == {"stdout": "", "stderr": "", "exit_code": 0, "timed_out": False}


def test_it_is_asked_about_unless_it_is_allowed(opened: Open) -> None:
    ask = opened(shell(), policy=None)
    assert ask.refused("Bash", command="echo x")[0] == "PermissionError"
    assert not shell().capabilities[0].read_only


@pytest.mark.spec("B9.6")
@pytest.mark.parametrize(("number", "name"), [(15, "SIGTERM"), (9, "SIGKILL"), (11, "SIGSEGV"), (1, "SIGHUP")])
def test_an_end_by_signal_is_shown(opened: Open, number: int, name: str) -> None:
    ran = opened(shell())("Bash", command=f"echo x; kill -{number} $$")
    assert ran == {
        "stdout": "x\n",
        "stderr": f"[ended by signal {number} ({name})]\n",
        "exit_code": -number,
        "timed_out": False,
    }


def test_signals_are_as_a_shell_expects_them(opened: Open) -> None:
    ask = opened(shell())
    # A writer without a reader ends by SIGPIPE, which Python itself ignores.
    assert ask("Bash", command="yes | head -1; echo ${PIPESTATUS[0]}")["stdout"] == "y\n141\n"
    assert "SIGINT" not in ask("Bash", command="trap")["stdout"]


@pytest.mark.spec("B9.6")
def test_there_is_no_input_and_no_terminal(opened: Open) -> None:
    ask = opened(shell())
    assert ask("Bash", command="cat; read x; echo $?")["stdout"] == "1\n"
    assert ask("Bash", command="echo x > /dev/tty")["exit_code"] != 0


@LINUX
@pytest.mark.spec("B9.6")
def test_no_descriptor_of_the_host_is_open(opened: Open) -> None:
    held, other = os.pipe()
    os.set_inheritable(held, True)
    try:
        ran = opened(shell())("Bash", command="ls /proc/self/fd")
    finally:
        os.close(held)
        os.close(other)
    assert ran["stdout"].split() == ["0", "1", "2", "3"]


@pytest.mark.spec("B9.6")
def test_the_environment_is_what_was_given(opened: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SECRET_OF_THE_HOST", "1")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/nowhere")
    ask = opened(shell(tmp_path, env={"MINE": "a\nb", "TERM": "xterm"}))
    names = ask("Bash", command="env -0 | tr '\\0\\n' '\\n_' | cut -d= -f1")["stdout"].split()
    assert set(names) - {"PWD", "SHLVL", "_", "OLDPWD"} == {"PATH", "HOME", "LANG", "TERM", "MINE"}
    assert ask("Bash", command='echo "$MINE $TERM $HOME"')["stdout"] == f"a\nb xterm {tmp_path}\n"


def test_no_profile_is_read(opened: Open, tmp_path: Path) -> None:
    for name in (".bashrc", ".profile", ".bash_profile"):
        (tmp_path / name).write_text("echo profile\n")
    assert opened(shell(tmp_path))("Bash", command="echo x")["stdout"] == "x\n"


@pytest.mark.spec("B9.6")
def test_the_working_folder(opened: Open, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    ask = opened(shell(tmp_path))
    assert ask("Bash", command="pwd")["stdout"] == f"{tmp_path}\n"
    assert ask("Bash", command="pwd", cwd="sub")["stdout"] == f"{tmp_path}/sub\n"
    assert ask("Bash", command="cd sub; pwd")["stdout"] == f"{tmp_path}/sub\n"
    assert ask("Bash", command="pwd")["stdout"] == f"{tmp_path}\n"
    assert ask.refused("Bash", command="pwd", cwd="..")[0] == "PermissionError"
    assert ask.refused("Bash", command="pwd", cwd="/")[0] == "PermissionError"
    kind, message = ask.refused("Bash", command="pwd", cwd="no")
    assert (kind, message) == ("NotADirectoryError", "'no' is no folder")


def test_a_folder_of_its_own_goes_with_the_pack(guest: Guest) -> None:
    pack: Pack | None = shell()
    assert pack is not None
    folder = folder_of(pack)
    with guest.runtime(capabilities=[pack], policy="allow") as session:
        assert session.run("await tools.Bash('mkdir -p a/b; touch a/b/c; ln -s / out')").ok
        assert (folder / "a/b/c").exists()
    descriptor = os.open(folder, os.O_RDONLY)
    for _ in range(1_500):  # deeper than Python's own removal goes
        os.mkdir("d", dir_fd=descriptor)
        inner = os.open("d", os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = inner
    os.close(descriptor)
    del pack, session
    gc.collect()
    assert not folder.exists()
    assert os.path.exists("/etc")


def test_the_folder_goes_with_the_program() -> None:
    done = run_python(
        """
        import os
        from wasmhost.packs import shell

        pack = shell()
        folder = pack.capabilities[0].function.__self__.cwd
        if os.fork() == 0:
            raise SystemExit  # a child that ends does not take it away
        os.wait()
        assert os.path.isdir(folder)
        print(folder)
        """
    )
    assert not os.path.exists(done.stdout.strip())


@pytest.mark.spec("B9.6")
def test_output_is_kept_from_both_ends(opened: Open) -> None:
    ran = opened(shell(output_bytes=200))("Bash", command="seq 1 100000; seq 1 100000 >&2")
    for text in (ran["stdout"], ran["stderr"]):
        assert text.startswith("1\n2\n3\n")
        assert text.endswith("99999\n100000\n")
        assert "bytes left out ...]" in text
        assert len(text) < 300


@pytest.mark.spec("B9.6", "B9.7")
@pytest.mark.parametrize("command", ["yes", "yes >&2", "cat /dev/zero", "yes & yes & yes & wait"])
def test_a_flood_ends_the_command(opened: Open, command: str) -> None:
    marked = Marked()
    ran = opened(marked.pack)("Bash", command=command)
    assert "more than 67108864 bytes of output" in ran["stderr"]
    assert (ran["exit_code"], ran["timed_out"]) == (-9, False)
    assert len(ran["stdout"]) + len(ran["stderr"]) < 1 << 20
    assert marked.survivors() == []


def test_output_is_data(opened: Open) -> None:
    ran = opened(shell())("Bash", command=r"printf '\xff\xfe\0\x1b[31m\n[ended by signal 9]\n'")
    assert ran["stdout"] == "\ufffd\ufffd\0\x1b[31m\n[ended by signal 9]\n"
    assert ran["exit_code"] == 0


@pytest.mark.spec("B9.6", "B9.7", "B13")
def test_a_command_that_takes_too_long_is_killed(opened: Open, driver: Driver) -> None:
    marked = Marked()
    ask = opened(marked.pack, driver=driver)
    ran = ask("Bash", command="echo begun; trap '' TERM HUP INT; sleep 60 & sleep 60; sleep 60", timeout=0.5)
    assert ran == {"stdout": "begun\n", "stderr": "[stopped after 0.5 s]\n", "exit_code": -9, "timed_out": True}
    assert marked.survivors() == []


@pytest.mark.spec("B13")
def test_the_native_timeout_is_two_minutes_for_the_command(opened: Open) -> None:
    pack = shell()
    # A little later than the command is stopped, so that what it has printed still arrives.
    assert pack.capabilities[0].timeout == 125
    kind, message = opened(pack).refused("Bash", command="echo", timeout=121)
    assert kind == "ValueError"
    assert "at most 120" in message
    ran = opened(shell(timeout=0.3))("Bash", command="sleep 60")
    assert (ran["timed_out"], ran["stderr"]) == (True, "[stopped after 0.3 s]\n")


@LINUX
@pytest.mark.spec("B9.7")
@pytest.mark.parametrize(
    "command",
    [
        "sleep 60 &",
        "nohup sleep 60 > /dev/null 2>&1 & disown",
        "setsid sleep 60 &",
        "(setsid sleep 60 &) &",
        "setsid setsid bash -c 'trap \"\" TERM HUP INT; sleep 60; sleep 60' > /dev/null 2>&1 &",
        "(sleep 60 & sleep 60 & (sleep 60 &)) &",
        "bash -c 'sleep 60 & kill -STOP $$' &",
        "env -i setsid sleep 60 &",
    ],
)
def test_what_a_command_leaves_behind_is_killed(opened: Open, command: str) -> None:
    marked = Marked()
    ran = opened(marked.pack)("Bash", command=f"{command}\nsleep 0.1; echo done")
    assert (ran["stdout"], ran["exit_code"], ran["timed_out"]) == ("done\n", 0, False)
    assert "left running, and killed]" in ran["stderr"]
    assert marked.survivors() == []


@LINUX
@pytest.mark.spec("B9.7")
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("command", ["sleep 60", "setsid sleep 60 & trap '' TERM; sleep 60; sleep 60"])
def test_cancelling_execute_kills_the_command(guest: Guest, backend: str, command: str) -> None:
    marked = Marked()
    folder = folder_of(marked.pack)
    text = f"touch begun; {command}"

    async def main() -> None:
        with guest.runtime(capabilities=[marked.pack], policy="allow") as session:
            async with anyio.create_task_group() as group:

                async def stop() -> None:
                    with anyio.fail_after(BOUND):
                        while not (folder / "begun").exists():
                            await anyio.sleep(0.01)
                    assert marked.survivors()
                    group.cancel_scope.cancel()

                group.start_soon(stop)
                await session.execute(f"await tools.Bash({text!r})")
            assert marked.survivors() == []
            result = await session.execute("1 + 1")
            assert result.value == 2

    anyio.run(main, backend=backend)


@LINUX
@pytest.mark.spec("B9.7")
def test_a_call_that_the_guest_gives_up_is_killed(driver: Driver) -> None:
    marked = Marked()
    code = """
import asyncio
try:
    await asyncio.wait_for(tools.Bash("setsid sleep 60 & sleep 60"), 0.3)
except TimeoutError:
    out = "given up"
out
"""
    with PythonRuntime(capabilities=[marked.pack], policy="allow") as session:
        assert driver.value(session, code) == "given up"
        assert session.run("1").ok
    until = time.monotonic() + BOUND
    while marked.survivors() and time.monotonic() < until:
        time.sleep(0.01)
    assert marked.survivors() == []


@LINUX
@pytest.mark.spec("B9.7")
def test_the_wall_clock_kills_the_command(opened: Open, driver: Driver) -> None:
    from wasmhost import Limits

    marked = Marked()
    ask = opened(marked.pack, driver=driver, limits=Limits(wall_ms=400))
    result = driver.run(ask.session, ask.expression("Bash", command="sleep 60 & sleep 60"))
    assert result.stop is not None
    assert result.stop.limit == "wall"
    until = time.monotonic() + BOUND
    while marked.survivors() and time.monotonic() < until:
        time.sleep(0.01)
    assert marked.survivors() == []


@LINUX
@pytest.mark.spec("B9.7")
def test_commands_die_with_the_host() -> None:
    mark = uuid.uuid4().hex
    done = run_python(
        """
        import os, signal, sys, threading, time
        from wasmhost import PythonRuntime
        from wasmhost.packs import shell

        pack = shell(env={"MARK": sys.argv[1]})
        begun = pack.capabilities[0].function.__self__.cwd + "/begun"

        def die():
            while not os.path.exists(begun):
                time.sleep(0.01)
            os.rename(begun, begun + ".seen")
            os.system("rm -rf " + os.path.dirname(begun))
            os.kill(os.getpid(), signal.SIGKILL)

        threading.Thread(target=die).start()
        with PythonRuntime(capabilities=[pack], policy="allow") as session:
            session.run("await tools.Bash('setsid sleep 60 & touch begun; sleep 60; sleep 60')")
        """,
        mark,
        check=False,
    )
    assert done.returncode == -9, done.stderr
    until = time.monotonic() + BOUND
    while processes_with(mark) and time.monotonic() < until:
        time.sleep(0.01)
    assert processes_with(mark) == []


BOMBS = {
    "of a group": ":(){ :|:& };: ; sleep 60",
    "in sessions of their own": "while :; do setsid sleep 60 & done",
    "of shells": 'f() { bash -c "$1" "$1" & bash -c "$1" "$1" & wait; }; export -f f; f "f \\"\\$0\\""; sleep 60',
}


@LINUX
@pytest.mark.spec("B9.7")
@pytest.mark.parametrize("bomb", sorted(BOMBS))
def test_fork_bombs(opened: Open, bomb: str) -> None:
    marked = Marked(processes=40)
    # Bounded also if nothing here worked: the system's limit, and the time.
    ran = opened(marked.pack)("Bash", command=f"ulimit -u 4000; {BOMBS[bomb]}", timeout=20)
    assert "[stopped: more than 40 processes]" in ran["stderr"]
    assert (ran["exit_code"], ran["timed_out"]) == (-9, False)
    assert marked.survivors() == []


@pytest.mark.spec("B9.6")
def test_files_are_bounded(opened: Open) -> None:
    pack = shell(file_bytes=100_000)
    ran = opened(pack)("Bash", command="head -c 1000000 /dev/zero > big; echo $?")
    assert ran["stdout"] == "153\n"  # 128 and SIGXFSZ
    assert (folder_of(pack) / "big").stat().st_size == 100_000
    ran = opened(shell(file_bytes=None))("Bash", command="head -c 1000000 /dev/zero > big; ls -l big | cut -d' ' -f5")
    assert ran["stdout"] == "1000000\n"


@LINUX
@pytest.mark.spec("B9.7")
def test_a_command_that_kills_its_supervisor_is_told_and_its_group_killed(opened: Open) -> None:
    marked = Marked()
    ran = opened(marked.pack)("Bash", command="sleep 60 & kill -9 $PPID; sleep 60", timeout=10)
    assert "the supervisor of the command was killed" in ran["stderr"]
    assert ran["exit_code"] == -9
    assert marked.survivors() == []


@LINUX
@pytest.mark.spec("B9.7")
def test_a_command_that_stops_its_supervisor(opened: Open) -> None:
    marked = Marked()
    ran = opened(marked.pack)("Bash", command="kill -STOP $PPID; sleep 60", timeout=0.5)
    assert ran["timed_out"]
    assert marked.survivors() == []


@pytest.mark.parametrize(
    ("arguments", "kind", "told"),
    [
        ({"command": "a\0b"}, "ValueError", "without NUL"),
        ({"command": "é" * 60_000}, "ValueError", "100000 bytes"),
        ({"command": "echo", "timeout": 0}, "ValueError", "above 0"),
        ({"command": "echo", "timeout": -1}, "ValueError", "above 0"),
        ({"command": "echo", "cwd": "a\0b"}, "ValueError", "NUL"),
        ({"command": "echo", "cwd": "x" * 300}, "OSError", "File name too long"),
        ({"command": ["rm", "-rf"]}, "TypeError", "string"),
    ],
)
def test_wrong_arguments(opened: Open, arguments: dict[str, Any], kind: str, told: str) -> None:
    found, message = opened(shell()).refused("Bash", **arguments)
    assert (found, told in message) == (kind, True), message


def test_the_longest_command(opened: Open) -> None:
    text = "x" * 99_000
    assert opened(shell())("Bash", command=f"echo {text} | wc -c")["stdout"].strip() == "99001"


def test_misuse_of_the_function_raises(tmp_path: Path) -> None:
    with pytest.raises(NotADirectoryError):
        shell(tmp_path / "no")
    with pytest.raises(ValueError, match="timeout is a number above 0"):
        shell(timeout=0)
    with pytest.raises(ValueError, match="absolute path"):
        shell(program="bash")
    with pytest.raises(ValueError, match="processes"):
        shell(processes=0)


def test_another_shell_and_one_that_is_not_there(opened: Open) -> None:
    assert opened(shell(program="/bin/sh"))("Bash", command="echo $0")["stdout"] == "/bin/sh\n"
    ran = opened(shell(program="/no/such/shell"))("Bash", command="echo")
    assert (ran["exit_code"], ran["stderr"]) == (127, "the shell could not be started\n")


def test_several_at_a_time(opened: Open, guest: Guest, driver: Driver) -> None:
    """Each waits for the next one, so they must run together."""
    ask = opened(shell(), driver=driver)
    command = textwrap.dedent("""
        touch $1; for i in $(seq 1000); do [ -e 0 ] && [ -e 1 ] && [ -e 2 ] && break; sleep 0.02; done; echo met""")
    code = guest.pick(
        python=f"import asyncio\n[r['stdout'] for r in await asyncio.gather(*(tools.Bash({command!r}"
        ".replace('$1', str(n))) for n in range(3)))]",
        javascript=f"(await Promise.all([0, 1, 2].map((n) => tools.Bash({command!r}.replace('$1', n)))))"
        ".map((r) => r.stdout)",
    )
    assert driver.value(ask.session, code) == ["met\n"] * 3


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_event_loop_goes_on(guest: Guest, backend: str) -> None:
    pack = shell()
    folder = folder_of(pack)

    async def main() -> None:
        with guest.runtime(capabilities=[pack], policy="allow") as session:
            async with anyio.create_task_group() as group:

                async def answer() -> None:
                    with anyio.fail_after(BOUND):
                        while not (folder / "asked").exists():
                            await anyio.sleep(0.01)
                    (folder / "answered").write_text("")

                group.start_soon(answer)
                command = "touch asked; while [ ! -e answered ]; do sleep 0.02; done; echo went on"
                result = await session.execute(
                    f"(await tools.Bash({command!r})).{'stdout'}"
                    if guest.name != "python"
                    else f"(await tools.Bash({command!r}))['stdout']"
                )
                assert result.value == "went on\n"

    anyio.run(main, backend=backend)


@LINUX
def test_nothing_of_the_host_is_left_open(opened: Open) -> None:
    ask = opened(shell())

    def use() -> None:
        ask("Bash", command="sleep 5 & echo")
        ask("Bash", command="sleep 60", timeout=0.1)
        ask.refused("Bash", command="echo", cwd="no")

    use()
    before = len(os.listdir("/proc/self/fd"))
    use()
    assert len(os.listdir("/proc/self/fd")) <= before
    children = [Path(path).read_text() for path in Path("/proc/self/task").glob("*/children")]
    for child in "".join(children).split():
        assert b"supervisor" not in Path(f"/proc/{child}/cmdline").read_bytes()
