"""Attacks on ``Fetch``: by guests that want to reach what is not theirs, and by the servers that they ask."""

import asyncio
import base64
import gzip
import json
import zlib
from collections.abc import Iterator
from ipaddress import ip_address
from typing import Any

import anyio
import pytest

from tests.support.drivers import Driver
from tests.support.guests import Guest
from tests.support.tools import call, caught
from tests.support.web import (
    OTHER,
    PUBLIC,
    PUBLIC_6,
    Net,
    Request,
    Server,
    answer,
    one_server,
    redirect,
    trusting,
)
from wasmhost import CapabilityDefinitionError
from wasmhost.packs import Secret, http
from wasmhost.packs.http_address import is_public, public_among
from wasmhost.packs.http_url import UrlError, parse_url

URL = "http://api.example.com"
SECRET = "hunter2-Wäre".encode().hex() + "/+ =&<\"'"


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as made:
        yield made


def value(guest: Guest, expression: str, *packs: Any) -> Any:
    with guest.runtime(capabilities=packs, policy="allow") as session:
        result = session.run(caught(guest, expression))
    assert result.ok, result.error
    return result.value


def failure(guest: Guest, pack: Any, **arguments: Any) -> tuple[str, str]:
    kind, message = value(guest, call(guest, "Fetch", **arguments), pack)
    return str(kind), str(message)


# ---- addresses -----------------------------------------------------------------------------------------------------

NOT_PUBLIC = [
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.170", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1",
    "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
    "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:0:127.0.0.1", "64:ff9b::7f00:1",
    "64:ff9b::808:808", "64:ff9b:1::7f00:1", "100::1", "2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:10::1",
    "2001:20::1", "2001:2::1", "2001:db8::1", "2002:7f00:1::", "2002:808:808::1", "3fff::1", "5f00::1", "fc00::1",
    "fd12:3456::1", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "2606:4700::5efe:10.0.0.1",
]  # fmt: skip


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_an_address_that_is_not_public(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize(
    "address", ["1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.1", "172.32.0.1", "223.255.255.255", PUBLIC,
                "2606:4700::1111", "2a00:1450::1", PUBLIC_6],
)  # fmt: skip
def test_an_address_that_is_public(address: str) -> None:
    assert is_public(ip_address(address))


def test_what_a_resolver_gives_that_is_no_address_is_left_out() -> None:
    assert public_among(["localhost", "", "127.1", "10.0.0.1", PUBLIC, PUBLIC, "2130706433"]) == [PUBLIC]


@pytest.mark.spec("B9", "S12")
@pytest.mark.parametrize("address", ["127.0.0.1", "169.254.169.254", "::ffff:10.0.0.1", "64:ff9b::a00:1"])
def test_names_that_lead_inside_are_refused(guest: Guest, server: Server, address: str) -> None:
    net = Net({"api.example.com": [address]}, {(address, 80): server})
    with guest.runtime(capabilities=[http(["*"], **net.options)], policy="allow") as session:
        result = session.run(caught(guest, call(guest, "Fetch", url=URL)))
    kind, message = result.value
    assert kind == "PermissionError"
    assert address not in message  # what names mean inside is no business of a guest
    assert address in result.calls[0].notes[0]
    assert net.dialled == []


@pytest.mark.spec("B9", "S12")
def test_of_several_addresses_the_public_ones_alone_are_used(guest: Guest, server: Server) -> None:
    server.pages["/"] = answer("hi")
    net = Net({"api.example.com": ["10.0.0.1", OTHER, "::1", PUBLIC]}, {(PUBLIC, 80): server})
    assert value(guest, call(guest, "Fetch", url=URL), http(["api.example.com"], **net.options))["text"] == "hi"
    assert net.dialled == [(OTHER, 80), (PUBLIC, 80)]


@pytest.mark.spec("B9", "S12")
def test_the_address_that_was_checked_is_the_one_that_is_connected_to(guest: Guest, server: Server) -> None:
    """DNS rebinding: the name leads elsewhere from the second look-up on."""
    server.pages["/"] = answer("hi")
    net = one_server(server)
    pack = http(["api.example.com"], **net.options)
    assert value(guest, call(guest, "Fetch", url=URL), pack)["text"] == "hi"
    assert net.looked_up == ["api.example.com"]
    net.names["api.example.com"] = ["127.0.0.1"]
    assert failure(guest, pack, url=URL)[0] == "PermissionError"
    assert net.dialled == [(PUBLIC, 80)]


@pytest.mark.spec("B9", "S12")
@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "017700000001", "127.0.0.1.", "0",
     "1.2.3",      "127.0.0.0x1", "127.0.0.08", "256.1.1.1", "1.2.3.4.5", "[::1]", "[::ffff:127.0.0.1]", "[::1%25eth0]",
     "[fe80::1%eth0]",      "[::1", "[1.2.3.4]", "１２７.0.0.1", "127。0。0。1", "①②⑦.0.0.1",
     "[0:0:0:0:0:0:0:1]", "0x", "example.0x7f"],
)  # fmt: skip
def test_no_way_to_write_an_address_leads_inside(guest: Guest, server: Server, host: str) -> None:
    net = Net({}, {("127.0.0.1", 80): server, ("::1", 80): server})
    kind, _ = failure(
        guest, http(["*", "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]"], **net.options), url=f"http://{host}/"
    )
    assert kind in ("PermissionError", "ValueError")
    assert (net.dialled, net.looked_up) == ([], [])


@pytest.mark.spec("B9", "S12")
def test_an_address_must_be_named_by_a_rule(guest: Guest, server: Server) -> None:
    server.pages["/"] = answer("hi")
    net = Net({}, {(PUBLIC, 80): server, (PUBLIC_6, 80): server})
    assert failure(guest, http(["*"], **net.options), url=f"http://{PUBLIC}/")[0] == "PermissionError"
    pack = http([f"http://{PUBLIC}", f"http://[{PUBLIC_6}]"], **net.options)
    assert value(guest, call(guest, "Fetch", url=f"http://{PUBLIC}/"), pack)["text"] == "hi"
    assert value(guest, call(guest, "Fetch", url="http://[2620:4f:8000:0::10]/"), pack)["text"] == "hi"
    assert server.requests[1].header("host") == f"[{PUBLIC_6}]"


@pytest.mark.spec("B9", "S12")
@pytest.mark.parametrize(
    "location",
    ["http://inside.example.com/", "//inside.example.com/", "http://127.0.0.1/", "http://2130706433/", "http://[::1]/",
     "http://elsewhere.org/", "https://api.example.com:8443/", "file:///etc/passwd", "ftp://api.example.com/",
     "http:80",      "javascript:alert(1)", "http://api.example.com@127.0.0.1/",
     "http://127.0.0.1\\@api.example.com/", "\\\\inside\\x",
     "http://api.example.com:80:80/", "data:text/plain,x"],
)  # fmt: skip
def test_redirects_are_checked_like_requests(guest: Guest, server: Server, location: str) -> None:
    server.pages["/"] = redirect(location)
    net = one_server(server)
    net.names["inside.example.com"] = ["10.0.0.1"]
    kind, _ = failure(guest, http(["*.example.com"], **net.options), url=URL)
    assert kind in ("PermissionError", "ConnectionError")
    assert net.dialled == [(PUBLIC, 80)]


@pytest.mark.spec("B9", "S12")
def test_a_redirect_cannot_carry_a_method_where_it_is_not_allowed(guest: Guest, server: Server) -> None:
    server.pages["/"] = redirect("http://other.example.com/", "307 Temporary Redirect")
    net = one_server(server)
    pack = http(["POST api.example.com", "GET other.example.com"], **net.options)
    assert failure(guest, pack, url=URL, method="POST", body="x")[0] == "PermissionError"
    assert net.looked_up == ["api.example.com"]


@pytest.mark.spec("B9", "S12")
def test_proxies_of_the_environment_are_not_used(guest: Guest, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    server.pages["/"] = answer("direct")
    with Server() as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        pack = http(["api.example.com"], **one_server(server).options)
        assert value(guest, call(guest, "Fetch", url=URL), pack)["text"] == "direct"
        assert proxy.requests == []


# ---- what is sent --------------------------------------------------------------------------------------------------


@pytest.mark.spec("B9", "S12")
@pytest.mark.parametrize(
    "url",
    ["http://api.example.com/a\r\nX-Evil: 1", "http://api.example.com/\n", "http://api.example.com\0.evil.org/",
     "http://api.example.com/\x7f", "http://api.example.com/\u2028", "http://user:pass@api.example.com/",
     "http://api.example.com@evil.org/", "http://api.example.com:99999/", "http://api.example.com:-1/",
     "http://api.example.com:８0/", "http://api.example.com:80:80/", "http://api.example.com\\x", "http:///x", "http://",
     "http:/api.example.com/", "api.example.com", "//api.example.com", "HTTP//x", "", "http://a..example.com/",
     "http://.example.com/", "http://api%2eexample.com/", "http://api.exa mple.com/", "http://" + "a" * 300 + ".com/",
     "http://" + "a" * 64 + ".com/", "http://xn--.com\u202e/", "http://api.example.com/" + "a" * 9_000],
)  # fmt: skip
def test_urls_that_two_programs_could_read_differently_are_refused(guest: Guest, server: Server, url: str) -> None:
    net = one_server(server)
    kind, message = failure(guest, http(["*"], **net.options), url=url)
    assert kind == "ValueError"
    assert message.isprintable()
    assert net.looked_up == []


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("HTTP://API.Example.COM", "http://api.example.com/"),
        ("https://api.example.com:443?", "https://api.example.com/?"),
        ("https://api.example.com:8443/%7ea/%zz%4", "https://api.example.com:8443/%7ea/%25zz%254"),
        ("http://api.example.com./a b?c d#e", "http://api.example.com/a%20b?c%20d"),
        ('http://api.example.com/<">?\\^`{|}', "http://api.example.com/%3C%22%3E?%5C%5E%60%7B%7C%7D"),
        ("http://[2606:4700:0::1]/", "http://[2606:4700::1]/"),
        ("http://8.8.8.8:80/..", "http://8.8.8.8/"),
        ("http://api.example.com/?a=http://b/../c", "http://api.example.com/?a=http://b/../c"),
    ],
)
def test_the_normal_form_of_a_url(text: str, normal: str) -> None:
    assert str(parse_url(text)) == normal
    assert str(parse_url(normal)) == normal


def test_half_of_a_character_is_refused() -> None:
    for url in ("http://api.example.com/\ud800", "http://\ud800.com/"):
        with pytest.raises(UrlError):
            parse_url(url)


@pytest.mark.spec("B9", "S12")
@pytest.mark.parametrize(
    "headers",
    [{"X-A": "a\r\nX-Evil: 1"}, {"X-A": "a\nb"}, {"X-A": "a\0b"}, {"X-A": "ä"}, {"X-A\r\nX-Evil": "1"}, {"": "1"},
     {"X A": "1"}, {"X:A": "1"}, {"Host": "evil.org"}, {"content-length": "5"}, {"Transfer-Encoding": "chunked"},
     {"Connection": "keep-alive"}, {"Upgrade": "h2c"}, {"HTTP2-Settings": "x"}, {"TE": "trailers"}, {"Trailer": "x"},
     {"Keep-Alive": "1"}, {"Proxy-Authorization": "x"}, {"proxy-connection": "x"}, {"Expect": "100-continue"},
     {"Accept-Encoding": "br"}, {"X-HTTP-Method-Override": "DELETE"}, {"A": "1", "a": "2"}, {"X-A": "a" * 20_000},
     {f"X-{number}": "a" for number in range(65)}],
    ids=lambda headers: next(iter(headers))[:20],
)  # fmt: skip
def test_headers_that_a_guest_may_not_set(guest: Guest, server: Server, headers: dict[str, str]) -> None:
    kind, message = failure(guest, http(["*"], **one_server(server).options), url=URL, headers=headers)
    assert kind == "ValueError"
    assert message.isprintable()
    assert server.requests == []


@pytest.mark.spec("B9", "S12")
@pytest.mark.parametrize("method", ["TRACE", "CONNECT", "GET\r\nX: 1", "", "FLY", "G" * 1000])
def test_methods_that_there_are_not(guest: Guest, server: Server, method: str) -> None:
    kind, _ = failure(guest, http(["* *"], **one_server(server).options), url=URL, method=method)
    assert kind == "ValueError"


@pytest.mark.spec("B9", "S12")
@pytest.mark.parametrize("body", ["x" * 2_000, {"a": float("nan")}, {"deep": "x" * 2_000}])
def test_bodies_that_are_not_sent(guest: Guest, server: Server, body: Any) -> None:
    pack = http(["POST api.example.com"], max_body=1_000, **one_server(server).options)
    given = json.dumps(body).replace("NaN", guest.pick(python="float('nan')", javascript="NaN"))
    argument = guest.pick(python=f"body={given}", javascript=f"body: {given}")
    expression = guest.pick(
        python=f"await tools.Fetch(url='{URL}', method='POST', {argument})",
        javascript=f"await tools.Fetch({{url: '{URL}', method: 'POST', {argument}}})",
    )
    kind, _ = value(guest, expression, pack)
    assert kind == "ValueError"
    assert server.requests == []


# ---- secrets -------------------------------------------------------------------------------------------------------


@pytest.fixture
def safe() -> Iterator[Server]:
    with Server(tls=True) as made:
        yield made


def two_hosts(server: Server, plain: Server | None = None) -> Net:
    servers = {(PUBLIC, 443): server, (OTHER, 443): server}
    if plain is not None:
        servers[PUBLIC, 80] = plain
    return Net({"api.example.com": [PUBLIC], "other.example.com": [OTHER]}, servers)


def in_header(**options: Any) -> Secret:
    return Secret(SECRET, host="api.example.com", header="Authorization", prefix="Bearer ", **options)


@pytest.mark.spec("B9", "C13")
def test_a_secret_goes_to_its_host_alone_and_guests_never_see_it(guest: Guest, driver: Driver, safe: Server) -> None:
    safe.pages |= {"/": answer("hi"), "/away": redirect("https://other.example.com/"), "/plain": redirect(f"{URL}/")}
    with Server({"/": answer("plain")}) as plain:
        pack = http(["*.example.com"], secrets=[in_header()], tls=trusting(), **two_hosts(safe, plain=plain).options)
        with guest.runtime(capabilities=[pack], policy="allow") as session:
            driver.value(session, call(guest, "Fetch", url="https://api.example.com/"))
            assert safe.requests[-1].header("authorization") == f"Bearer {SECRET}"
            driver.value(session, call(guest, "Fetch", url="https://other.example.com/"))
            assert safe.requests[-1].header("authorization") is None
            result = driver.run(session, call(guest, "Fetch", url="https://api.example.com/away"))
            assert safe.requests[-1].header("host") == "other.example.com"
            assert safe.requests[-1].header("authorization") is None
            assert SECRET not in repr([record.to_dict() for record in result.calls])
            driver.value(session, call(guest, "Fetch", url="https://api.example.com/plain"))
            assert plain.requests[-1].header("authorization") is None
            shown = driver.value(
                session, guest.pick(python="repr(tools) + str(dir(tools.Fetch))", javascript="String(tools)")
            )
            assert SECRET not in shown
    assert SECRET not in repr(pack.guide)
    assert "api.example.com" in repr(pack.guide)


@pytest.mark.spec("B9", "C13")
def test_what_a_guest_sends_for_one_origin_does_not_follow_to_another(guest: Guest, safe: Server) -> None:
    safe.pages |= {"/": answer("hi"), "/away": redirect("https://other.example.com/"), "/here": redirect("/")}
    pack = http(["*.example.com"], tls=trusting(), **two_hosts(safe).options)
    for path, stays in (("away", False), ("here", True)):
        mine = {"Authorization": "mine", "Cookie": "a=b", "X-Mark": "c"}
        value(guest, call(guest, "Fetch", url=f"https://api.example.com/{path}", headers=mine), pack)
        got = safe.requests[-1]
        assert [got.header(name) is not None for name in ("authorization", "cookie", "x-mark")] == [stays, stays, True]


@pytest.mark.spec("B9", "C13")
def test_a_secret_of_the_query(guest: Guest, safe: Server) -> None:
    async def echo(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(redirect(request.target.replace("/echo", "/end")))

    async def elsewhere(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(redirect("https://other.example.com" + request.target))

    safe.pages |= {"/": answer("hi"), "/echo": echo, "/end": answer("end"), "/elsewhere": elsewhere}
    pack = http(
        ["*.example.com"],
        secrets=[Secret(SECRET, host="api.example.com", query="key")],
        tls=trusting(),
        **two_hosts(safe).options,
    )
    got = value(guest, call(guest, "Fetch", url="https://api.example.com/?a=1"), pack)
    assert got["url"] == "https://api.example.com/?a=1"
    assert safe.requests[-1].target.startswith("/?a=1&key=")
    got = value(guest, call(guest, "Fetch", url="https://api.example.com/echo?a=1"), pack)
    assert got["url"] == "https://api.example.com/end?a=1"
    assert safe.requests[-1].target.count("key=") == 1
    kind, message = failure(guest, pack, url="https://api.example.com/elsewhere")
    assert (kind, "secret in it" in message) == ("PermissionError", True)
    assert all(request.header("host") == "api.example.com" for request in safe.requests)


@pytest.mark.spec("B9", "C13")
@pytest.mark.parametrize(
    "form", ["plain", "percent", "base64", "basic", "hex", "json", "html", "lower", "utf-16", "bytes"]
)
def test_a_secret_that_a_server_gives_back_is_taken_out(guest: Guest, safe: Server, form: str) -> None:
    from html import escape
    from urllib.parse import quote

    forms: dict[str, bytes] = {
        "plain": SECRET.encode(),
        "percent": quote(SECRET, safe="").lower().encode(),
        "base64": base64.b64encode(SECRET.encode()),
        "basic": base64.b64encode(f"user:{SECRET}!".encode()),
        "hex": SECRET.encode().hex().upper().encode(),
        "json": json.dumps({"you sent": SECRET}).encode(),
        "html": escape(SECRET).encode(),
        "lower": SECRET.lower().encode(),
        "utf-16": SECRET.encode("utf-16"),
        "bytes": b"\0\xff" + SECRET.encode() + b"\xff",
    }
    kind = {"utf-16": "text/plain; charset=utf-16", "bytes": "image/png"}.get(form, "text/plain")
    body = gzip.compress(forms[form])
    header = forms[form].decode("latin-1") if form not in ("utf-16", "bytes") else "x"
    safe.pages["/"] = answer(body, kind=kind, content_encoding="gzip", x_echo=header)
    pack = http(["*.example.com"], secrets=[in_header()], tls=trusting(), **two_hosts(safe).options)
    with guest.runtime(capabilities=[pack], policy="allow") as session:
        result = session.run(call(guest, "Fetch", url="https://api.example.com/"))
        (record,) = result.calls
    got = record.result
    told = got.get("bytes") or got["text"].encode()
    assert b"[secret]" in told
    for found in (told, got["headers"]["x-echo"].encode()):
        assert SECRET.encode().lower() not in found.lower()
        assert forms[form][8:-8] not in found
    if header != "x":
        assert "[secret]" in got["headers"]["x-echo"]


@pytest.mark.spec("B9", "C13")
def test_a_secret_in_a_broken_answer_is_not_in_the_error(guest: Guest, safe: Server) -> None:
    safe.pages["/"] = f"HTTP/1.1 {SECRET}\r\n\r\n".encode()
    pack = http(["*.example.com"], secrets=[in_header()], tls=trusting(), **two_hosts(safe).options)
    kind, message = failure(guest, pack, url="https://api.example.com/")
    assert kind == "ConnectionError"
    assert SECRET[:12] not in message


@pytest.mark.spec("B9", "C13")
def test_a_guest_cannot_set_what_the_host_sets(guest: Guest, safe: Server) -> None:
    secrets = [in_header(), Secret(SECRET, host="api.example.com", query="key")]
    pack = http(["*.example.com"], secrets=secrets, tls=trusting(), **two_hosts(safe).options)
    url = "https://api.example.com/"
    assert failure(guest, pack, url=url, headers={"authorization": "mine"})[0] == "ValueError"
    assert failure(guest, pack, url=f"{url}?%6bey=mine")[0] == "ValueError"
    assert safe.requests == []


def test_secrets_that_are_none() -> None:
    good: dict[str, Any] = {"value": "s3cret-value", "host": "api.example.com", "header": "x-key"}
    for changed in (
        {"value": "short"}, {"value": "s3cret\r\nvalue"}, {"value": "s3cret-välue"}, {"value": " s3cret-value"},
        {"host": "*.example.com"}, {"host": "https://api.example.com"}, {"header": "x key"}, {"header": None},
        {"query": "key"}, {"header": None, "query": ""}, {"prefix": "Bearer\n"},
    ):  # fmt: skip
        with pytest.raises(CapabilityDefinitionError):
            Secret(**{**good, **changed})
    import pickle

    made = Secret(**good)
    assert "s3cret" not in repr(made)
    with pytest.raises(TypeError):
        pickle.dumps(made)


# ---- servers -------------------------------------------------------------------------------------------------------


@pytest.mark.spec("B9", "S12")
@pytest.mark.parametrize("encoding", ["gzip", "deflate", "raw", "members", "none", "chunked", "declared"])
def test_answers_are_bounded_as_they_are_decompressed(guest: Guest, server: Server, encoding: str) -> None:
    huge = b"\0" * (64 << 20)
    raw = zlib.compressobj(9, wbits=-15)
    if encoding == "declared":
        server.pages["/"] = b"HTTP/1.1 200 OK\r\ncontent-length: 9999999999\r\n\r\n"
    elif encoding == "none":
        server.pages["/"] = answer(huge[: 2 << 20])
    elif encoding == "chunked":
        chunk = b"8000\r\n" + b"x" * 0x8000 + b"\r\n"
        server.pages["/"] = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n" + chunk * 64 + b"0\r\n\r\n"
    else:
        body = {
            "gzip": lambda: gzip.compress(huge),
            "deflate": lambda: zlib.compress(huge),
            "raw": lambda: raw.compress(huge) + raw.flush(),
            "members": lambda: gzip.compress(b"") * 5_000,
        }[encoding]()
        name = {"raw": "deflate", "members": "gzip"}.get(encoding, encoding)
        server.pages["/"] = answer(body, content_encoding=name)
    pack = http(["api.example.com"], max_bytes=1 << 20, **one_server(server).options)
    kind, message = failure(guest, pack, url=URL)
    if encoding == "members":
        assert "compressed parts" in message
    else:
        assert (kind, "more than 1048576 bytes" in message) == ("ValueError", True)


@pytest.mark.spec("B9", "S12")
def test_an_answer_of_exactly_the_limit_passes(guest: Guest, server: Server) -> None:
    server.pages["/"] = answer(gzip.compress(b"x" * 1_000), content_encoding="gzip")
    pack = http(["api.example.com"], max_bytes=1_000, **one_server(server).options)
    assert value(guest, call(guest, "Fetch", url=URL), pack)["text"] == "x" * 1_000


BROKEN = {
    "no http": b"SSH-2.0-OpenSSH_9\r\n\r\n",
    "nothing": b"",
    "half a header": b"HTTP/1.1 200 OK\r\ncontent-",
    "half a body": b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc",
    "huge header": b"HTTP/1.1 200 OK\r\nx: " + b"a" * 100_000 + b"\r\n\r\n",
    "many headers": b"HTTP/1.1 200 OK\r\n" + b"x: a\r\n" * 1_000 + b"\r\n",
    "endless interim": b"HTTP/1.1 103 Early Hints\r\n\r\n" * 1_000,
    "another protocol": b"HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n",
    "two lengths": b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab",
    "odd length": b"HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\nab",
    "huge length": b"HTTP/1.1 200 OK\r\ncontent-length: " + b"9" * 5_000 + b"\r\n\r\nab",
    "bad chunk": b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nab\r\n",
    "huge chunk size": b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n" + b"f" * 40 + b"\r\nab",
    "endless chunk size": b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n" + b"0" * 100_000,
    "half a chunk": b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\nab",
    "tiny chunks": b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * 5_000 + b"0\r\n\r\n",
    "endless trailer": b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n" + b"x: a\r\n" * 50_000,
    "other encoding": answer(b"x", content_encoding="br"),
    "encoded twice": answer(gzip.compress(gzip.compress(b"x")), content_encoding="gzip, gzip"),
    "no gzip": answer(b"certainly not", content_encoding="gzip"),
    "half a gzip": answer(gzip.compress(b"x" * 1_000)[:-9], content_encoding="gzip"),
    "one byte of gzip": answer(b"\x1f", content_encoding="gzip"),
    "null in a header": b"HTTP/1.1 200 OK\r\nx: a\0b\r\ncontent-length: 0\r\n\r\n",
}


@pytest.mark.spec("B9", "S12")
@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_answer_is_an_error_of_the_connection(guest: Guest, server: Server, name: str) -> None:
    server.pages["/"] = BROKEN[name]
    kind, message = failure(guest, http(["api.example.com"], **one_server(server).options), url=URL)
    assert kind in ("ConnectionError", "ValueError"), message
    assert message
    assert message.isprintable()
    assert len(message) < 400


@pytest.mark.spec("B9", "S12")
@pytest.mark.parametrize(
    "charset", ["zlib_codec", "idna", "punycode", "unicode_escape", "utf-7", "no-such", "a" * 5_000]
)
def test_a_server_does_not_choose_among_the_codecs_of_python(guest: Guest, server: Server, charset: str) -> None:
    server.pages["/"] = answer(b"+AGE-", kind=f"text/plain; charset={charset}")
    pack = http(["api.example.com"], **one_server(server).options)
    with guest.runtime(capabilities=[pack], policy="allow") as session:
        (record,) = session.run(call(guest, "Fetch", url=URL)).calls
    assert record.result["bytes"] == b"+AGE-"


async def drip_headers(request: Request, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nx: ")
    while True:
        writer.write(b"a")
        await writer.drain()
        await asyncio.sleep(0.02)


async def drip_body(request: Request, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n")
    while True:
        writer.write(b"a")
        await writer.drain()
        await asyncio.sleep(0.02)


async def silence(request: Request, writer: asyncio.StreamWriter) -> None:
    await request.gone()


async def redirect_for_ever(request: Request, writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(0.1)
    writer.write(redirect("/"))


@pytest.mark.spec("B9", "B13")
@pytest.mark.parametrize("page", [drip_headers, drip_body, silence, redirect_for_ever], ids=lambda page: page.__name__)
def test_slow_servers_are_cut_at_the_time_out(guest: Guest, driver: Driver, server: Server, page: Any) -> None:
    server.pages["/"] = page
    pack = http(["api.example.com"], timeout=0.4, max_redirects=20, **one_server(server).options)
    with guest.runtime(capabilities=[pack], policy="allow") as session:
        result = driver.run(session, caught(guest, call(guest, "Fetch", url=URL)))
        kind, message = result.value
    assert (kind, "within 0.4 s" in message) == ("TimeoutError", True)
    if page is not redirect_for_ever:
        assert server.closed_by_client.wait(10)


@pytest.mark.spec("B9", "B13")
def test_a_guest_may_ask_for_less_time_and_not_for_more(guest: Guest, server: Server) -> None:
    server.pages["/"] = silence
    pack = http(["api.example.com"], timeout=60, **one_server(server).options)
    assert failure(guest, pack, url=URL, timeout=0.2)[0] == "TimeoutError"
    for seconds in (61, 0, -1):
        assert failure(guest, pack, url=URL, timeout=seconds)[0] == "ValueError"


@pytest.mark.spec("B9", "B13")
def test_a_name_that_is_never_answered(guest: Guest, driver: Driver) -> None:
    async def never(host: str, port: int) -> list[str]:
        await anyio.sleep_forever()
        raise AssertionError

    pack = http(["api.example.com"], timeout=0.2, resolver=never)
    with guest.runtime(capabilities=[pack], policy="allow") as session:
        kind, _ = driver.value(session, caught(guest, call(guest, "Fetch", url=URL)))
    assert kind == "TimeoutError"


@pytest.mark.spec("B9", "B15")
def test_a_call_that_the_cell_leaves_behind_closes_its_connection(guest: Guest, driver: Driver, server: Server) -> None:
    server.pages["/"] = silence
    pack = http(["api.example.com"], **one_server(server).options)
    code = guest.pick(
        python=f"import asyncio\nt = asyncio.create_task(tools.Fetch('{URL}/'))\nawait asyncio.sleep(0.3)\n1",
        javascript=f"tools.Fetch('{URL}/'); await new Promise(r => setTimeout(r, 300)); 1",
    )
    with guest.runtime(capabilities=[pack], policy="allow") as session:
        result = driver.run(session, code)
        assert result.ok, result.error
    assert "not awaited: Fetch" in result.stderr
    assert server.closed_by_client.wait(10)


@pytest.mark.spec("B9", "S12")
def test_no_server_and_no_name(guest: Guest) -> None:
    pack = http(["*.example.com"], **Net({"api.example.com": [PUBLIC]}, {}).options)
    assert failure(guest, pack, url=URL) == ("ConnectionError", "api.example.com does not take connections at port 80")
    assert failure(guest, pack, url="http://no.example.com/") == (
        "ConnectionError",
        "there is no address for the name no.example.com",
    )


@pytest.mark.spec("B9", "S12")
def test_an_answer_before_the_body_was_read(guest: Guest, server: Server) -> None:
    """A server that refuses a large body answers and closes."""
    pack = http(["POST api.example.com"], max_body=8 << 20, **one_server(server).options)
    server.pages["/"] = answer("too much", "413 Content Too Large")
    expression = guest.pick(
        python=f"await tools.Fetch(url='{URL}', method='POST', body='x' * 4_000_000)",
        javascript=f"await tools.Fetch({{url: '{URL}', method: 'POST', body: 'x'.repeat(4_000_000)}})",
    )
    assert value(guest, expression, pack)["status"] == 413
