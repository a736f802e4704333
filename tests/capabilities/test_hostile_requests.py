"""Requests that no honest guest sends: each is answered, or ends the instance by a ProtocolError, and nothing else."""

import contextvars
import json
from time import perf_counter_ns
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wasmhost import Limits, capability
from wasmhost.capabilities.cell import CellCalls
from wasmhost.capabilities.loops import our_loop
from wasmhost.capabilities.session import SessionCapabilities
from wasmhost.errors import ProtocolError
from wasmhost.protocol.encode import encode, utf8
from wasmhost.protocol.packed import pack, read_request, unpack
from wasmhost.protocol.values import BigInt
from wasmhost.sandbox.engine import engine
from wasmhost.sandbox.image import image
from wasmhost.sandbox.instance import Instance
from wasmhost.sandbox.meter import Meter
from wasmhost.sandbox.system import SystemSource


class Nowhere:
    def write(self, stream: int, data: bytes) -> None: ...


@capability(inline=True)
def echo(value: Any = None) -> Any:
    return value


def calls() -> CellCalls:
    held = SessionCapabilities(
        [echo],
        policy="allow",
        hooks=None,
        approve=None,
        approve_timeout=None,
        isolation=None,
        on_event=None,
        label="",
        parallel_calls=8,
    )
    limits = Limits()
    instance = Instance(image(engine(limits.stack_bytes), "quickjs"), SystemSource(), limits.memory_bytes)
    instance.begin_cell(Meter(perf_counter_ns(), 10**10, 10**10, None), Nowhere())
    context = contextvars.copy_context()
    return CellCalls(held, 1, limits, instance, context, lambda: our_loop(context))


numbers = st.integers(-(1 << 65), 1 << 65)
values = st.recursive(
    st.none() | st.booleans() | numbers | st.floats() | st.text(max_size=20) | st.just("echo"),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(
            st.sampled_from(["$wasmhost", "v", "at", "value", "name", "schema", "type"]), inner, max_size=4
        )
    ),
    max_leaves=20,
)
requests = st.one_of(
    st.binary(max_size=200),
    st.binary(max_size=60).map(lambda data: b"WHP1" + data),
    values.map(lambda value: json.dumps(value).encode()),
    st.lists(values, max_size=5).map(lambda value: json.dumps(value).encode()),
    st.tuples(
        st.integers(0, 3), st.lists(values, max_size=2), st.dictionaries(st.text(max_size=5), values, max_size=2)
    ).map(lambda parts: json.dumps([parts[0], "echo", parts[1], parts[2]]).encode()),
    values.map(lambda value: json.dumps(["register", {"name": "t", "description": "", "schema": value}]).encode()),
)


@pytest.mark.spec("D1.6", "C8")
@settings(max_examples=400)
@given(st.lists(st.tuples(st.integers(-1, 7), requests), max_size=6))
def test_no_request_harms_the_host(sent: list[tuple[int, bytes]]) -> None:
    made = calls()
    for kind, data in sent:
        try:
            reply = made.on_call(kind, data)
        except ProtocolError:
            break
        assert isinstance(reply, bytes)
        if reply:
            answer = read_request(reply, 200)
            assert answer[0] in (True, False)
    made.begin_end()
    made.end()
    assert all(record.state != "running" for record in made.records)
    made.instance.close()


plain = st.recursive(
    # Infinities and -0.0 have a tag that only guests read.
    st.none() | st.booleans() | numbers | st.floats(0.001, 1e300) | st.text(max_size=20) | st.binary(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=5) | st.just("$wasmhost"), inner, max_size=4)
        | st.dictionaries(st.integers(0, 9), inner, max_size=3)
    ),
    max_leaves=25,
)


@settings(max_examples=300)
@given(plain)
def test_what_is_encoded_is_read_again(value: Any) -> None:
    attachments: list[bytes] = []
    head = utf8(encode(value, attachments))
    assert unpack(pack(head, attachments)) == (head, attachments)
    assert read_request(pack(head, attachments), 200) == value


def test_a_big_integer_keeps_its_kind() -> None:
    assert '"bigint"' in encode(BigInt(5), [])
