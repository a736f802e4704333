"""`wasmhost serve --http` as a program: whose clients, what a request must have, and what its description says."""

import contextlib
import http.client
import json
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import anyio
import jsonschema  # type: ignore[import-untyped]
import pytest

from tests.support.child import ROOT, environment
from wasmhost import PythonRuntime
from wasmhost.serving.jsonrpc import CANCELLED, INVALID_REQUEST
from wasmhost.serving.methods import Methods
from wasmhost.serving.openapi import METHODS, description
from wasmhost.serving.pool import SessionPool
from wasmhost.serving.rpc_http import MAX_BODY, HttpServer

from .programs import COMMAND, TOKEN, command, members, request, serving

Json = dict[str, Any]
OTHER = "another-token-of-the-tests"


@contextmanager
def over_http(*words: str, token: str | None = f"{TOKEN} {OTHER}") -> Iterator[str]:
    begins = "wasmhost: serving at "
    with serving("serve", "--http", "0", *words, begins=begins, WASMHOST_SERVE_TOKEN=token) as (url, _):
        yield url


def began(url: str, token: str = TOKEN) -> str:
    """The URL of one more client."""
    status, _, body = request(f"{url}/v1/clients", token=token)
    assert status == 201
    return f"{url}/v1/clients/{json.loads(body)['client']}"


def plain(client: str, method: str, *, token: str = TOKEN, **params: Any) -> Json:
    """The response, taken as JSON."""
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    status, headers, body = request(f"{client}/rpc", body=message, token=token, headers={"Accept": "application/json"})
    assert status == 200, body
    assert headers["content-type"] == "application/json"
    found = json.loads(body)
    assert isinstance(found, dict)
    return found


class Stream:
    """A request whose events are read one by one."""

    def __init__(self, client: str, method: str, number: int | str = 1, **params: Any) -> None:
        parts = urlsplit(f"{client}/rpc")
        assert parts.hostname is not None
        self.connection: http.client.HTTPConnection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60)
        body = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        headers = {
            "Accept": "text/event-stream",
            "Content-Type": "application/json",
            "Authorization": f"Bearer {TOKEN}",
        }
        self.connection.request("POST", parts.path, body, headers)
        self.answer: http.client.HTTPResponse = self.connection.getresponse()
        assert self.answer.status == 200
        assert self.answer.headers["content-type"].startswith("text/event-stream")

    def next(self) -> Json:
        while True:
            line = self.answer.readline()
            assert line, "the stream has ended"
            if line.startswith(b"data: "):
                found = json.loads(line[6:])
                assert isinstance(found, dict)
                return found

    def close(self) -> None:
        self.answer.close()
        self.connection.close()


def posted(client: str, message: Json) -> int:
    return request(f"{client}/rpc", body={"jsonrpc": "2.0", **message})[0]


@pytest.mark.spec("C2.3")
def test_clients_have_sessions_of_their_own_until_they_end() -> None:
    with over_http() as url:
        first, second = began(url), began(url)
        plain(first, "execute", code="x = 'mine'")
        assert "NameError" in plain(second, "execute", code="x")["result"]["error"]
        assert plain(first, "execute", code="x")["result"]["value"] == "mine"
        # Of another principal: not even known to be there.
        assert request(f"{first}/rpc", body={}, token=OTHER)[0] == 404
        assert request(first, "DELETE", token=OTHER)[0] == 404
        assert plain(first, "execute", code="x")["result"]["value"] == "mine"
        assert request(first, "DELETE")[0] == 204
        assert request(first, "DELETE")[0] == 404
        status, _, body = request(f"{first}/rpc", body={})
        assert (status, "begin with POST /v1/clients" in json.loads(body)["error"]) == (404, True)


@pytest.mark.spec("C2.3")
def test_requests_without_a_token_or_from_elsewhere_are_refused() -> None:
    with over_http() as url:
        clients = f"{url}/v1/clients"
        for where, method in ((clients, "POST"), (f"{clients}/x/rpc", "POST"), (f"{url}/openapi.json", "GET")):
            for token in (None, "", "wrong", TOKEN + "x", f"{TOKEN} {OTHER}"):
                assert request(where, method, token=token)[0] == 401
        port = url.rpartition(":")[2]
        assert request(clients, headers={"Origin": "http://evil.example"})[0] == 403
        assert request(clients, headers={"Origin": "null"})[0] == 403
        assert request(clients, headers={"Host": f"evil.example:{port}"})[0] == 421
        assert request(clients, headers={"Origin": f"http://localhost:{port}"})[0] == 201
        # No page of a browser can send this type without being asked about it first.
        client = began(url)
        for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
            assert request(f"{client}/rpc", body=b"{}", headers={"Content-Type": kind})[0] == 415
        assert request(url, "GET")[0] == 404
        assert request(clients, "GET")[0] == 405


@pytest.mark.parametrize("language", ["python", "javascript"])
def test_output_calls_and_the_answer_are_events_of_the_request(language: str) -> None:
    with over_http() as url:
        client = began(url)
        add = {"name": "add", "inputSchema": {"type": "object", "properties": {"a": {"type": "integer"}}}}
        plain(client, "create", language=language, capabilities=[add])
        code = "print('begun', flush=True)\nawait tools.add(a=1)"
        if language == "javascript":
            code = "console.log('begun'); await tools.add({a: 1})"
        stream = Stream(client, "execute", "r", code=code, language=language, output=True)
        told = [stream.next(), stream.next()]
        (output,) = [one for one in told if one["method"] == "output"]
        assert output["params"] == {"request": "r", "stream": "stdout", "text": "begun\n"}
        (call,) = [one for one in told if one["method"] == "call"]
        assert (call["params"]["name"], call["params"]["arguments"]) == ("add", {"a": 1})
        assert posted(client, {"id": call["id"], "result": 41}) == 202
        answer = stream.next()
        assert answer["id"] == "r"
        assert answer["result"]["value"] == 41
        stream.close()
        # A client that takes the answer only has nobody to ask.
        failed = plain(client, "execute", code=code, language=language)["result"]
        assert "must accept text/event-stream" in failed["error"]


@pytest.mark.spec("D10.2")
def test_a_request_is_cancelled_by_another_one_and_by_going_away() -> None:
    with over_http() as url:
        client = began(url)
        plain(client, "execute", code="x = 1")
        loop = {"code": "print('begun', flush=True)\nwhile True: pass", "timeoutMs": 300_000, "output": True}
        stream = Stream(client, "execute", "loop", **loop)
        assert stream.next()["method"] == "output"
        assert posted(client, {"method": "cancel", "params": {"id": "loop"}}) == 202
        assert stream.next()["error"]["code"] == CANCELLED
        stream.close()
        stream = Stream(client, "execute", "loop", **loop)
        assert stream.next()["method"] == "output"
        stream.close()
        # The cell was stopped, as nobody listens: the session answers, with its variables.
        assert plain(client, "execute", code="x")["result"]["value"] == 1


@pytest.mark.spec("C3.3")
def test_a_plain_request_whose_client_hangs_up_is_cancelled() -> None:
    with over_http() as url:
        client = began(url)
        parts = urlsplit(f"{client}/rpc")
        body = json.dumps(
            {
                "jsonrpc": "2.0",
                "id": "loop",
                "method": "execute",
                "params": {"code": "while True: pass", "timeoutMs": 300_000},
            }
        ).encode()
        head = (
            f"POST {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\nAuthorization: Bearer {TOKEN}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        assert parts.hostname is not None
        assert parts.port is not None
        with socket.create_connection((parts.hostname, parts.port)) as gone:
            gone.sendall(head.encode() + body)
            while not [one for one in plain(client, "sessions")["result"]["sessions"] if one["state"] == "running"]:
                time.sleep(0.01)
        assert plain(client, "execute", code="1 + 1")["result"]["value"] == 2


@pytest.mark.spec("C3.3", "C2.2")
@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_client_that_has_gone_without_a_word_has_its_sessions_ended(anyio_backend: str) -> None:
    def make(language: str, name: str, **options: Any) -> PythonRuntime:
        return PythonRuntime(**options)

    async with SessionPool(make) as pool:
        made: list[Methods] = []

        def methods() -> Methods:
            made.append(Methods(pool, make, policy=None, language="python"))
            return made[-1]

        async with HttpServer(methods, gone_seconds=0.2) as server:
            scope = {"type": "http", "method": "POST", "path": "/v1/clients", "headers": [], "principal": "p"}
            sent: list[Any] = []

            async def receive() -> Any:
                return {"type": "http.request", "body": b"", "more_body": False}

            async def send(message: Any) -> None:
                sent.append(message)

            await server.app({**scope, "query_string": b"", "root_path": ""}, receive, send)
            assert sent[0]["status"] == 201
            async with made[0].scope.use("main", "python"):
                assert pool.sessions == 1
            with anyio.fail_after(30):
                while pool.sessions:
                    await anyio.sleep(0.05)
            assert made[0].scope.closed == "the client has gone"
            assert not server._clients


def test_bodies_are_bounded_in_size_and_headers_in_length() -> None:
    with over_http() as url:
        client = began(url)
        assert request(f"{client}/rpc", body=b" " * (MAX_BODY + 1))[0] == 413
        assert json.loads(request(f"{client}/rpc", body=b"{")[2])["error"]["code"] == -32700
        batch = [{"jsonrpc": "2.0", "id": 1, "method": "info"}]
        answer = json.loads(request(f"{client}/rpc", body=json.dumps(batch).encode())[2])
        assert answer["error"]["code"] == INVALID_REQUEST
        with contextlib.suppress(ConnectionError):
            # Closed before all of it was taken, so that the answer may not get through.
            assert request(url + "/" + "x" * 200_000, "GET")[0] == 400
        assert plain(client, "execute", code="1 + 1")["result"]["value"] == 2


def test_the_server_ends_by_a_signal_whatever_runs_and_leaves_nothing_behind() -> None:
    child = subprocess.Popen(
        [COMMAND, "serve", "--http", "0"],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=environment(WASMHOST_SERVE_TOKEN=TOKEN),
        start_new_session=True,
    )
    assert child.stderr is not None
    url = child.stderr.readline().split()[-1]
    client = began(url)
    stream = Stream(client, "execute", code="print(1, flush=True)\nwhile True: pass", timeoutMs=300_000, output=True)
    assert stream.next()["method"] == "output"
    child.send_signal(signal.SIGTERM)
    child.wait(30)
    said = child.stderr.read()
    child.stderr.close()
    stream.close()
    assert "Traceback" not in said
    assert members(child.pid) == []


def test_a_token_is_made_where_none_is_given_and_short_ones_are_refused() -> None:
    with serving("serve", "--http", "0", begins="wasmhost: serving at ", WASMHOST_SERVE_TOKEN=None) as (url, said):
        assert request(f"{url}/v1/clients", token=said[-1].split()[-1])[0] == 201
    done = command("serve", "--http", "0", WASMHOST_SERVE_TOKEN="short")
    assert done.returncode == 2
    assert "a token has 16 or more characters" in done.stderr


# ---- the description -----------------------------------------------------------------------------------------------


def schema(name: str) -> Any:
    whole = description()
    text = json.dumps({"$ref": f"#/components/schemas/{name}", "components": whole["components"]})
    return jsonschema.Draft202012Validator(json.loads(text))


def test_the_description_tells_all_methods_and_what_they_give() -> None:
    with over_http() as url:
        status, _, body = request(f"{url}/openapi.json", "GET")
        assert status == 200
        assert json.loads(body) == json.loads(json.dumps(description()))
        client = began(url)
        given: dict[str, Json] = {
            "create": {"capabilities": [{"name": "add", "inputSchema": {"type": "object"}, "isolation": ["a"]}]},
            "execute": {"code": "1 + 1", "timeoutMs": 500, "output": False},
            "instructions": {"form": "full"},
            "cancel": {"id": "nothing"},
        }
        plain(client, "execute", code="x = 1")
        given["restore"] = {"snapshot": plain(client, "snapshot")["result"]["snapshot"]}
        for method in METHODS:
            params = given.get(method, {})
            title = method.capitalize()
            schema(f"{title}Request").validate({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
            answer = plain(client, method, **params)
            schema("Response").validate(answer)
            schema(f"{title}Result").validate(answer["result"])
        schema("ExecuteResult").validate(plain(client, "execute", code="1 / 0")["result"])
        error = plain(client, "nothing")
        schema("ErrorResponse").validate(error)
        # All that there are.
        assert error["error"]["message"].endswith(": " + ", ".join(METHODS))


def test_what_the_description_does_not_allow_is_refused() -> None:
    with over_http() as url:
        client = began(url)
        for method, (_, properties, required, _) in METHODS.items():
            params: Json = {"what": 1, **dict.fromkeys(required, "x")}
            wrong = plain(client, method, **params)
            assert "error" in wrong, method
            for name in properties:
                assert not schema(f"{method.capitalize()}Request").is_valid(
                    {"jsonrpc": "2.0", "id": 1, "method": method, "params": {name: None}}
                )
                none: Json = {name: None}
                assert "error" in plain(client, method, **none), name
