"""The endpoint: what comes out of good ones, and of those that are broken or hostile."""

import asyncio
import gzip
import json
import os
import signal
import socket
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.support.web import answer, redirect
from wasmhost import SettingsError
from wasmhost.chat import endpoint as endpoint_module
from wasmhost.chat.endpoint import MAX_CHARS, Endpoint, ModelError, Reply

from .model import DONE, HEAD, KEY, Model, Say, event, failure, reply

ASKED = [{"role": "user", "content": "2 + 2"}]


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    """The servers are on this machine."""
    for name in list(os.environ):
        if name.lower().endswith("_proxy") or name.startswith("OPENAI_"):
            monkeypatch.delenv(name)


def ask(model: Model, seen: list[str] | None = None, **options: Any) -> Reply:
    options = {"seconds": 20, **options}
    return Endpoint("small", KEY, model.url, **options).ask(ASKED, (seen if seen is not None else []).append)


def failed(*script: str | bytes | Say, **options: Any) -> str:
    """What is said of an answer that is none: always one line, that steers nothing."""
    with Model(*script) as model, pytest.raises(ModelError) as told:
        ask(model, **options)
    text = str(told.value)
    assert "\n" not in text
    assert text.isprintable()
    assert len(text) < 600
    assert KEY not in text
    return text


def test_an_answer_as_it_comes_and_as_a_whole() -> None:
    seen: list[str] = []
    with Model("x = 1\nprint(x)\n") as model:
        got = ask(model, seen, max_tokens=99)
    assert got.text == "".join(seen) == "x = 1\nprint(x)\n"
    assert len(seen) > 1
    assert (got.tokens_in, got.tokens_out) == (176, 213)
    assert model.bodies == [
        {
            "model": "small",
            "messages": ASKED,
            "stream": True,
            "stream_options": {"include_usage": True},
            "max_tokens": 99,
        }
    ]


def test_what_an_endpoint_does_not_know_is_left_out() -> None:
    with Model(
        failure("400 Bad Request", "unknown field stream_options"),
        failure("422 Unprocessable", "max_tokens: use max_completion_tokens instead"),
        reply("1"),
        reply("2"),
    ) as model:
        endpoint = Endpoint("small", KEY, model.url, max_tokens=7)
        assert endpoint.ask(ASKED, lambda text: None).text == "1"
        assert endpoint.ask(ASKED, lambda text: None).text == "2"
    for body in model.bodies[2:]:
        assert set(body) == {"model", "messages", "stream", "max_completion_tokens"}


# ---- endpoints that refuse -------------------------------------------------------------------------------------------


@pytest.mark.spec("A11.3")
@pytest.mark.parametrize(
    ("sent", "says"),
    [
        (failure("401 Unauthorized", f"wrong key {KEY}"), "the key is refused (401) at http://127.0.0.1:"),
        (failure("403 Forbidden"), "the key may not do this (403)"),
        (failure("404 Not Found", "no such model"), "there is no model 'small', or no such API (404)"),
        (failure("429 Too Many Requests", "slow down"), "too many requests, or nothing left to spend (429)"),
        (failure("500 Error", "a\r\n\x1b[2J\u202eb"), "status 500"),
        (failure("503 Error", "x" * 10_000), "status 503"),
        (answer(b"\xff\x00<html>", "502 Bad Gateway", "text/html"), "status 502"),
        (answer("[" * 100_000, "400 Bad Request", "application/json"), "status 400"),
        (answer('{"error": [{"message": {}}]}', "400 Bad Request", "application/json"), "status 400"),
        (redirect("http://192.0.2.1/v1/chat/completions", "307 Temporary Redirect"), "status 307"),
    ],
)
def test_refusals_are_one_line(sent: bytes, says: str) -> None:
    assert says in failed(sent)


def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    with pytest.raises(ModelError, match=r"^no connection at http://127\.0\.0\.1:\d+/v1"):
        Endpoint("small", KEY, f"http://127.0.0.1:{port}/v1").ask(ASKED, lambda text: None)


# ---- answers that are none -------------------------------------------------------------------------------------------


@pytest.mark.spec("A11.3")
@pytest.mark.parametrize(
    ("sent", "says"),
    [
        (answer("<html>hello", kind="text/html"), "answers with text/html and not with a stream of events"),
        (answer(json.dumps({"choices": []}), kind="application/json"), "answers with application/json"),
        (HEAD, "ended before it was whole"),
        (HEAD + DONE, "ended before it was whole"),
        (HEAD + event({"content": "del"}), "ended before it was whole"),
        (reply("x", finish=None), "ended before it was whole"),
        (reply("x", finish="length"), "the most tokens that it may have"),
        (reply("x", finish="content_filter"), "filter"),
        (reply("", finish="tool_calls"), "asked for a tool"),
        (
            HEAD + event({"tool_calls": [{"index": 0, "function": {"name": "f", "arguments": "{"}}]}, "stop") + DONE,
            "asked for a tool",
        ),
        (HEAD + b"data: {not json\n\n", "cannot be understood"),
        (HEAD + b"data: \xff\xfe\n\n", "cannot be understood"),
        (HEAD + b"data: " + b"[" * 100_000 + b"\n\n", "cannot be understood"),
        (HEAD + b'data: {"error": {"message": "over\\nloaded \\u001b[2J"}}\n\n', "reports an error: over loaded"),
        (HEAD + b'data: 7\n\ndata: null\n\ndata: [1]\n\ndata: "x"\n\n', ""),
        (HEAD + b'data: {"choices": {"a": 1}}\n\n' + DONE, ""),
        (HEAD + b'data: {"choices": [7, null]}\n\n' + DONE, ""),
        (HEAD + b'data: {"choices": [{"delta": [], "finish_reason": {}}], "usage": 3}\n\n' + DONE, ""),
        (HEAD + b'data: {"choices": [{"delta": {"content": {"a": 1}}, "finish_reason": 7}]}\n\n' + DONE, ""),
        (b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 99\r\n\r\ndata: {}\n\n", ""),
        (b"no HTTP at all\r\n\r\n", ""),
    ],
)
def test_answers_that_are_not_whole_are_one_line(sent: bytes, says: str) -> None:
    assert says in failed(sent)


def test_a_packed_answer_is_not_unpacked() -> None:
    bomb = gzip.compress(b"\n" * (64 << 20))
    assert "packed" in failed(answer(bomb, kind="text/event-stream", content_encoding="gzip"))
    assert "packed" in failed(answer(bomb, "500 Error", content_encoding="gzip"))


def test_odd_counts_of_tokens_are_none() -> None:
    usage = b'data: {"choices": [], "usage": {"prompt_tokens": "many", "completion_tokens": -1}}\n\n'
    with Model(HEAD + event({"content": "1"}, "stop") + usage + DONE) as model:
        got = ask(model)
    assert (got.text, got.tokens_in, got.tokens_out) == ("1", None, None)


# ---- answers without end ---------------------------------------------------------------------------------------------


def endless(piece: bytes) -> Say:
    async def say(writer: asyncio.StreamWriter) -> None:
        while True:
            writer.write(piece)
            await writer.drain()

    return say


def silent(*begin: bytes) -> Say:
    async def say(writer: asyncio.StreamWriter) -> None:
        for piece in begin:
            writer.write(piece)
        await writer.drain()
        await asyncio.sleep(600)

    return say


@pytest.mark.spec("A11.5")
@pytest.mark.parametrize(
    ("piece", "says"),
    [
        (event({"content": "x" * 1000}), f"more than {MAX_CHARS:,} characters"),
        (event({"content": "x\n" * 500}), f"more than {MAX_CHARS:,} characters"),
        ((b":" + b"x" * 8_000 + b"\n\n") * 8, "more than 33,554,432 bytes"),
        (b"data: " + b"x" * 65_000, "an event that does not end"),
        (b"data: x\n" * 5000, "an event that does not end"),
        (b"x\r" * 5000, "an event that does not end"),
    ],
    ids=["text", "lines", "comments", "one line", "one event", "carriage returns"],
)
def test_a_stream_without_end_is_cut_off(piece: bytes, says: str) -> None:
    assert says in failed(endless(piece))


@pytest.mark.spec("A11.5")
def test_an_answer_has_a_time_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "no whole answer within 0.5 seconds" in failed(silent(), seconds=0.5)
    assert "no whole answer within 0.5 seconds" in failed(silent(event({"content": "x"})), seconds=0.5)

    async def drip(writer: asyncio.StreamWriter) -> None:
        while True:
            writer.write(b": ping\n\n")
            await writer.drain()
            await asyncio.sleep(0.05)

    assert "no whole answer within 0.5 seconds" in failed(drip, seconds=0.5)
    # Also where there is always something to read.
    monkeypatch.setattr(endpoint_module, "MAX_BYTES", 1 << 50)
    assert "no whole answer within 0.5 seconds" in failed(endless(b": ping\n\n" * 1000), seconds=0.5)


@pytest.mark.spec("A11.5")
def test_a_head_without_end_has_that_time_too() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        done = threading.Event()

        def drip() -> None:
            client, _ = server.accept()
            with client:
                client.sendall(b"HTTP/1.1 200 OK\r\n")
                while not done.wait(0.05):
                    try:
                        client.sendall(b"x")
                    except OSError:
                        return

        thread = threading.Thread(target=drip)
        thread.start()
        try:
            with pytest.raises(ModelError, match=r"no whole answer within 0\.5 seconds"):
                Endpoint("small", KEY, f"http://127.0.0.1:{server.getsockname()[1]}/v1", seconds=0.5).ask(
                    ASKED, lambda text: None
                )
        finally:
            done.set()
            thread.join()


@pytest.mark.spec("A11.4")
def test_ctrl_c_ends_the_waiting() -> None:
    def press(text: str) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    with Model(silent(event({"content": "x"})), "1") as model:
        endpoint = Endpoint("small", KEY, model.url)
        with pytest.raises(KeyboardInterrupt):
            endpoint.ask(ASKED, press)
        assert endpoint.ask(ASKED, lambda text: None).text == "1"


# ---- which endpoint --------------------------------------------------------------------------------------------------


def find(folder: Path, file: str | None, environ: dict[str, str], **options: Any) -> Endpoint:
    if file is not None:
        (folder / ".env").write_text(file)
    return Endpoint.find(env_file=folder / ".env", environ=environ, **options)


FILE = "OPENAI_API_KEY=file-key\nOPENAI_BASE_URL=https://file.example/v1\nOPENAI_MODEL=file\n"


def test_arguments_win_over_the_environment_which_wins_over_the_file(tmp_path: Path) -> None:
    found = find(tmp_path, FILE, {})
    assert (found.model, found.base_url, found._key) == ("file", "https://file.example/v1", "file-key")
    assert found.source.endswith(".env")
    environ = {"OPENAI_API_KEY": "key", "OPENAI_BASE_URL": "http://e.example/v1", "OPENAI_MODEL": "env"}
    found = find(tmp_path, FILE, environ)
    assert (found.model, found.base_url, found._key) == ("env", "http://e.example/v1", "key")
    assert (found.encrypted, found.source) == (False, "")
    found = find(tmp_path, FILE, environ, model="mine", base_url="http://localhost:1/v1")
    assert (found.model, found.base_url, found.encrypted) == ("mine", "http://localhost:1/v1", True)
    found = find(tmp_path, "", {"OPENAI_API_KEY": "key", "OPENAI_BASE_URL": "", "OPENAI_MODEL": "m"})
    assert found.base_url == "https://api.openai.com/v1"


def test_a_key_of_the_environment_does_not_go_where_a_file_says(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"names the endpoint https://file\.example/v1, and the key is that of the"):
        find(tmp_path, FILE, {"OPENAI_API_KEY": "key"})
    assert find(tmp_path, FILE, {"OPENAI_API_KEY": "file-key"}).base_url == "https://file.example/v1"
    assert find(tmp_path, FILE, {"OPENAI_API_KEY": "key"}, base_url="https://x.example")._key == "key"


@pytest.mark.parametrize(
    ("file", "environ", "says"),
    [
        (None, {}, "no API key: set OPENAI_API_KEY"),
        (None, {"OPENAI_API_KEY": "k"}, "no model: give --model NAME"),
        ("OPENAI_API_KEY='a b'\nOPENAI_MODEL=m", {}, "OPENAI_API_KEY is no key"),
        ('OPENAI_API_KEY="a\\nb"\nOPENAI_MODEL=m', {}, "OPENAI_API_KEY is no key"),
        ("nonsense", {}, "line 1"),
        (None, {"OPENAI_API_KEY": "k", "OPENAI_MODEL": "m", "OPENAI_BASE_URL": "ftp://x"}, "is no http or https URL"),
        (None, {"OPENAI_API_KEY": "k", "OPENAI_MODEL": "m", "OPENAI_BASE_URL": "http://"}, "is no http or https URL"),
        (None, {"OPENAI_API_KEY": "k", "OPENAI_MODEL": "m", "OPENAI_BASE_URL": "http://[x"}, "is no http or https"),
        (None, {"OPENAI_API_KEY": "k", "OPENAI_MODEL": "m", "OPENAI_BASE_URL": "http://x:99999"}, "is no http or"),
        (None, {"OPENAI_API_KEY": "k", "OPENAI_MODEL": "m", "OPENAI_BASE_URL": "https://a:b@x"}, "name or password"),
    ],
)
def test_what_is_missing_or_wrong_is_told(tmp_path: Path, file: str | None, environ: dict[str, str], says: str) -> None:
    with pytest.raises(SettingsError) as told:
        find(tmp_path, file, environ)
    assert says in str(told.value)


def test_a_file_that_is_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="there is no file"):
        find(tmp_path, None, {"OPENAI_API_KEY": "k", "OPENAI_MODEL": "m"}, env_file_must_be=True)
