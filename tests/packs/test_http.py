"""``Fetch`` through the pipeline, on both guests and every driver, against real servers."""

import gzip
import zlib
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.child import run_python
from tests.support.drivers import Driver
from tests.support.guests import Guest
from tests.support.tools import call, caught
from tests.support.web import PUBLIC, Net, Server, answer, one_server, redirect, trusting
from wasmhost import CapabilityDefinitionError, Policy
from wasmhost.packs import HttpRule, Secret, http

URL = "http://api.example.com"


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as made:
        yield made


def value(guest: Guest, expression: str, *packs: Any) -> Any:
    with guest.runtime(capabilities=packs, policy="allow") as session:
        result = session.run(caught(guest, expression))
    assert result.ok, result.error
    return result.value


@pytest.mark.spec("B9", "A10")
def test_a_page_comes_back_as_text_with_status_and_headers(guest: Guest, driver: Driver, server: Server) -> None:
    server.pages["/greeting"] = answer("grüße", x_extra="yes")
    net = one_server(server)
    with guest.runtime(capabilities=[http(["api.example.com"], **net.options)], policy="allow") as session:
        got = driver.value(session, call(guest, "Fetch", url=f"{URL}/greeting?q=a b&r=ü#part"))
    assert (got["status"], got["url"], got["text"]) == (200, f"{URL}/greeting?q=a%20b&r=%C3%BC", "grüße")
    assert got["headers"]["x-extra"] == "yes"
    assert "bytes" not in got
    assert server.asked == ["GET /greeting?q=a%20b&r=%C3%BC"]
    assert server.requests[0].header("host") == "api.example.com"
    assert net.dialled == [(PUBLIC, 80)]


@pytest.mark.spec("B9", "A10")
def test_what_is_no_text_comes_back_as_bytes(guest: Guest, server: Server) -> None:
    server.pages["/logo"] = answer(b"\x89PNG\0\xff", kind="image/png")
    pack = http(["api.example.com"], **one_server(server).options)
    length = guest.pick(
        python=f"(lambda r: [type(r['bytes']).__name__, list(r['bytes'])])(await tools.Fetch('{URL}/logo'))",
        javascript=f"await (async () => {{ const r = await tools.Fetch('{URL}/logo'); "
        "return [r.bytes.constructor.name, Array.from(r.bytes)] })()",
    )
    kind, data = value(guest, length, pack)
    assert kind in ("bytes", "Uint8Array")
    assert bytes(data) == b"\x89PNG\0\xff"


@pytest.mark.spec("B9")
def test_a_body_and_headers_are_sent(guest: Guest, server: Server) -> None:
    server.pages["/items"] = answer('{"id": 7}', "201 Created", "application/json")
    pack = http(["GET,POST api.example.com"], **one_server(server).options)
    got = value(
        guest,
        call(guest, "Fetch", url=f"{URL}/items", method="post", body={"name": "tea"}, headers={"X-Mark": "a"}),
        pack,
    )
    assert (got["status"], got["text"]) == (201, '{"id": 7}')
    (request,) = server.requests
    assert (request.method, request.body) == ("POST", b'{"name": "tea"}')
    assert request.header("content-type") == "application/json"
    assert request.header("x-mark") == "a"


@pytest.mark.spec("B9")
def test_an_error_status_is_a_result(guest: Guest, server: Server) -> None:
    got = value(guest, call(guest, "Fetch", url=f"{URL}/none"), http(["api.example.com"], **one_server(server).options))
    assert (got["status"], got["text"]) == (404, "no such page")


@pytest.mark.spec("B9")
@pytest.mark.parametrize("name", ["gzip", "x-gzip", "deflate", "deflate-raw", "gzip-members"])
def test_compressed_answers_are_read(guest: Guest, server: Server, name: str) -> None:
    text = "tea " * 5_000
    raw = zlib.compressobj(wbits=-15)
    data = {
        "deflate": zlib.compress(text.encode()),
        "deflate-raw": raw.compress(text.encode()) + raw.flush(),
        "gzip-members": gzip.compress(text[:9_000].encode()) + gzip.compress(text[9_000:].encode()) + b"\0\0",
    }.get(name, gzip.compress(text.encode()))
    server.pages["/"] = answer(data, content_encoding=name.partition("-")[0] if name != "x-gzip" else name)
    got = value(guest, call(guest, "Fetch", url=URL), http(["api.example.com"], **one_server(server).options))
    assert got["text"] == text
    assert server.requests[0].header("accept-encoding") == "gzip, deflate"


@pytest.mark.spec("B9", "B11")
def test_what_no_rule_allows_is_refused_before_anything_is_looked_up(guest: Guest, server: Server) -> None:
    net = one_server(server)
    pack = http(["https://api.example.com/v1/*", "GET *.pages.example.com:8080"], **net.options)
    refused: list[dict[str, Any]] = [
        {"url": "https://example.org/"},
        {"url": "https://api.example.com/v1/x", "method": "POST"},
        {"url": "https://api.example.com:8443/v1/x"},
        {"url": "http://api.example.com/v1/x"},
        {"url": "https://api.example.com/v2/x"},
        {"url": "https://evil-api.example.com/v1/"},
        {"url": "https://api.example.com.evil.org/v1/"},
        {"url": "http://pages.example.com:8080/"},
        {"url": "http://a.pages.example.com/"},
    ]
    for arguments in refused:
        kind, message = value(guest, call(guest, "Fetch", **arguments), pack)
        assert kind == "PermissionError", arguments
        assert "allowed are: GET,HEAD https://api.example.com/v1/*" in message
    assert net.looked_up == []


@pytest.mark.spec("B9")
@pytest.mark.parametrize(
    "path",
    [
        "/v1/../admin", "/v1/%2e%2e/admin", "/v1/.%2E/admin", "/v1/..%2fadmin", "/v1/%2e%2e%2fadmin",
        "/v1/..%5cadmin", "/v1/%252e%252e%252fadmin", "/v1/..;/admin", "/v1/..;x=1/admin", "/v1%2f..%2fadmin",
        "/v1/%" + "25" * 12 + "2e/",
    ],
)  # fmt: skip
def test_no_way_to_write_a_path_leads_out_of_a_rule(guest: Guest, server: Server, path: str) -> None:
    pack = http(["http://api.example.com/v1/*"], **one_server(server).options)
    kind, _ = value(guest, call(guest, "Fetch", url=URL + path), pack)
    assert kind == "PermissionError"
    assert server.requests == []


@pytest.mark.spec("B9")
def test_paths_inside_a_rule_go_on(guest: Guest, server: Server) -> None:
    server.pages["/v1/a%20b/"] = answer("in")
    pack = http(["http://api.example.com/v1/*"], **one_server(server).options)
    assert value(guest, call(guest, "Fetch", url=f"{URL}/x/../v1/./a%20b/c/.."), pack)["text"] == "in"


@pytest.mark.spec("B9")
def test_redirects_are_followed_as_browsers_do(guest: Guest, server: Server) -> None:
    server.pages |= {
        "/a": redirect("b?x=1"),
        "/b": redirect("//api.example.com/c", "303 See Other"),
        "/c": redirect("?", "301 Moved Permanently"),
        "/keep": redirect("/end", "307 Temporary Redirect"),
        "/end": answer("end"),
    }
    pack = http(["GET,POST api.example.com"], max_redirects=3, **one_server(server).options)
    kind, message = value(guest, call(guest, "Fetch", url=f"{URL}/a", method="POST", body="x"), pack)
    assert (kind, message[:21]) == (
        guest.pick(python="ConnectionError", javascript="ConnectionError"),
        "more than 3 redirects",
    )
    assert server.asked == ["POST /a", "GET /b?x=1", "GET /c", "GET /c?"]
    assert [request.body for request in server.requests] == [b"x", b"", b"", b""]
    assert server.requests[1].header("content-type") is None
    server.requests.clear()
    got = value(guest, call(guest, "Fetch", url=f"{URL}/keep", method="POST", body="x"), pack)
    assert (got["text"], got["url"]) == ("end", f"{URL}/end")
    assert [request.body for request in server.requests] == [b"x", b"x"]


@pytest.mark.spec("B9")
def test_a_head_has_no_body_and_stays_a_head(guest: Guest, server: Server) -> None:
    server.pages |= {
        "/a": redirect("/b", "303 See Other"),
        "/b": b"HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n",
    }
    pack = http(["api.example.com"], **one_server(server).options)
    got = value(guest, call(guest, "Fetch", url=f"{URL}/a", method="HEAD"), pack)
    assert (got["status"], got["text"]) == (200, "")
    assert server.asked == ["HEAD /a", "HEAD /b"]


@pytest.mark.spec("B9")
def test_tls_checks_the_certificate_against_the_name(guest: Guest) -> None:
    with Server({"/": answer("safe")}, tls=True) as server:
        net = Net(
            {
                "api.example.com": [PUBLIC],
                "wrong.example.com": [PUBLIC],
                "bücher.example": [],
                "xn--bcher-kva.example": [PUBLIC],
            },
            {(PUBLIC, 443): server},
        )
        allow = ["*.example.com", "bücher.example"]
        trusted = http(allow, tls=trusting(), **net.options)
        assert value(guest, call(guest, "Fetch", url="https://api.example.com"), trusted)["text"] == "safe"
        assert value(guest, call(guest, "Fetch", url="https://BÜCHER.example."), trusted)["text"] == "safe"
        assert server.requests[1].header("host") == "xn--bcher-kva.example"
        kind, message = value(guest, call(guest, "Fetch", url="https://wrong.example.com"), trusted)
        assert kind == "ConnectionError"
        assert "certificate of wrong.example.com" in message
        kind, message = value(guest, call(guest, "Fetch", url="https://api.example.com"), http(allow, **net.options))
        assert kind == "ConnectionError"
        assert "certificate" in message
        assert len(server.requests) == 2


@pytest.mark.spec("B9")
def test_a_server_that_does_not_speak_tls(guest: Guest, server: Server) -> None:
    server.greeting = b"SSH-2.0-OpenSSH_9\r\n"
    pack = http(["api.example.com"], **one_server(server, port=443).options)
    kind, message = value(guest, call(guest, "Fetch", url="https://api.example.com"), pack)
    assert (kind, "TLS" in message) == ("ConnectionError", True)


@pytest.mark.spec("B11", "B10")
def test_policy_and_records_see_fetch_like_any_call(guest: Guest, server: Server) -> None:
    server.pages["/"] = answer("hi")
    pack = http(["api.example.com"], **one_server(server).options)
    with guest.runtime(capabilities=[pack], policy=Policy(deny=["Fetch"])) as session:
        kind, _ = session.run(caught(guest, call(guest, "Fetch", url=URL))).value
        assert kind == "PermissionError"
    assert server.requests == []
    with guest.runtime(capabilities=[pack]) as session:  # not read-only: it asks, and nobody is there
        (record,) = session.run(caught(guest, call(guest, "Fetch", url=URL))).calls
        assert record.permission == "deny (nobody to ask)"


@pytest.mark.spec("B22")
def test_requests_run_beside_each_other(guest: Guest, driver: Driver, server: Server) -> None:
    server.pages["/"] = answer("hi")
    pack = http(["api.example.com"], concurrency=2, **one_server(server).options)
    code = guest.pick(
        python="import asyncio\n"
        f"[r['text'] for r in await asyncio.gather(*[tools.Fetch('{URL}/?' + str(i)) for i in range(6)])]",
        javascript=f"(await Promise.all([0,1,2,3,4,5].map(i => tools.Fetch('{URL}/?' + i)))).map(r => r.text)",
    )
    with guest.runtime(capabilities=[pack], policy="allow") as session:
        assert driver.value(session, code) == ["hi"] * 6
    assert sorted(server.asked) == [f"GET /?{i}" for i in range(6)]


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("example.com", "GET,HEAD example.com"),
        ("https://example.com", "GET,HEAD https://example.com"),
        ("post https://Example.COM./v1/*", "POST https://example.com/v1/*"),
        ("* example.com:8080", "GET,HEAD,POST,PUT,PATCH,DELETE,OPTIONS example.com:8080"),
        ("GET, POST *.bücher.example", "GET,POST *.xn--bcher-kva.example"),
        ("https://[2606:4700:0:0::1111]:8443", "GET,HEAD https://[2606:4700::1111]:8443"),
        ("*", "GET,HEAD *"),
    ],
)
def test_lines_of_rules(line: str, shown: str) -> None:
    assert str(HttpRule.of(line)) == shown
    assert str(HttpRule.of(shown)) == shown


@pytest.mark.parametrize(
    "line",
    ["", "exa mple.com", "FLY example.com", "ftp://example.com", "example.com:0", "example.com:99999", "example.com:x",
     "a.*.example.com", "*example.com", "https://example.com/a/../b", "https://example.com/*/b", "TRACE example.com",
     "CONNECT example.com", "user@example.com", "exa%6dple.com", "127.1"],
)  # fmt: skip
def test_rules_that_could_never_fit_are_refused(line: str) -> None:
    with pytest.raises(CapabilityDefinitionError):
        HttpRule.of(line)


def test_what_the_pack_refuses_to_be_made_of() -> None:
    import ssl

    unchecked = ssl.create_default_context()
    unchecked.check_hostname = False
    unchecked.verify_mode = ssl.CERT_NONE
    options: list[dict[str, Any]] = [
        {"max_bytes": 0},
        {"max_bytes": 1 << 40},
        {"timeout": 0},
        {"timeout": float("nan")},
        {"timeout": True},
        {"max_redirects": -1},
        {"tls": unchecked},
        {"secrets": [Secret("s3cret-value", host="elsewhere.example.com", header="x-key")]},
        {"secrets": [Secret("s3cret-value", host="api.example.com", header="x-key", port=8443)]},
    ]
    for given in options:
        with pytest.raises(CapabilityDefinitionError):
            http(["api.example.com"], **given)
    for allow in ([], "api.example.com", [7]):
        with pytest.raises(CapabilityDefinitionError):
            http(allow)  # type: ignore[arg-type]


def test_nothing_of_it_is_loaded_before_it_is_used_and_a_missing_package_is_named() -> None:
    done = run_python(
        """
        import sys
        import wasmhost, wasmhost.packs
        assert not {"h11", "ssl", "anyio"} & set(sys.modules)
        sys.modules["h11"] = None
        try:
            from wasmhost.packs import http
        except ImportError as error:
            print(error)
        """
    )
    assert done.stdout == "the pack http needs the package h11: pip install 'wasmhost-runtime[http]'\n"
