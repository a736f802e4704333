"""A scripted OpenAI-compatible endpoint: a real server, whose answers are those of a list."""

import asyncio
import json
import os
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.support.child import environment
from tests.support.terminal import COMMAND
from tests.support.web import Request, Server, answer

Say = Callable[[asyncio.StreamWriter], Awaitable[None]]
KEY = "sk-test-0123456789"
PATH = "/v1/chat/completions"
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"


def event(delta: dict[str, Any] | None = None, finish: str | None = None, **more: Any) -> bytes:
    """One chunk of a streamed answer."""
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": choices, **more}
    return f"data: {json.dumps(chunk)}\n\n".encode()


def reply(text: str, finish: str | None = "stop", size: int = 7) -> bytes:
    """A whole streamed answer, in pieces."""
    pieces = [event({"content": text[at : at + size]}) for at in range(0, len(text), size)]
    usage = {"prompt_tokens": 176, "completion_tokens": 213, "total_tokens": 389}
    end = event({}, finish) if finish is not None else b""
    return HEAD + b"".join([event({"role": "assistant", "content": ""}), *pieces, end, event(usage=usage)]) + DONE


DONE = b"data: [DONE]\n\n"


def failure(status: str, message: str = "no", **more: Any) -> bytes:
    """An error as the API has it."""
    return answer(json.dumps({"error": {"message": message, **more}}), status, "application/json")


class Model:
    """The endpoint. ``script``: a text is the reply, bytes are sent as they are, a function writes itself."""

    def __init__(self, *script: str | bytes | Say) -> None:
        self.script: list[str | bytes | Say] = list(script)
        self.bodies: list[dict[str, Any]] = []
        self.server = Server({PATH: self._answer})

    async def _answer(self, request: Request, writer: asyncio.StreamWriter) -> None:
        assert request.header("authorization") == f"Bearer {KEY}"
        self.bodies.append(json.loads(request.body))
        what = self.script.pop(0) if self.script else failure("500 Error", "the script has ended")
        if callable(what):
            writer.write(HEAD)
            await what(writer)
        else:
            writer.write(reply(what) if isinstance(what, str) else what)
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    def __enter__(self) -> "Model":
        self.server.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.server.__exit__(kind, error, trace)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.port}/v1"

    def messages(self, request: int = -1) -> list[dict[str, str]]:
        """Of a request."""
        found: list[dict[str, str]] = self.bodies[request]["messages"]
        return found

    def env(self, home: Path) -> dict[str, str | None]:
        """The environment of a chat with it, without anything of this machine's."""
        proxies = dict.fromkeys(name for name in os.environ if name.lower().endswith("_proxy"))
        return {
            **proxies,
            "HOME": str(home),
            "XDG_STATE_HOME": None,
            "OPENAI_API_KEY": KEY,
            "OPENAI_BASE_URL": self.url,
            "OPENAI_MODEL": "small",
        }


def chat(
    model: Model, home: Path, *words: str, asks: str = "", **env: str | None
) -> "subprocess.CompletedProcess[str]":
    """``wasmhost chat`` with lines from a pipe."""
    return subprocess.run(
        [COMMAND, "chat", *words],
        input=asks,
        capture_output=True,
        text=True,
        cwd=home,
        env=environment(**{**model.env(home), **env}),
        timeout=60,
        check=False,
    )
