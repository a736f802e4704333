"""D9: spans of cells and calls, held against the SDK's own exporter."""

import json
import subprocess
import sys
from typing import Any

import anyio
import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from tests.support.child import ROOT, environment
from tests.support.drivers import Driver
from tests.support.guests import Guest
from tests.support.tools import call, caught
from wasmhost import Allow, Limits, Policy, Suspend, Trace, capability
from wasmhost.otel import OpenTelemetry

pytestmark = pytest.mark.spec("D9.5")


class Spans:
    def __init__(self) -> None:
        self.exporter = InMemorySpanExporter()
        self.provider = TracerProvider()
        self.provider.add_span_processor(SimpleSpanProcessor(self.exporter))

    @property
    def finished(self) -> tuple[ReadableSpan, ...]:
        return self.exporter.get_finished_spans()

    def named(self, name: str) -> ReadableSpan:
        (found,) = (span for span in self.finished if span.name == name)
        return found


@pytest.fixture
def spans() -> Spans:
    return Spans()


@capability(read_only=True)
def echo(x: Any) -> Any:
    return x


@capability
async def send(to: str) -> str:
    return to


def attributes(span: ReadableSpan) -> dict[str, Any]:
    assert span.attributes is not None
    return dict(span.attributes)


def test_a_cell_is_a_span_with_one_below_it_for_each_call(guest: Guest, driver: Driver, spans: Spans) -> None:
    policy = Policy(deny=["send"], allow=["*"])
    trace = OpenTelemetry(spans.provider)
    with guest.runtime(capabilities=[echo, send], policy=policy, trace=trace, label="chat 1") as session:
        code = f"{call(guest, 'echo', sync=True, x=1)};\n{caught(guest, call(guest, 'send', to='x'))}"
        result = driver.run(session, code)
        assert result.ok, result.error
    cell, good, bad = spans.named("wasmhost.cell"), spans.named("execute_tool echo"), spans.named("execute_tool send")
    assert len(spans.finished) == 3
    assert cell.context is not None
    for span in (good, bad):
        assert span.parent is not None
        assert span.parent.span_id == cell.context.span_id
        assert span.kind is SpanKind.INTERNAL
    assert attributes(good) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "echo",
        "gen_ai.tool.call.id": "c1.1",
        "gen_ai.tool.type": "function",
        "wasmhost.call.state": "completed",
        "wasmhost.call.permission": "allow",
        "wasmhost.call.executed": True,
    }
    assert good.status.status_code is StatusCode.UNSET
    assert attributes(bad)["error.type"] == "PermissionError"
    assert bad.status.status_code is StatusCode.ERROR
    assert bad.status.description == "send was denied: the policy denies it"
    told = attributes(cell)
    assert (told["wasmhost.language"], told["wasmhost.session.label"]) == (guest.name, "chat 1")
    assert (told["wasmhost.cell"], told["wasmhost.fuel"], told["wasmhost.state"]) == (1, result.fuel, "kept")
    assert cell.status.status_code is StatusCode.UNSET
    assert [event.name for event in good.events] == [
        "wasmhost.call.step",
        "wasmhost.decision",
        "wasmhost.call.execute",
        "wasmhost.call.step",
    ]
    for span in (good, bad):
        assert None not in (cell.start_time, cell.end_time, span.start_time, span.end_time)
        assert cell.start_time <= span.start_time <= span.end_time <= cell.end_time  # type: ignore[operator]


def test_the_callers_span_is_the_parent(guest: Guest, driver: Driver, spans: Spans) -> None:
    tracer = spans.provider.get_tracer("program")
    with guest.runtime(trace=OpenTelemetry(spans.provider)) as session, tracer.start_as_current_span("turn"):
        driver.run(session, "1 + 1")
    cell, turn = spans.named("wasmhost.cell"), spans.named("turn")
    assert cell.parent is not None
    assert turn.context is not None
    assert cell.parent.span_id == turn.context.span_id


def test_it_is_the_parent_on_a_thread_of_ours_too(spans: Spans, guest: Guest) -> None:
    import threading

    tracer = spans.provider.get_tracer("program")

    def work() -> None:
        # Too little stack for a guest: the cell runs on a runner thread.
        with guest.runtime(trace=OpenTelemetry(spans.provider)) as session, tracer.start_as_current_span("turn"):
            session.run("1 + 1")

    before = threading.stack_size(512 << 10)
    try:
        thread = threading.Thread(target=work)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    cell, turn = spans.named("wasmhost.cell"), spans.named("turn")
    assert cell.parent is not None
    assert turn.context is not None
    assert cell.parent.span_id == turn.context.span_id


def test_stops_and_failures_are_errors_with_their_events(guest: Guest, driver: Driver, spans: Spans) -> None:
    with guest.runtime(trace=OpenTelemetry(spans.provider)) as session:
        driver.run(session, guest.spin, limits=Limits(fuel=3_000_000))
    cell = spans.named("wasmhost.cell")
    assert cell.status.status_code is StatusCode.ERROR
    assert attributes(cell)["error.type"] == "TimeoutError"
    stop = next(event for event in cell.events if event.name == "wasmhost.stop")
    assert stop.attributes is not None
    assert (stop.attributes["wasmhost.limit"], stop.attributes["wasmhost.layer"]) == ("fuel", "hard")
    assert "wasmhost.state" in [event.name for event in cell.events]


def test_content_is_there_only_if_asked_for(guest: Guest, spans: Spans) -> None:
    code = call(guest, "echo", sync=True, x={"password": "hunter2", "n": 5})
    with guest.runtime(capabilities=[echo], trace=OpenTelemetry(spans.provider)) as session:
        session.run(code)
    assert not [name for name in attributes(spans.named("execute_tool echo")) if name.startswith("gen_ai.tool.call.a")]
    shown = Spans()
    trace = Trace(OpenTelemetry(shown.provider, content=True), chars=1_000)
    with guest.runtime(capabilities=[echo], trace=trace) as session:
        session.run(code)
    told = attributes(shown.named("execute_tool echo"))
    for name in ("gen_ai.tool.call.arguments", "gen_ai.tool.call.result"):
        assert "hunter2" not in told[name]
        assert '"n":5' in told[name]
    assert json.loads(told["gen_ai.tool.call.result"])["password"]["secret"] is True


def test_without_content_no_text_of_the_guest_is_in_a_span(guest: Guest, spans: Spans) -> None:
    raises = guest.pick(python="raise ValueError('hunter2')", javascript="throw new Error('hunter2')")
    with guest.runtime(capabilities=[echo], trace=OpenTelemetry(spans.provider)) as session:
        session.run(raises)
    assert "hunter2" in (spans.named("wasmhost.cell").status.description or "")
    quiet = Spans()
    trace = Trace(OpenTelemetry(quiet.provider, content=True), content=False)
    with guest.runtime(capabilities=[echo], trace=trace) as session:
        session.run(f"{call(guest, 'echo', sync=True, x='hunter2')};\n{raises}")
        session.run(guest.out("hunter2"))
    assert len(quiet.finished) == 3
    assert not [span for span in quiet.finished if "hunter2" in span.to_json()]


def test_hostile_names_and_texts_are_harmless(guest: Guest, spans: Spans) -> None:
    name = "\x1b]0;x\x07" + "n" * 500
    with guest.runtime(capabilities=[echo], trace=OpenTelemetry(spans.provider)) as session:
        expression = f"tools[{json.dumps(name)}](1)"
        session.run(caught(guest, expression if guest.name == "python" else f"(await {expression})"))
        session.run(guest.pick(python="raise ValueError('\\x1b[31m' * 500)", javascript="throw Error('\\x1b[31m')"))
    for span in spans.finished:
        text = span.to_json()
        assert "\\u001b" not in text
        assert len(text) < 20_000


def test_a_suspended_cell_ends_its_spans_and_goes_on_in_new_ones(guest: Guest, spans: Spans) -> None:
    trace = OpenTelemetry(spans.provider)
    with guest.runtime(capabilities=[send], approve=lambda request: Suspend(), trace=trace) as session:
        session.run(call(guest, "send", to="ada"))
        assert {span.name for span in spans.finished} == {"wasmhost.cell", "execute_tool send"}
        assert {span.status.status_code for span in spans.finished} == {StatusCode.UNSET}
        assert session.resume_blocking(approvals={"c1.1": Allow()}).ok
    assert len(spans.finished) == 4
    last = spans.finished[2]
    assert attributes(last)["wasmhost.call.state"] == "completed"


def test_a_cancelled_cell_ends_its_span(guest: Guest, spans: Spans) -> None:
    async def main() -> None:
        async with guest.runtime(trace=OpenTelemetry(spans.provider), limits=Limits(script_ms=60_000)) as session:
            with anyio.move_on_after(0.2):
                await session.execute(guest.spin)

    anyio.run(main)
    assert spans.named("wasmhost.cell").status.status_code is StatusCode.ERROR


def test_without_the_api_it_says_what_to_install() -> None:
    program = (
        "import sys\n"
        "sys.modules['opentelemetry'] = None\n"
        "from wasmhost.otel import OpenTelemetry\n"
        "try: OpenTelemetry()\n"
        "except ImportError as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        env=environment(),
        cwd=ROOT,
        check=True,
    )
    assert "pip install 'wasmhost-runtime[otel]'" in done.stdout
