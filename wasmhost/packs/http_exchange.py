"""One HTTP/1.1 request and its answer, over a connection of its own to an address that was checked."""

import ssl
import zlib
from collections.abc import Awaitable, Callable, Iterable

import anyio
from anyio.abc import ByteStream
from anyio.streams.tls import TLSStream

from .http_url import Url

try:
    import h11
except ModuleNotFoundError:
    raise ImportError("the pack http needs the package h11: pip install 'wasmhost-runtime[http]'") from None

Connect = Callable[[str, int], Awaitable[ByteStream]]

# Names of headers, each with its value.
Headers = list[tuple[str, str]]

_READ = 65_536
MAX_HEADER_BYTES = 65_536
MAX_HEADERS = 200
# Interim answers (103 Early Hints and the like) before the real one.
_MAX_INTERIM = 10
# A chunk costs time whatever its size: more than this, and one for every so many bytes, are an attack.
_FREE_CHUNKS = 2_000
_BYTES_PER_CHUNK = 16
_MAX_GZIP_MEMBERS = 16
_CONNECT_SECONDS = 5.0


class ExchangeError(Exception):
    """There is no answer, or none that can be used. ``type``: the name of the error for the guest."""

    def __init__(self, message: str, type: str = "ConnectionError") -> None:
        super().__init__(message)
        self.type: str = type


class Answer:
    """Status, headers (names in lower case) and body, decompressed."""

    __slots__ = ("body", "headers", "status")

    def __init__(self, status: int, headers: Headers) -> None:
        self.status: int = status
        self.headers: Headers = headers
        self.body: bytes = b""

    def header(self, name: str) -> str:
        """The first of that name, or an empty text."""
        return next((value for found, value in self.headers if found == name), "")


async def exchange(
    method: str,
    url: Url,
    headers: Headers,
    body: bytes,
    addresses: Iterable[str],
    *,
    connect: Connect | None,
    tls: ssl.SSLContext | None,
    max_bytes: int,
    reads_body: Callable[[int], bool],
) -> Answer:
    """Asks one of the addresses, the first that takes the connection. ``reads_body`` says by the status whether the
    body is wanted, ``tls`` is None for plain HTTP. Cancelling closes the connection.

    Raises:
        ExchangeError: no connection, an answer that is not HTTP, too large, or in an encoding that was not asked for.
    """
    stream = await _connected(url, list(addresses), connect or _direct)
    try:
        if tls is not None:
            stream = await _wrapped(stream, url.host, tls)
        connection = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEADER_BYTES)
        try:
            await _send(stream, connection, method, url, headers, body)
            return await _receive(stream, connection, max_bytes, reads_body)
        except h11.RemoteProtocolError as error:
            # What stands behind the colon is the server's own text.
            why = str(error).partition(":")[0][:200]
            raise ExchangeError(f"the server's answer is no proper HTTP: {why}") from None
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            raise ExchangeError("the server closed the connection before it had answered") from None
    finally:
        await anyio.aclose_forcefully(stream)


async def _direct(address: str, port: int) -> ByteStream:
    # Past any proxy that the environment names.
    return await anyio.connect_tcp(address, port)


async def _connected(url: Url, addresses: list[str], connect: Connect) -> ByteStream:
    for number, address in enumerate(addresses, 1):
        # One that does not answer leaves time for the next.
        with anyio.move_on_after(_CONNECT_SECONDS if number < len(addresses) else None):
            try:
                return await connect(address, url.port)
            except OSError:
                pass
    raise ExchangeError(f"{url.host} does not take connections at port {url.port}")


async def _wrapped(stream: ByteStream, host: str, tls: ssl.SSLContext) -> ByteStream:
    try:
        # Many servers end without the goodbye of TLS; where a body ends is told by HTTP in almost all answers.
        return await TLSStream.wrap(stream, hostname=host, ssl_context=tls, standard_compatible=False)
    except ssl.SSLCertVerificationError as error:
        raise ExchangeError(f"the certificate of {host} is not good: {error.verify_message}") from None
    except (ssl.SSLError, anyio.BrokenResourceError, anyio.EndOfStream, OSError) as error:
        raise ExchangeError(f"{host} does not answer in TLS: {getattr(error, 'reason', '') or 'it closed'}") from None
    except ValueError:
        raise ExchangeError(f"{host} cannot be the name in a certificate") from None


async def _send(
    stream: ByteStream, connection: h11.Connection, method: str, url: Url, headers: Headers, body: bytes
) -> None:
    request = h11.Request(method=method, target=url.target, headers=[("host", url.authority), *headers])
    sent = connection.send(request) or b""
    if body:
        sent += connection.send(h11.Data(data=body)) or b""
    sent += connection.send(h11.EndOfMessage()) or b""
    try:
        await stream.send(sent)
    except (anyio.BrokenResourceError, OSError):
        # It may have answered before it had read everything.
        pass


async def _receive(
    stream: ByteStream, connection: h11.Connection, max_bytes: int, reads_body: Callable[[int], bool]
) -> Answer:
    answer: Answer | None = None
    decoder: _Decoder | None = None
    interim = chunks = taken = 0
    while True:
        event = connection.next_event()
        if event is h11.NEED_DATA:
            try:
                data = await stream.receive(_READ)
            except anyio.EndOfStream:
                data = b""
            connection.receive_data(data)
        elif isinstance(event, h11.InformationalResponse):
            interim += 1
            if event.status_code == 101 or interim > _MAX_INTERIM:
                raise ExchangeError("the server wants to talk another protocol")
        elif isinstance(event, h11.Response):
            headers = [(name.decode("ascii"), value.decode("latin-1")) for name, value in event.headers]
            if len(headers) > MAX_HEADERS or sum(len(n) + len(v) for n, v in headers) > MAX_HEADER_BYTES:
                raise ExchangeError(f"the server's answer has more than {MAX_HEADERS} or too large headers")
            answer = Answer(event.status_code, headers)
            if not reads_body(event.status_code):
                return answer
            decoder = _Decoder(_encoding(answer), max_bytes)
            declared = answer.header("content-length")
            if declared.isdigit() and int(declared[:18]) > max_bytes:
                raise _too_large(max_bytes)
        elif isinstance(event, h11.Data):
            assert decoder is not None
            chunks += 1
            taken += len(event.data)
            if chunks > _FREE_CHUNKS + taken // _BYTES_PER_CHUNK:
                raise ExchangeError("the server's answer comes in too many small chunks")
            if taken > max_bytes:
                raise _too_large(max_bytes)
            decoder.take(event.data)
        elif isinstance(event, h11.EndOfMessage):
            assert answer is not None
            assert decoder is not None
            answer.body = decoder.end()
            return answer
        else:
            raise ExchangeError("the server closed the connection before it had answered")


def _too_large(max_bytes: int) -> ExchangeError:
    return ExchangeError(
        f"the answer has more than {max_bytes} bytes, which is the limit; ask for a part of it", "ValueError"
    )


def _encoding(answer: Answer) -> str:
    named = ",".join(value for name, value in answer.headers if name == "content-encoding").strip().lower()
    if named in ("", "identity"):
        return ""
    if named in ("gzip", "x-gzip"):
        return "gzip"
    if named == "deflate":
        return named
    raise ExchangeError(f"the server's answer is encoded as {named[:40]!r}, which was not asked for")


class _Decoder:
    """Decompresses as the data comes, and never beyond the limit."""

    def __init__(self, encoding: str, max_bytes: int) -> None:
        self._encoding = encoding
        self._max = max_bytes
        self._made = bytearray()
        self._head = b""
        self._members = 0
        self._unpack: zlib._Decompress | None = None

    def take(self, data: bytes) -> None:
        if not self._encoding:
            self._made += data
            return
        data, self._head = self._head + data, b""
        try:
            while data:
                if len(data) < 2 and (self._unpack is None or self._unpack.eof):
                    self._head = data
                    return
                if self._unpack is None:
                    self._unpack = self._begin(data)
                elif self._unpack.eof:
                    # Padding after the end is common and harmless; a further member of gzip belongs to the body.
                    if self._encoding != "gzip" or not data.startswith(b"\x1f\x8b"):
                        return
                    self._unpack = self._begin(data)
                self._made += self._unpack.decompress(data, self._max + 1 - len(self._made))
                if len(self._made) > self._max:
                    raise _too_large(self._max)
                data = self._unpack.unused_data if self._unpack.eof else self._unpack.unconsumed_tail
        except zlib.error:
            raise ExchangeError("the server's answer is damaged: it cannot be decompressed") from None

    def _begin(self, data: bytes) -> "zlib._Decompress":
        self._members += 1
        if self._members > _MAX_GZIP_MEMBERS:
            raise ExchangeError(f"the server's answer has more than {_MAX_GZIP_MEMBERS} compressed parts")
        if self._encoding == "gzip":
            return zlib.decompressobj(31)
        # "deflate" is with the header of zlib by the standard, and without one from some servers.
        has_header = data[0] & 0x0F == 8 and int.from_bytes(data[:2], "big") % 31 == 0
        return zlib.decompressobj(15 if has_header else -15)

    def end(self) -> bytes:
        if self._encoding and (self._unpack is None or not self._unpack.eof) and (self._unpack or self._head):
            raise ExchangeError("the server's answer is damaged: its compressed data ends early")
        return bytes(self._made)
