"""`wasmhost serve --stdio` as a program: what its methods do, and what a client cannot do to it."""

import json
import os
import signal
import subprocess
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.support.child import ROOT, environment
from wasmhost.serving.jsonrpc import CANCELLED, INVALID_PARAMS, MAX_REQUESTS, NO_ROOM, Channel, Peer
from wasmhost.serving.rpc_stdio import MAX_LINE, StdioServer

from .programs import COMMAND, command, members, say

Json = dict[str, Any]


class Client:
    """A client that does one thing at a time."""

    def __init__(self, *words: str, **env: str) -> None:
        self.child: subprocess.Popen[bytes] = subprocess.Popen(
            [COMMAND, "serve", "--stdio", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=ROOT,
            env=environment(**env),
            start_new_session=True,
        )
        self.told: deque[Json] = deque()
        self.number: int = 0

    def send(self, method: str, **params: Any) -> int:
        self.number += 1
        say(self.child, {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        return self.number

    def raw(self, data: bytes) -> None:
        assert self.child.stdin is not None
        self.child.stdin.write(data)
        self.child.stdin.flush()

    def next(self) -> Json:
        assert self.child.stdout is not None
        line = self.child.stdout.readline()
        assert line, "the server has ended"
        found = json.loads(line)
        assert isinstance(found, dict)
        return found

    def wait(self, request: int | None, answers: Callable[[Json], Any] | None = None) -> Json:
        """The response to a request; what the server asks meanwhile is answered by `answers`."""
        while True:
            message = self.next()
            if "method" not in message:
                assert message["id"] == request, message
                return message
            if "id" in message and answers is not None:
                say(self.child, {"jsonrpc": "2.0", "id": message["id"], **answers(message)})
            self.told.append(message)

    def ask(self, method: str, **params: Any) -> Any:
        message = self.wait(self.send(method, **params))
        assert "result" in message, message
        return message["result"]

    def error(self, method: str, **params: Any) -> Json:
        message = self.wait(self.send(method, **params))
        assert "error" in message, message
        found = message["error"]
        assert isinstance(found, dict)
        return found

    def end(self) -> str:
        """Closes the pipe, and gives what the server has said on stderr."""
        assert self.child.stdin is not None
        self.child.stdin.close()
        assert self.child.wait(30) == 0
        assert self.child.stderr is not None
        assert self.child.stdout is not None
        said = self.child.stderr.read().decode()
        self.child.stderr.close()
        self.child.stdout.close()
        assert "Traceback" not in said
        assert members(self.child.pid) == []
        return said


@pytest.fixture
def client() -> Iterator[Client]:
    made = Client()
    try:
        yield made
        made.end()
    finally:
        made.child.kill()


@pytest.mark.spec("A1")
@pytest.mark.parametrize(("language", "code"), [("python", "x = 20"), ("javascript", "var x = 20")])
def test_cells_variables_and_reset(language: str, code: str, client: Client) -> None:
    made = client.ask("execute", code=f"{code}\n'text'", language=language)
    assert (made["ok"], made["value"], made["stdout"], made["stderr"]) == (True, "text", "", "")
    assert client.ask("execute", code="x + 1", language=language)["value"] == 21
    (variable,) = [one for one in client.ask("describe", language=language)["variables"] if one["name"] == "x"]
    assert variable["preview"] == "20"
    assert client.ask("sessions")["sessions"][0]["state"] == "idle"
    ended = client.ask("reset")["ended"]
    assert [(one["name"], one["language"], one["state"]) for one in ended] == [("main", language, "ended")]
    failed = client.ask("execute", code="x + 1", language=language)
    assert not failed["ok"]
    assert "x" in failed["error"]
    assert "is a new one: it was reset" in failed["notes"][0]


def test_what_the_server_tells_of_itself(client: Client) -> None:
    told = client.ask("info")
    assert told["name"] == "wasmhost"
    assert told["languages"] == ["python", "javascript", "typescript"]
    assert (told["scriptMs"], told["maxScriptMs"], told["maxSessions"]) == (1_000, 300_000, 16)
    assert "Python" in client.ask("instructions")["text"]
    assert "form" in client.error("instructions", form="what")["message"]


def test_output_comes_while_the_cell_runs_and_before_its_answer(client: Client) -> None:
    number = client.send("execute", code="print('begun', flush=True)\nwhile True: pass", timeoutMs=60_000, output=True)
    message = client.next()
    assert message["method"] == "output"
    assert message["params"] == {"request": number, "stream": "stdout", "text": "begun\n"}
    say(client.child, {"jsonrpc": "2.0", "method": "cancel", "params": {"id": number}})
    assert client.wait(number)["error"]["code"] == CANCELLED
    # The session has stayed, and answers.
    assert client.ask("execute", code="1 + 1")["value"] == 2
    made = client.wait(client.send("execute", code="print('a' * 10)\nprint('\\x1b]0;t\\x07')", output=True))
    texts = "".join(one["params"]["text"] for one in client.told if one["method"] == "output")
    assert texts.startswith("a" * 10 + "\n")
    assert made["result"]["stdout"].startswith("a" * 10 + "\n")


ADD: Json = {
    "name": "add",
    "description": "Adds.",
    "inputSchema": {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a", "b"],
    },
}


def add(message: Json) -> Json:
    assert message["method"] == "call"
    params = message["params"]
    if params["arguments"]["a"] == 13:
        return {"error": {"code": 1, "message": "unlucky", "data": {"type": "Unlucky"}}}
    return {"result": params["arguments"]["a"] + params["arguments"]["b"]}


@pytest.mark.parametrize("language", ["python", "javascript"])
def test_code_calls_functions_of_the_client(language: str, client: Client) -> None:
    client.ask("create", language=language, capabilities=[ADD])
    give, twice = ("await tools.add(a={}, b=2)", 2) if language == "python" else ("await tools.add({{a: {}, b: 2}})", 2)
    for _ in range(twice):
        made = client.wait(client.send("execute", code=give.format(1), language=language), add)
        assert made["result"]["value"] == 3
    assert made["result"]["calls"][0]["name"] == "add"
    assert made["result"]["calls"][0]["state"] == "completed"
    failed = client.wait(client.send("execute", code=give.format(13), language=language), add)["result"]
    assert "unlucky" in failed["error"]
    # Checked before the client is asked.
    client.told.clear()
    wrong = client.wait(client.send("execute", code=give.format('"x"'), language=language), add)["result"]
    assert not wrong["ok"]
    assert not client.told


@pytest.mark.parametrize(
    ("decision", "answer", "allowed"),
    [
        ("deny", None, False),
        ("ask", {"result": {"decision": "allow"}}, True),
        ("ask", {"result": {"decision": "deny", "reason": "not today"}}, False),
        ("ask", {"result": "allow"}, False),
        ("ask", {"result": None}, False),
        ("ask", {"error": {"code": 1, "message": "broken"}}, False),
    ],
)
def test_calls_are_decided_by_rule_or_by_the_client(
    decision: str, answer: Json | None, allowed: bool, client: Client
) -> None:
    client.ask("create", capabilities=[{**ADD, "decision": decision}], approvals=True)

    def answers(message: Json) -> Json:
        if message["method"] == "call":
            return add(message)
        assert answer is not None
        assert message["params"]["arguments"] == {"a": 1, "b": 2}
        assert "a = 1" in message["params"]["text"]
        return answer

    made = client.wait(client.send("execute", code="await tools.add(a=1, b=2)"), answers)["result"]
    assert made["ok"] == allowed
    if not allowed:
        assert "PermissionError" in made["error"]
        assert not [one for one in client.told if one["method"] == "call"]


def test_the_rules_of_the_server_come_before_those_of_a_client(tmp_path: Path) -> None:
    config = tmp_path / "settings.toml"
    config.write_text('[policy]\ndeny = ["add"]\n')
    client = Client("--config", str(config))
    client.ask("create", capabilities=[{**ADD, "decision": "allow"}])
    made = client.wait(client.send("execute", code="await tools.add(a=1, b=2)"), add)["result"]
    assert "PermissionError" in made["error"]
    client.end()


def test_a_call_that_nobody_waits_for_any_more_is_told_to_the_client(client: Client) -> None:
    client.ask("create", capabilities=[{**ADD, "timeoutMs": 50}])
    number = client.send("execute", code="await tools.add(a=1, b=2)")
    call = client.next()
    assert call["method"] == "call"
    ended = client.next()
    assert (ended["method"], ended["params"]) == ("cancel", {"id": call["id"]})
    # An answer after that is dropped.
    say(client.child, {"jsonrpc": "2.0", "id": call["id"], "result": 3})
    assert "Timeout" in client.wait(number)["result"]["error"]


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ({"result": {"$wasmhost": "nonsense", "v": 1}}, "cannot be read"),
        ({"result": {"$wasmhost": "int", "v": "1x"}}, "cannot be read"),
        ({"result": {"$wasmhost": "bytes", "v": "%%%"}}, "cannot be read"),
        ({"error": None}, "an error without a message"),
        ({"error": {"message": "x\x1b[31m" * 1_000, "data": {"type": "A B\n"}}}, "x"),
    ],
)
def test_answers_that_cannot_be_read_are_errors_of_that_call(answer: Json, says: str, client: Client) -> None:
    client.ask("create", capabilities=[ADD])
    code = "try:\n    await tools.add(a=1, b=2)\n    print('passed')\nexcept Exception as e:\n    print('caught', e)"
    made = client.wait(client.send("execute", code=code), lambda _: answer)["result"]
    assert made["stdout"].startswith("caught ")
    assert says in made["stdout"]
    assert "\x1b" not in json.dumps(made["calls"])
    assert client.ask("execute", code="1 + 1")["value"] == 2


def test_a_snapshot_goes_back_into_another_session(client: Client) -> None:
    client.ask("execute", code="kept = [1, 2, 3]")
    snapshot = client.ask("snapshot")["snapshot"]
    client.ask("execute", code="kept.append(4)")
    client.ask("restore", session="other", snapshot=snapshot)
    assert client.ask("execute", code="kept", session="other")["value"] == [1, 2, 3]
    assert client.ask("execute", code="kept")["value"] == [1, 2, 3, 4]
    client.ask("restore", snapshot=snapshot)
    assert client.ask("execute", code="kept")["value"] == [1, 2, 3]
    for wrong in ("%", snapshot[:100], "", snapshot[:-4] + "AAAA"):
        client.error("restore", snapshot=wrong)
    # What cannot be restored has ended nothing.
    assert client.ask("execute", code="kept")["value"] == [1, 2, 3]


@pytest.mark.parametrize(
    ("method", "params", "says"),
    [
        ("execute", {}, "code is missing"),
        ("execute", {"code": 5}, "code must be a text"),
        ("execute", {"code": "1", "what": 1}, "there is no parameter 'what'; it takes: code, session"),
        ("execute", {"code": "1", "language": "perl"}, "language is one of python, javascript, typescript"),
        ("execute", {"code": "1", "session": "a/b"}, "the name of a session is 1 to 64"),
        ("execute", {"code": "1", "session": ""}, "the name of a session is 1 to 64"),
        ("execute", {"code": "1", "timeoutMs": "5"}, "timeoutMs must be a number"),
        ("execute", {"code": "1", "timeoutMs": True}, "timeoutMs must be a number"),
        ("execute", {"code": "1", "timeoutMs": -1}, "script_ms"),
        ("execute", {"code": "1", "output": 1}, "output must be true or false"),
        ("reset", {"language": 5}, "language must be a text"),
        ("restore", {}, "snapshot is missing"),
        ("restore", {"snapshot": "%%"}, "not base64"),
        ("restore", {"snapshot": "AAAA"}, "snapshot"),
        ("create", {"capabilities": {}}, "capabilities must be a list"),
        ("create", {"capabilities": [{}] * 501}, "at most 500"),
        ("create", {"approvals": 1}, "approvals must be true or false"),
        ("create", {"capabilities": [5]}, "capability number 1 must be an object"),
        ("create", {"capabilities": [ADD, {}]}, "capability number 2: "),
        ("create", {"capabilities": [{"name": "a b"}]}, "capability number 1: "),
        ("create", {"capabilities": [{"name": 5}]}, "name does not have the right kind"),
        ("create", {"capabilities": [{"name": "a", "call": 1}]}, "'call' is not known"),
        ("create", {"capabilities": [{"name": "a", "decision": "maybe"}]}, "capability number 1: "),
        ("create", {"capabilities": [{"name": "a", "timeoutMs": True}]}, "timeoutMs does not have the right kind"),
        ("create", {"capabilities": [{"name": "a", "timeoutMs": 0}]}, "capability number 1: "),
        ("create", {"capabilities": [{"name": "a", "isolation": [5]}]}, "isolation must have texts only"),
        ("create", {"capabilities": [{"name": "a", "inputSchema": {"type": 5}}]}, "capability number 1: "),
        ("create", {"capabilities": [ADD, ADD]}, "add"),
    ],
)
def test_parameters_that_do_not_fit(method: str, params: Json, says: str, client: Client) -> None:
    error = client.error(method, **params)
    assert error["code"] == INVALID_PARAMS
    assert says in error["message"]
    assert client.ask("execute", code="1 + 1")["value"] == 2


@pytest.mark.spec("C3.1")
def test_ceilings_are_told_with_what_to_do() -> None:
    client = Client("--per-client", "1")
    client.ask("execute", code="1")
    error = client.error("execute", code="1", session="b")
    assert error["code"] == NO_ROOM
    assert "this connection has its 1: main (python)" in error["message"]
    assert error["data"] == {"type": "TooManySessions"}
    client.ask("reset")
    assert client.ask("execute", code="1", session="b")["value"] == 1
    client.end()


# ---- what a client cannot do ---------------------------------------------------------------------------------------


def test_lines_that_are_no_messages_are_told_and_the_server_goes_on(client: Client) -> None:
    for data in (b"\n", b"   \n", b"{\n", b"\x00\xff\n", b"[" * 1_000_000 + b"\n", b'{"jsonrpc": "2.0"}\r\n'):
        client.raw(data)
    for _ in range(4):
        assert client.next()["error"]["code"] in (-32700, -32600)
    assert client.ask("execute", code="1 + 1")["value"] == 2


def test_a_line_without_end_is_dropped_at_its_bound(client: Client) -> None:
    piece = b"x" * (1 << 20)
    for _ in range(2 * MAX_LINE // len(piece)):
        client.raw(piece)
    peak = memory(client.child.pid)
    client.raw(b"\n")
    assert "a line has at most" in client.next()["error"]["message"]
    for _ in range(4 * MAX_LINE // len(piece)):
        client.raw(piece)
    assert memory(client.child.pid) < peak + 2 * MAX_LINE
    client.raw(b"\n")
    assert "a line has at most" in client.next()["error"]["message"]
    assert client.ask("execute", code="1 + 1")["value"] == 2


def memory(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS"))


def test_a_flood_of_requests_is_answered_each_and_cut_at_its_bound(client: Client) -> None:
    client.ask("execute", code="1")
    many = 4 * MAX_REQUESTS
    for number in range(many):
        request = {"jsonrpc": "2.0", "id": f"f{number}", "method": "execute", "params": {"code": "1"}}
        client.raw(json.dumps(request).encode() + b"\n")
    answers = [client.next() for _ in range(many)]
    assert {one["id"] for one in answers} == {f"f{number}" for number in range(many)}
    assert {one["error"]["code"] for one in answers if "error" in one} <= {NO_ROOM}
    assert [one for one in answers if "result" in one]
    assert client.ask("execute", code="1 + 1")["value"] == 2


def test_a_client_that_does_not_read_holds_up_nobody_for_good(client: Client) -> None:
    """Megabytes that nobody takes: the cell ends, and the server is still there when the client reads again."""
    number = client.send("execute", code="for _ in range(300): print('x' * 10_000)", output=True, timeoutMs=30_000)
    other = client.send("execute", code="1 + 1", session="other")
    seen: dict[int, Json] = {}
    while len(seen) < 2:
        message = client.next()
        if "method" not in message:
            seen[message["id"]] = message
    assert seen[other]["result"]["value"] == 2
    assert seen[number]["result"]["ok"]


@pytest.mark.spec("C3.3", "C2.2")
@pytest.mark.parametrize("how", ["eof", "kill"])
def test_the_server_ends_with_its_client_whatever_runs(how: str, tmp_path: Path) -> None:
    """The client is a shell between us and the server."""
    shell = 'cat | "$0" "$@"; echo ended > "$TOLD"'
    child = subprocess.Popen(
        ["sh", "-c", shell, COMMAND, "serve", "--stdio"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env=environment(TOLD=str(tmp_path / "ended")),
        start_new_session=True,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    params = {"code": "print('begun', flush=True)\nwhile True: pass", "timeoutMs": 300_000, "output": True}
    say(child, {"jsonrpc": "2.0", "id": 1, "method": "execute", "params": params})
    assert json.loads(child.stdout.readline())["method"] == "output"
    if how == "eof":
        child.stdin.close()
    else:
        for pid in members(child.pid):
            if Path(f"/proc/{pid}/comm").read_text() == "cat\n":
                os.kill(pid, signal.SIGKILL)
    child.wait(30)
    child.stdout.close()
    if how == "kill":
        child.stdin.close()
    assert (tmp_path / "ended").read_text() == "ended\n"
    assert members(child.pid) == []


def test_what_was_asked_before_the_end_of_a_pipe_is_answered() -> None:
    """As of a shell that writes its requests and closes."""
    lines = [{"jsonrpc": "2.0", "id": number, "method": "execute", "params": {"code": "2 ** 5"}} for number in range(5)]
    done = subprocess.run(
        [COMMAND, "serve", "--stdio"],
        input="".join(json.dumps(line) + "\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=60,
        cwd=ROOT,
        env=environment(),
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert sorted((one["id"], one["result"]["value"]) for one in answers) == [(number, 32) for number in range(5)]
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.spec("C3.3")
@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio", "trio"])
async def test_a_client_whose_both_pipes_are_gone_is_not_waited_for(
    anyio_backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Far more than the test has.
    monkeypatch.setattr("wasmhost.serving.rpc_stdio._LAST_SECONDS", 600.0)
    begun, cancelled = anyio.Event(), anyio.Event()

    async def forever(params: Mapping[str, Any], channel: Channel, request: str | int | None) -> None:
        begun.set()
        try:
            await anyio.sleep_forever()
        finally:
            cancelled.set()

    (reads, theirs), (ours, writes) = os.pipe(), os.pipe()
    try:
        os.write(theirs, b'{"jsonrpc": "2.0", "id": 1, "method": "forever"}\n')
        with anyio.fail_after(30):
            async with anyio.create_task_group() as group:
                group.start_soon(StdioServer(Peer({"forever": forever}), reads, writes).serve)
                await begun.wait()
                os.close(ours)
                os.close(theirs)
        assert cancelled.is_set()
    finally:
        os.close(reads)
        os.close(writes)


@pytest.mark.spec("C13")
def test_the_servers_environment_is_not_the_guests() -> None:
    client = Client(SECRET_OF_THE_HOST="hidden")
    told = client.ask("execute", code="import os\n[os.getenv('SECRET_OF_THE_HOST'), os.getenv('PATH')]")
    assert told["value"] == [None, None]
    client.end()


@pytest.mark.spec("B25.4")
@pytest.mark.parametrize("source", ["file", "environment"])
def test_switched_off_it_does_not_serve_and_is_not_listed(source: str, tmp_path: Path) -> None:
    env = {"WASMHOST_SURFACES_SERVER": "false"}
    if source == "file":
        (tmp_path / "settings.toml").write_text("[surfaces]\nserver = false\n")
        env = {"WASMHOST_CONFIG": str(tmp_path / "settings.toml")}
    done = command("serve", "--stdio", **env)
    assert done.returncode == 2
    assert "server is switched off: surfaces.server of " in done.stderr
    assert "wasmhost serve" not in command("--help", **env).stdout
    assert "wasmhost serve" in command("--help").stdout


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        ([], "give either --stdio or --http ADDRESS"),
        (["--stdio", "--http", "0"], "give either --stdio or --http ADDRESS"),
        (["--stdio", "--idle", "0"], "idle_seconds is a number above 0"),
        (["--stdio", "--what"], "option '--what' is not known"),
        (["--stdio", "-c", "1"], "takes no source"),
        (["--http", "nonsense"], "'nonsense' is not PORT, ADDRESS:PORT or [ADDRESS]:PORT"),
        (["--stdio", "--memory", "1048576"], "is below what the python image itself needs"),
    ],
)
def test_words_that_do_not_fit(words: list[str], wrong: str) -> None:
    done = command("serve", *words)
    assert done.returncode == 2
    assert wrong in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
