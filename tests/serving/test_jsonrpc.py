"""The peer of JSON-RPC by itself: what is wrong with a message is told, and nothing of it hurts."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wasmhost.serving.jsonrpc import (
    CANCELLED,
    INVALID_PARAMS,
    INVALID_REQUEST,
    MAX_REQUESTS,
    METHOD_NOT_FOUND,
    NO_ROOM,
    PARSE_ERROR,
    Answered,
    Channel,
    Json,
    Peer,
    RpcError,
)

pytestmark = pytest.mark.anyio


class Recorder:
    """A channel whose other end is the test."""

    def __init__(self, peer: Peer) -> None:
        self.peer: Peer = peer
        self.sent: list[Json] = []

    async def send(self, message: Json) -> None:
        self.sent.append(message)

    async def notify(self, method: str, params: Json) -> None:
        await self.send({"jsonrpc": "2.0", "method": method, "params": params})

    async def request(self, method: str, params: Json) -> Any:
        return await self.peer.ask(self.send, method, params)


async def echo(params: Mapping[str, Any], channel: Channel, request: str | int | None) -> Any:
    return dict(params)


async def forever(params: Mapping[str, Any], channel: Channel, request: str | int | None) -> Any:
    await anyio.sleep_forever()


async def ask(params: Mapping[str, Any], channel: Channel, request: str | int | None) -> Any:
    return await channel.request("question", dict(params))


def made() -> tuple[Peer, Recorder]:
    peer = Peer({"echo": echo, "forever": forever, "ask": ask})
    return peer, Recorder(peer)


async def answered(peer: Peer, channel: Channel, text: str | bytes) -> Json | None:
    try:
        message = peer.read(text)
    except RpcError as error:
        return {"error": error.to_dict()}
    return None if message is None else await peer.answer(message, channel)


async def until(true: Callable[[], bool]) -> None:
    with anyio.fail_after(20):
        while not true():
            await anyio.sleep(0.001)


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("", PARSE_ERROR, "not JSON"),
        ("{", PARSE_ERROR, "not JSON"),
        (b"\xff\xfe", PARSE_ERROR, "not JSON"),
        ('{"a": NaN}', PARSE_ERROR, "not JSON"),
        ("[" * 100_000, PARSE_ERROR, "not JSON"),
        ('{"jsonrpc": "2.0", "id": 1' + "0" * 5_000 + "}", PARSE_ERROR, "not JSON"),
        ("null", INVALID_REQUEST, "a message is an object"),
        ("[]", INVALID_REQUEST, "batches are not supported"),
        ('[{"jsonrpc": "2.0", "method": "echo", "id": 1}]', INVALID_REQUEST, "batches are not supported"),
        ('{"method": "echo", "id": 1}', INVALID_REQUEST, '"jsonrpc": "2.0"'),
        ('{"jsonrpc": 2.0, "method": "echo", "id": 1}', INVALID_REQUEST, '"jsonrpc": "2.0"'),
        ('{"jsonrpc": "2.0", "id": 1}', INVALID_REQUEST, "a message has a method"),
        ('{"jsonrpc": "2.0", "id": 1, "result": 1, "error": {}}', INVALID_REQUEST, "a message has a method"),
        ('{"jsonrpc": "2.0", "method": "echo", "id": true}', INVALID_REQUEST, "an id is"),
        ('{"jsonrpc": "2.0", "method": "echo", "id": null}', INVALID_REQUEST, "an id is"),
        ('{"jsonrpc": "2.0", "method": "echo", "id": [1]}', INVALID_REQUEST, "an id is"),
        ('{"jsonrpc": "2.0", "method": "echo", "id": 1.5}', INVALID_REQUEST, "an id is"),
        ('{"jsonrpc": "2.0", "method": "echo", "id": 9007199254740993}', INVALID_REQUEST, "an id is"),
        (json.dumps({"jsonrpc": "2.0", "method": "echo", "id": "x" * 201}), INVALID_REQUEST, "an id is"),
        ('{"jsonrpc": "2.0", "method": 5, "id": 1}', METHOD_NOT_FOUND, "that is no text"),
        ('{"jsonrpc": "2.0", "method": "__class__", "id": 1}', METHOD_NOT_FOUND, "there are: echo, forever, ask, can"),
        ('{"jsonrpc": "2.0", "method": "echo", "id": 1, "params": [1]}', INVALID_PARAMS, "parameters go by name"),
        ('{"jsonrpc": "2.0", "method": "cancel", "id": 1, "params": {}}', INVALID_PARAMS, "the id of a request"),
    ],
)
async def test_messages_that_are_wrong_are_answered_with_the_standards_errors(
    text: str | bytes, code: int, says: str
) -> None:
    peer, channel = made()
    answer = await answered(peer, channel, text)
    assert answer is not None
    assert answer["error"]["code"] == code
    assert says in answer["error"]["message"]
    assert len(answer["error"]["message"]) < 1_000
    assert await answered(peer, channel, '{"jsonrpc": "2.0", "method": "echo", "id": 1, "params": {"a": 1}}') == {
        "jsonrpc": "2.0",
        "id": 1,
        "result": {"a": 1},
    }


async def test_a_long_method_is_told_short() -> None:
    peer, channel = made()
    answer = await answered(peer, channel, json.dumps({"jsonrpc": "2.0", "method": "x\x1b" * 100_000, "id": 1}))
    assert answer is not None
    assert len(answer["error"]["message"]) < 500
    assert "\x1b" not in answer["error"]["message"]


async def test_notifications_are_never_answered() -> None:
    peer, channel = made()
    for text in ('{"jsonrpc": "2.0", "method": "echo"}', '{"jsonrpc": "2.0", "method": "nothing"}'):
        assert await answered(peer, channel, text) is None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=10,
)
messages = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | json_values,
        "id": st.integers() | st.text(max_size=5) | json_values,
        "method": st.sampled_from(["echo", "cancel", "nothing"]) | json_values,
        "params": json_values,
        "result": json_values,
        "error": json_values,
    },
)


@given(st.binary(max_size=200) | messages.map(lambda one: json.dumps(one).encode()))
def test_whatever_comes_is_a_message_or_an_error(data: bytes) -> None:
    peer, channel = made()

    async def tried() -> None:
        answer = await answered(peer, channel, data)
        assert answer is None or ("result" in answer) != ("error" in answer)

    anyio.run(tried)
    assert not peer.busy


# ---- requests that run ---------------------------------------------------------------------------------------------


async def start(group: Any, peer: Peer, channel: Channel, into: list[Json | None], message: Json) -> None:
    async def work() -> None:
        into.append(await peer.answer({"jsonrpc": "2.0", **message}, channel))

    group.start_soon(work)


@pytest.mark.spec("D10.2")
async def test_a_request_is_cancelled_by_its_id_and_says_so() -> None:
    peer, channel = made()
    answers: list[Json | None] = []
    async with anyio.create_task_group() as group:
        await start(group, peer, channel, answers, {"method": "forever", "id": "a"})
        await until(lambda: peer.busy)
        told = await peer.answer({"jsonrpc": "2.0", "method": "cancel", "id": 2, "params": {"id": "a"}}, channel)
        assert told is not None
        assert told["result"] == {"cancelled": True}
        await until(lambda: bool(answers))
    assert answers[0] is not None
    assert answers[0]["error"]["code"] == CANCELLED
    told = await peer.answer({"jsonrpc": "2.0", "method": "cancel", "id": 2, "params": {"id": "a"}}, channel)
    assert told is not None
    assert told["result"] == {"cancelled": False}


async def test_a_request_that_cancels_itself_is_only_answered() -> None:
    peer, channel = made()
    told = await peer.answer({"jsonrpc": "2.0", "method": "cancel", "id": 2, "params": {"id": 2}}, channel)
    assert told is not None
    assert told["result"] == {"cancelled": True}


async def test_an_id_is_of_one_request_at_a_time_and_there_is_a_ceiling() -> None:
    peer, channel = made()
    answers: list[Json | None] = []
    async with anyio.create_task_group() as group:
        for number in range(MAX_REQUESTS):
            await start(group, peer, channel, answers, {"method": "forever", "id": number})
        await until(lambda: len(peer._running) == MAX_REQUESTS)
        again = await peer.answer({"jsonrpc": "2.0", "method": "forever", "id": 0}, channel)
        assert again is not None
        assert again["error"]["code"] == INVALID_REQUEST
        more = await peer.answer({"jsonrpc": "2.0", "method": "forever", "id": "more"}, channel)
        assert more is not None
        assert more["error"]["code"] == NO_ROOM
        # There is always room to cancel.
        for number in range(MAX_REQUESTS):
            told = await peer.answer(
                {"jsonrpc": "2.0", "method": "cancel", "id": "c", "params": {"id": number}}, channel
            )
            assert told is not None
            assert told["result"] == {"cancelled": True}
    assert len(answers) == MAX_REQUESTS
    assert not peer.busy


# ---- what is asked of the client -----------------------------------------------------------------------------------


async def asked(answer: Json) -> Json:
    """What a request gives whose handler has asked the client, which has answered so."""
    peer, channel = made()
    answers: list[Json | None] = []
    async with anyio.create_task_group() as group:
        await start(group, peer, channel, answers, {"method": "ask", "id": 1, "params": {"q": 1}})
        await until(lambda: bool(channel.sent))
        assert channel.sent[0]["method"] == "question"
        assert peer.read(json.dumps({"jsonrpc": "2.0", "id": channel.sent[0]["id"], **answer})) is None
    assert answers[0] is not None
    return answers[0]


async def test_the_clients_answer_reaches_who_has_asked() -> None:
    assert (await asked({"result": {"a": [1]}}))["result"] == {"a": [1]}


@pytest.mark.parametrize("error", [None, 5, {}, {"message": 5, "data": 5}, {"message": "no", "data": {"type": 5}}])
async def test_an_error_of_the_client_is_an_error_of_that_request_alone(error: Any) -> None:
    peer, channel = made()
    caught: list[Answered] = []

    async def wait() -> None:
        try:
            await channel.request("question", {})
        except Answered as found:
            caught.append(found)

    async with anyio.create_task_group() as group:
        group.start_soon(wait)
        await until(lambda: bool(channel.sent))
        peer.read(json.dumps({"jsonrpc": "2.0", "id": channel.sent[0]["id"], "error": error}))
    assert str(caught[0]) in ("no", "the client gave an error without a message")
    assert caught[0].type == ""


async def test_answers_to_what_was_never_asked_or_no_longer_is_are_dropped() -> None:
    peer, channel = made()
    for wanted in ("s1", 1, None, ["s1"], "x" * 10_000):
        assert peer.read(json.dumps({"jsonrpc": "2.0", "id": wanted, "result": 1})) is None
    with anyio.move_on_after(0.01):
        await channel.request("question", {})
    # The client is told that nobody waits any more.
    assert channel.sent[-1] == {"jsonrpc": "2.0", "method": "cancel", "params": {"id": channel.sent[0]["id"]}}
    assert peer.read(json.dumps({"jsonrpc": "2.0", "id": channel.sent[0]["id"], "result": 1})) is None
    assert not peer._asked
