"""A model behind an OpenAI-compatible endpoint, asked with the official client. What it sends is a stranger's: bounded
in bytes, events, characters and time, and never shown as it is."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from time import perf_counter
from typing import Any
from urllib.parse import urlsplit

import openai

from ..errors import SettingsError, WasmhostError
from ..protocol.harmless import harmless
from ..protocol.json_text import clean
from .env_file import read_env_file

KEY, BASE_URL, MODEL = "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"
DEFAULT_URL = "https://api.openai.com/v1"
DEFAULT_SECONDS = 120.0

# Of one answer: characters of the reply, bytes of the body, bytes and lines of one event in it.
MAX_CHARS = 200_000
MAX_BYTES = 32 << 20
MAX_EVENT_BYTES = 2 << 20
MAX_EVENT_LINES = 1_000
_MESSAGE_CHARS = 300
_LOOPBACK = ("localhost", "127.0.0.1", "::1")

# The client brings httpx, under one name or another.
_httpx: Any = sys.modules[openai.DefaultAsyncHttpxClient.__mro__[1].__module__.partition(".")[0]]


class ModelError(WasmhostError):
    """A model gave no answer; the text is one line that can be shown."""


class Reply:
    """A whole answer. ``tokens_in`` and ``tokens_out`` are None where the endpoint does not count them."""

    def __init__(self, text: str, tokens_in: int | None, tokens_out: int | None, milliseconds: float) -> None:
        self.text: str = text
        self.tokens_in: int | None = tokens_in
        self.tokens_out: int | None = tokens_out
        self.milliseconds: float = milliseconds


class Endpoint:
    """Where a model is, and how it is asked.

    Args:
        model: its name there.
        key: the API key.
        base_url: up to and with ``/v1``.
        seconds: for a whole answer.
        max_tokens: of an answer; by default what the endpoint has.

    Raises:
        SettingsError: one of these cannot be.
    """

    def __init__(
        self,
        model: str,
        key: str,
        base_url: str = DEFAULT_URL,
        *,
        seconds: float = DEFAULT_SECONDS,
        max_tokens: int | None = None,
    ) -> None:
        self.model: str = model
        self.base_url: str = base_url
        self.seconds: float = seconds
        # What comes from where, for whoever is shown it.
        self.source: str = ""
        self._key = key
        # What an endpoint may refuse: it is asked again without.
        self._more: dict[str, Any] = {"stream_options": {"include_usage": True}}
        if max_tokens is not None:
            self._more["max_tokens"] = max_tokens
        if not key.isascii() or not key.isprintable() or " " in key:
            raise SettingsError(f"{KEY} is no key: it has spaces or characters that no header has")
        try:
            url = urlsplit(base_url)
            good = url.scheme in ("http", "https") and bool(url.hostname) and (url.port or 1) > 0
        except ValueError:
            good = False
        if not good or not base_url.isascii() or not base_url.isprintable() or " " in base_url:
            raise SettingsError(f"{BASE_URL} is no http or https URL: {_line(base_url)!r}")
        if url.username is not None or url.password is not None:
            raise SettingsError(f"{BASE_URL} has a name or password in it; the key belongs into {KEY}")
        self.encrypted: bool = url.scheme == "https" or url.hostname in _LOOPBACK

    @classmethod
    def find(
        cls,
        *,
        model: str | None = None,
        base_url: str | None = None,
        env_file: "str | os.PathLike[str]" = ".env",
        env_file_must_be: bool = False,
        environ: Mapping[str, str] | None = None,
        seconds: float = DEFAULT_SECONDS,
        max_tokens: int | None = None,
    ) -> "Endpoint":
        """The endpoint that ``OPENAI_API_KEY``, ``OPENAI_BASE_URL`` and ``OPENAI_MODEL`` name: arguments win over the
        environment, which wins over the file.

        A key of the environment is never sent to a URL that a file has named: whoever wrote the file, such as the
        author of a repository, could collect keys so.

        Raises:
            SettingsError: something is missing or cannot be; the text says what to set.
        """
        environ = os.environ if environ is None else environ
        name = os.fspath(env_file)
        file = read_env_file(name)
        if file is None:
            if env_file_must_be:
                raise SettingsError(f"there is no file {_line(name)}")
            file = {}
        key, url = environ.get(KEY) or file.get(KEY), base_url or environ.get(BASE_URL) or file.get(BASE_URL)
        model = model or environ.get(MODEL) or file.get(MODEL)
        if not key:
            raise SettingsError(
                f"no API key: set {KEY} in the environment or in .env (any word, if the endpoint wants none)"
            )
        if not model:
            raise SettingsError(f"no model: give --model NAME, or set {MODEL} in the environment or in .env")
        url_of_file = bool(url) and not base_url and not environ.get(BASE_URL)
        if url_of_file and environ.get(KEY) and environ.get(KEY) != file.get(KEY):
            raise SettingsError(
                f"{_line(name)} names the endpoint {_line(str(url))}, and the key is that of the environment, which is "
                f"not sent there: set {BASE_URL} in the environment, or {KEY} in {_line(name)}"
            )
        made = cls(model, key, url or DEFAULT_URL, seconds=seconds, max_tokens=max_tokens)
        if url_of_file:
            made.source = _line(name)
        return made

    def ask(self, messages: Sequence[Mapping[str, str]], on_text: Callable[[str], object]) -> Reply:
        """Asks the model and waits for the whole answer. Ctrl-C in the main thread ends the waiting, and raises
        KeyboardInterrupt.

        Args:
            on_text: given each piece of the reply as it comes, in this thread. It is a stranger's text.

        Raises:
            ModelError: there is no whole answer.
        """
        return asyncio.run(self._ask(messages, on_text))

    async def _ask(self, messages: Sequence[Mapping[str, str]], on_text: Callable[[str], object]) -> Reply:
        started = perf_counter()
        http = openai.DefaultAsyncHttpxClient(
            event_hooks={"response": [_guard]},
            follow_redirects=False,
            timeout=self.seconds,
            # Each request has a connection of its own: one that the endpoint is just closing is no reason to fail.
            limits=_httpx.Limits(max_keepalive_connections=0),
        )
        client = openai.AsyncOpenAI(
            api_key=self._key,
            base_url=self.base_url,
            max_retries=0,
            timeout=self.seconds,
            http_client=http,
            # What unpacks to a thousand times its size could not be bounded.
            default_headers={"Accept-Encoding": "identity"},
        )
        try:
            async with asyncio.timeout(self.seconds), client:
                reply = _Reply(on_text)
                async for chunk in await self._begin(client, messages):
                    reply.take(chunk)
                return Reply(reply.whole(), reply.tokens_in, reply.tokens_out, (perf_counter() - started) * 1000)
        except (KeyboardInterrupt, asyncio.CancelledError):
            raise
        except Exception as error:
            raise ModelError(self._told(error)) from None

    async def _begin(self, client: openai.AsyncOpenAI, messages: Sequence[Mapping[str, str]]) -> "AsyncIterator[Any]":
        while True:
            asked: Any = client.chat.completions.create
            try:
                stream: AsyncIterator[Any] = await asked(
                    model=self.model, messages=list(messages), stream=True, **self._more
                )
            except openai.APIStatusError as error:
                if error.status_code not in (400, 422) or not self._leave_out(str(error.message)):
                    raise
            else:
                return stream

    def _leave_out(self, message: str) -> bool:
        """Leaves out what the endpoint does not know; False: that was not the reason."""
        if "max_tokens" in self._more and "max_completion_tokens" in message:
            self._more["max_completion_tokens"] = self._more.pop("max_tokens")
            return True
        return "stream_options" in message and self._more.pop("stream_options", None) is not None

    def _told(self, error: Exception) -> str:
        """One line that says what went wrong."""
        found: BaseException | None = error
        while found is not None:
            if isinstance(found, ModelError):
                return str(found)
            found = found.__cause__ or found.__context__
        at = f"at {self.base_url}"
        said = self._said(error)
        if isinstance(error, (TimeoutError, openai.APITimeoutError)):
            return f"no whole answer within {self.seconds:g} seconds {at}"
        if isinstance(error, openai.APIStatusError):
            status = error.status_code
            told = {
                401: f"the key is refused (401) {at}",
                403: f"the key may not do this (403) {at}",
                404: f"there is no model {_line(self.model)!r}, or no such API (404), {at}",
                429: f"too many requests, or nothing left to spend (429), {at}",
            }
            return f"{told.get(status, f'status {status} {at}')}{said}"
        if isinstance(error, openai.APIConnectionError):
            return f"no connection {at}{said}"
        if isinstance(error, openai.APIError):
            return f"the endpoint reports an error{said}"
        if type(error).__module__.partition(".")[0] == _httpx.__name__:
            return f"the connection broke {at}{said}"
        return f"what the endpoint sends cannot be understood ({type(error).__name__})"

    def _said(self, error: Exception) -> str:
        """What the endpoint or the system says of it."""
        text = ""
        if isinstance(error, openai.APIConnectionError):
            text = str(error.__cause__ or "")
        elif isinstance(error, openai.APIError):
            body = error.body
            inner = body.get("message") if isinstance(body, dict) else body
            text = inner if isinstance(inner, str) else ""
            if not text and not isinstance(error, openai.APIStatusError):
                text = str(error.message)
        else:
            text = str(error)
        text = _line(text.replace(self._key, "[the key]"))
        return f": {text}" if text else ""


def _line(text: str) -> str:
    """One line, bounded, of a stranger's text."""
    text = harmless(" ".join(clean(text[: 10 * _MESSAGE_CHARS]).split()))
    return text if len(text) <= _MESSAGE_CHARS else f"{text[:_MESSAGE_CHARS]}..."


class _Reply:
    """The pieces of a reply. Nothing of their types is taken for granted."""

    def __init__(self, on_text: Callable[[str], object]) -> None:
        self.tokens_in: int | None = None
        self.tokens_out: int | None = None
        self._on_text = on_text
        self._parts: list[str] = []
        self._size = 0
        self._ended: str | None = None
        self._tools = False

    def take(self, chunk: Any) -> None:
        usage = getattr(chunk, "usage", None)
        if usage is not None:
            self.tokens_in = _count(getattr(usage, "prompt_tokens", None))
            self.tokens_out = _count(getattr(usage, "completion_tokens", None))
        choices = getattr(chunk, "choices", None)
        if not isinstance(choices, list) or not choices:
            return
        delta = getattr(choices[0], "delta", None)
        text = getattr(delta, "content", None)
        self._tools = self._tools or bool(getattr(delta, "tool_calls", None))
        if isinstance(text, str) and text:
            self._size += len(text)
            if self._size > MAX_CHARS:
                raise ModelError(f"the answer has more than {MAX_CHARS:,} characters; nothing of it was run")
            self._parts.append(text)
            self._on_text(text)
        reason = getattr(choices[0], "finish_reason", None)
        if isinstance(reason, str):
            self._ended = reason

    def whole(self) -> str:
        """The reply. Half a program is not run: it is no error to a program that its end is missing.

        Raises:
            ModelError: it is not whole.
        """
        if self._ended == "length":
            raise ModelError("the answer was cut: it came to the most tokens that it may have; nothing of it was run")
        if self._tools or self._ended in ("tool_calls", "function_call"):
            raise ModelError("the model asked for a tool, and there are none in this chat; nothing was run")
        if self._ended == "content_filter":
            raise ModelError("the endpoint's filter held the answer back; nothing was run")
        if self._ended is None:
            raise ModelError("the answer ended before it was whole; nothing of it was run")
        return "".join(self._parts)


def _count(number: Any) -> int | None:
    return number if type(number) is int and 0 <= number < 1 << 53 else None


async def _guard(response: Any) -> None:
    """Puts a bounded body in the place of that of a response, before anything of it is read."""
    if response.headers.get("content-encoding", "identity") != "identity":
        raise ModelError("the endpoint sends a packed answer, which was not asked for")
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if response.status_code == 200 and kind != "text/event-stream":
        raise ModelError(
            f"the endpoint answers with {_line(kind) or 'nothing known'} and not with a stream of events; does its URL "
            "end as it should, such as in /v1?"
        )
    response.stream = _Bounded(response.stream)


class _Bounded(_httpx.AsyncByteStream):  # type: ignore[misc]
    """A body of bounded size, whose events are."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        total = size = lines = 0
        tail = b""
        async for data in self._stream:
            total += len(data)
            if total > MAX_BYTES:
                raise ModelError(f"the answer has more than {MAX_BYTES:,} bytes; nothing of it was run")
            for line in data.splitlines(keepends=True):
                size += len(line)
                lines += 1
                tail = (tail + line)[-4:]
                if tail.endswith((b"\n\n", b"\r\r", b"\r\n\r\n")):
                    size, lines, tail = 0, 0, b""
            # Clients gather an event in ways that take long for a large one.
            if size > MAX_EVENT_BYTES or lines > MAX_EVENT_LINES:
                raise ModelError("the endpoint sends an event that does not end; nothing of it was run")
            yield data

    async def aclose(self) -> None:
        await self._stream.aclose()
