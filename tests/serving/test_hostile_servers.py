"""Other MCP servers that mean ill or have gone mad, as sources of tools (``docs/mcp.md``): real programs, over their
pipes and over HTTP."""

import json
import os
import re
import resource
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

import wasmhost.serving.mcp_tools as mcp_tools
from tests.serving import hostile_server as hostile
from tests.serving.programs import command
from tests.support.guests import Guest
from wasmhost import Policy, PythonRuntime
from wasmhost.capabilities.capability import Capability
from wasmhost.serving.mcp_tools import Tools
from wasmhost.session.session import Session

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform == "win32", reason="the bounds of pipes are those of POSIX"),
    # What the SDK logs of a server that it cannot understand.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

PROGRAM = hostile.__file__
ALLOWED = Policy(default="allow")
# Of the host: more than any message may take, far less than an endless one would.
GROWTH = 300 << 20


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def bounded() -> Any:
    """Whatever a server does, the host keeps little of it, and no process of it stays."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) << 10 < GROWTH
    assert not [one for one in children() if PROGRAM in one]


def children() -> list[str]:
    """The command lines of the processes that this one has begun and that run yet."""
    found = []
    for one in Path("/proc").glob("[0-9]*"):
        try:
            fields = (one / "stat").read_text().rpartition(")")[2].split()
            if int(fields[1]) == os.getpid() and fields[0] != "Z":
                found.append((one / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return found


@asynccontextmanager
async def offered(
    how: str, tmp_path: Path, *, http: bool = False, timeout: float = 10
) -> AsyncIterator[tuple[list[Capability], list[str]]]:
    """What a server that behaves in that way offers, and what is warned of."""
    child: subprocess.Popen[str] | None = None
    given: dict[str, Any] = {"command": sys.executable, "args": [PROGRAM, how]}
    if http:
        child = subprocess.Popen([sys.executable, PROGRAM, how, "http"], stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None
        given = {"url": f"http://127.0.0.1:{int(child.stdout.readline())}/mcp"}
    path = tmp_path / "servers.json"
    path.write_text(json.dumps({"mcpServers": {"h": {**given, "timeout": timeout}}}))
    warned: list[str] = []
    try:
        async with Tools.load(str(path), warn=warned.append) as tools:
            mine = tools.of_one_client()
            yield await mine.capabilities(), warned
            assert all(line.isprintable() and len(line) < 600 for line in warned)
            await mine.aclose()
    finally:
        if child is not None:
            child.kill()
            child.communicate()


def calling(guest: Guest, name: str, arguments: str = "{}", then: str = "r") -> str:
    """A cell that calls a tool by its own name."""
    return str(
        guest.pick(
            python=f"r = await tools['h.{name}'](**{arguments})\n{then}",
            javascript=f"var r = await tools['h.{name}']({arguments}); {then}",
        )
    )


async def answers(session: Session) -> None:
    assert (await session.execute("1 + 1")).value == 2


# ---- what it says of its tools ----


def calm(text: str) -> bool:
    return all(line.isprintable() for line in text.split("\n"))


_COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\]|\\.)*"', re.DOTALL)


def check_told(session: Session) -> None:
    """What a model and a terminal get is bounded, and nothing in it ends a comment or steers."""
    for form in ("short", "full"):
        python = session.declarations("python", form=form)
        typescript = session.declarations("typescript", form=form)
        assert calm(python)
        assert calm(typescript)
        assert max(len(python), len(typescript)) <= 200_000
        assert not re.search(r"\*/|```|\x1b", _COMMENT_OR_STRING.sub("", typescript))
        if form == "full":
            # In a guest, whose Python is newer than ours may be.
            with PythonRuntime() as reader:
                assert reader.run(f"import ast; len(ast.parse({python!r}).body)").ok
    told = session.instructions()
    assert calm(told)
    assert len(told) < 200_000


@pytest.mark.spec("C8")
async def test_names(guest: Guest, tmp_path: Path) -> None:
    async with offered("names", tmp_path) as (capabilities, warned):
        names = [one.name.removeprefix("h.") for one in capabilities]
        assert names == list(dict.fromkeys(names))
        # Each is either offered or told of; there are few enough here.
        assert len(names) + len(warned) == len(hostile.NAMES)
        assert {"__proto__", "constructor", "then", "class", "a-b"} <= set(names)
        assert not {"", "a_b", "a/b", "x\x1b[2J", "x\u202ey", "é"} & set(names)
        with guest.runtime(capabilities=capabilities, policy=ALLOWED) as session:
            check_told(session)
            # Whatever it is called, it is called, and nothing of the guest's own is.
            for name in names:
                assert (await session.execute(calling(guest, name))).value == name
            untouched = guest.pick(
                python="print is __import__('builtins').print and type(tools).__name__ != 'str'",
                javascript="({}).constructor === Object && [].toString() === '' && Object.keys({}).length === 0",
            )
            assert (await session.execute(untouched)).value is True
            await answers(session)


@pytest.mark.spec("C8")
async def test_descriptions(guest: Guest, tmp_path: Path) -> None:
    async with offered("texts", tmp_path) as (capabilities, warned):
        assert [one.name for one in capabilities] == ["h.escapes", "h.long", "h.lines"]
        assert not warned
        assert all(len(one.description) <= 4_000 for one in capabilities)
        with guest.runtime(capabilities=capabilities, policy=ALLOWED) as session:
            check_told(session)
            assert (await session.execute(calling(guest, "escapes"))).value == "escapes"
            assert (await session.execute(guest.pick(python="str(tools.h)", javascript="String(tools)"))).ok
            await answers(session)


SCHEMAS_LEFT_OUT = {"itself", "doubling", "elsewhere", "a_file", "many", "bomb", "no_pattern", "deep", "deep_choices"}
SCHEMAS_LEFT_OUT |= {"no_type", "numbers", "large"}


@pytest.mark.spec("C8")
async def test_schemas_of_arguments(guest: Guest, tmp_path: Path) -> None:
    async with offered("schemas", tmp_path) as (capabilities, warned):
        offered_ = {one.name.removeprefix("h.") for one in capabilities}
        assert offered_ == hostile.SCHEMAS.keys() - SCHEMAS_LEFT_OUT
        assert len(warned) == len(SCHEMAS_LEFT_OUT)
        with guest.runtime(capabilities=capabilities, policy=ALLOWED) as session:
            check_told(session)
            x = guest.pick(python="{'x': 'a' * 100_000 + '!'}", javascript="{x: 'a'.repeat(100_000) + '!'}")
            for name in sorted(offered_):
                result = await session.execute(calling(guest, name, x))
                assert result.ok or result.error_type == "TypeError", result.error
                assert len(result.error or "") < 5_000
            await answers(session)


@pytest.mark.spec("C8")
async def test_schemas_of_results(guest: Guest, tmp_path: Path) -> None:
    # What cannot be checked is not promised; a tool is left out only where it is too large.
    async with offered("outputs", tmp_path) as (capabilities, warned):
        assert len(warned) == 2
        with guest.runtime(capabilities=capabilities, policy=ALLOWED) as session:
            check_told(session)
            for one in capabilities:
                result = await session.execute(calling(guest, one.name.removeprefix("h.")))
                assert result.ok or result.error_type == "CallError", result.error
            await answers(session)


LISTS = {
    "same cursor": (50, "those after the first 50 pages are left out"),
    "empty pages": (0, "those after the first 50 pages are left out"),
    "wrong pages": (0, "tools of h are left out: ValidationError"),
    "no schema": (0, "tools of h are left out: ValidationError"),
    "too many": (500, "those after the first 500 of all are left out"),
    "all wrong": (0, "280 more are left out"),
    "large pages": (3, "those after the first 16777216 bytes are left out"),
    "huge description": (0, "the server has sent a message of more than 8388608 bytes"),
    "endless list": (0, "the server has sent a message of more than 8388608 bytes"),
    "endless line": (0, "the server has sent a message of more than 8388608 bytes"),
    "mute": (0, "no answer within 1 s"),
    "dies at once": (0, "tools of h are left out"),
    "wrong version": (0, "tools of h are left out: ValidationError"),
}


@pytest.mark.parametrize("http", [False, True], ids=["stdio", "http"])
@pytest.mark.parametrize("how", LISTS)
async def test_lists_of_tools_and_handshakes(
    how: str, http: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if how == "mute":
        monkeypatch.setattr(mcp_tools, "_CONNECT_SECONDS", 1.0)
    count, told = LISTS[how]
    async with offered(how, tmp_path, http=http) as (capabilities, warned):
        assert len(capabilities) == count
        assert told in warned[-1]
        assert len(warned) <= 21


async def test_what_a_server_prints_beside_its_messages_is_passed_over(guest: Guest, tmp_path: Path) -> None:
    async with offered("chatter", tmp_path) as (capabilities, warned):
        assert not warned
        with guest.runtime(capabilities=capabilities, policy=ALLOWED) as session:
            assert (await session.execute(calling(guest, "fine"))).value == "fine"


async def test_an_answer_that_is_packed_is_refused(tmp_path: Path) -> None:
    async with offered("packed", tmp_path, http=True) as (capabilities, warned):
        assert not capabilities
        assert warned == ["tools of h are left out: the server has packed its answer"]


# ---- what it gives back ----

# What is an answer all the same; the rest is an error of the call.
ANSWERED = {"fine", "deep", "no_picture", "hostile_type", "link", "many_parts", "escapes", "prototype", "nan"}
ANSWERED |= {"other", "twice", "catastrophic_text", "somebody_else"}
# The server goes on for ever, or says nothing: the call ends by its timeout.
LATE = {"silent", "progress"}
BROKEN = {
    "long": "a message of more than 8388608 bytes",
    "endless": "a message of more than 8388608 bytes",
    "many_lists": "a message of more than 250000 lists and objects",
    "asks": "more than 100 requests of the server wait for an answer",
    **dict.fromkeys(
        ["deeper", "a_list", "a_text", "null", "huge_number", "not_utf8", "surrogate", "garbage"],
        "a message that cannot be read",
    ),
    "dies": "the call may have been made",
    "dies_inside": "the call may have been made",
}
# Not of a tool's result.
UNFIT = {"nothing", "no_content", "odd_content", "content_of_content", "structured_list", "input_required"}


@pytest.mark.spec("C8")
@pytest.mark.parametrize("name", hostile.CALLS)
async def test_results(name: str, guest: Guest, tmp_path: Path) -> None:
    async with offered("calls", tmp_path, timeout=1 if name in LATE else 20) as (capabilities, _):
        with guest.runtime(capabilities=capabilities, policy=ALLOWED) as session:
            await session.execute(guest.assign("kept", "5"))
            result = await session.execute(calling(guest, name, then="1"))
            assert result.ok == (name in ANSWERED), result.error
            if not result.ok:
                assert result.error_type == ("TimeoutError" if name in LATE else "RuntimeError")
                assert len(result.error or "") < 5_000
                assert str(tmp_path) not in (result.error or "")
                assert BROKEN.get(name, "") in (result.error or "")
                assert (name in UNFIT) == ("is not the result of a tool" in (result.error or ""))
            assert (await session.execute("kept")).value == 5
            if name != "progress":
                # By a new connection, where the old one is gone.
                again = await session.execute(calling(guest, "fine"))
                assert again.value == "small", again.error


@pytest.mark.spec("C8")
async def test_a_result_is_not_held_against_a_pattern_that_never_ends(guest: Guest, tmp_path: Path) -> None:
    async with offered("calls", tmp_path) as (capabilities, _):
        with guest.runtime(capabilities=capabilities, policy=ALLOWED) as session:
            result = await session.execute(calling(guest, "checked"))
            assert result.error_type == "CallError"
            assert "the result does not fit" in (result.error or "")
            await answers(session)


OVER_HTTP = ["long", "many_lists", "deeper", "a_text", "no_content", "silent", "endless", "other", "not_utf8", "asks"]


@pytest.mark.spec("C8")
@pytest.mark.parametrize("how", ["calls", "calls events", "retry events"])
async def test_results_over_http(how: str, guest: Guest, tmp_path: Path) -> None:
    async with offered(how, tmp_path, http=True, timeout=10) as (capabilities, _):
        with guest.runtime(capabilities=capabilities, policy=ALLOWED) as session:
            for name in OVER_HTTP:
                result = await session.execute(calling(guest, name, then="1"))
                assert not result.ok or how == "calls events"
                assert result.ok or result.error_type in ("RuntimeError", "TimeoutError"), result.error
                assert len(result.error or "") < 5_000
                if how != "retry events":
                    again = await session.execute(calling(guest, "fine"))
                    assert again.value == "small", again.error
            await answers(session)


# ---- the whole program ----


def test_nothing_of_it_steers_a_terminal(tmp_path: Path) -> None:
    servers = {
        f"s{number}": {"command": sys.executable, "args": [PROGRAM, how]}
        for number, how in enumerate(["names", "texts", "schemas", "all wrong", "endless line", "wrong pages"])
    }
    path = tmp_path / "servers.json"
    path.write_text(json.dumps({"mcpServers": servers}))
    done = command("mcp", "--tools-from", str(path))
    assert done.returncode == 0
    assert calm(done.stderr)
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) < 100
