"""B14: images and PDFs as results, told by their own bytes, counted and bounded; text that is cut says so."""

import jsonschema  # type: ignore[import-untyped]
import pytest

from tests.support import strict_json
from tests.support.drivers import Driver
from tests.support.guests import Guest
from tests.support.pictures import GIF, JPEG, KINDS, PDF, PNG, WEBP, png
from tests.support.tools import call
from wasmhost import Limits, Media, PythonRuntime, RuntimeFailure, capability
from wasmhost.media import MAX_IMAGE_BYTES, MAX_IMAGES, MAX_PDFS, kind_of
from wasmhost.protocol.result_schema import schema_of
from wasmhost.session.session import Session

NOT_MEDIA = {
    "nothing": b"",
    "text": b"just some text, and not short",
    "cut PNG": PNG[:12],
    "PNG without its first chunk": b"\x89PNG\r\n\x1a\n" + bytes(40),
    "PNG of no width": PNG[:16] + bytes(8) + PNG[24:],
    "JPEG without a marker": b"\xff\xd8\xff\x00" + bytes(40),
    "GIF of no size": b"GIF89a" + bytes(20),
    "WebP longer than it is": WEBP[:4] + b"\xff\xff\xff\x7f" + WEBP[8:],
    "other RIFF": b"RIFF\x20\0\0\0WAVEfmt " + bytes(30),
    "PDF without a version": b"%PDF-x.y" + bytes(40),
    "PDF further on": b" " + PDF,
    "SVG": b"<svg xmlns='x'><script>alert(1)</script></svg>",
    "HTML": b"<html><body>not an image at all</body></html>",
}


def source(guest: Guest, data: bytes) -> str:
    """Bytes, written in the language of a guest."""
    numbers = ",".join(map(str, data))
    return f"bytes([{numbers}])" if guest.name == "python" else f"new Uint8Array([{numbers}])"


@pytest.mark.spec("B14.2")
@pytest.mark.parametrize("mime", KINDS)
def test_bytes_of_each_kind_are_media(session: Session, guest: Guest, driver: Driver, mime: str) -> None:
    data = KINDS[mime]
    result = driver.run(session, source(guest, data))
    assert result.ok, result.error
    assert result.value == data
    assert [(one.mime, bytes(one)) for one in result.media] == [(mime, data)]
    assert result.notes == ()


@pytest.mark.spec("B14.2")
def test_media_lie_anywhere_in_a_value(session: Session, guest: Guest) -> None:
    value = guest.pick(
        python=f"{{'text': 'x', 'shown': [{source(guest, PNG)}, {{'deep': {source(guest, PDF)}}}], 'raw': b'abc'}}",
        javascript=f"({{text: 'x', shown: [{source(guest, PNG)}, {{deep: {source(guest, PDF)}.buffer}}], raw: 1}})",
    )
    result = session.run(value)
    assert [one.mime for one in result.media] == ["image/png", "application/pdf"]
    made = strict_json.loads(result.to_json())
    jsonschema.Draft202012Validator(schema_of(True)).validate(made)
    first = made["media"][0]
    assert (first["mime"], first["size"], first["sha256"]) == ("image/png", len(PNG), result.media[0].sha256)
    assert first["data"] == result.media[0].base64


@pytest.mark.spec("B14.4")
@pytest.mark.parametrize("name", NOT_MEDIA)
def test_bytes_that_are_none_of_them_are_only_bytes(session: Session, guest: Guest, name: str) -> None:
    result = session.run(source(guest, NOT_MEDIA[name]))
    assert result.value == NOT_MEDIA[name]
    assert result.media == ()
    with pytest.raises(ValueError, match="these bytes are no"):
        Media(NOT_MEDIA[name])


@pytest.mark.spec("B14.4")
def test_a_host_cannot_call_bytes_what_they_are_not_either() -> None:
    with pytest.raises(ValueError, match=r"no image/png but image/gif"):
        Media(GIF, "image/png")
    media = Media(JPEG, "image/jpeg")
    assert media == JPEG
    assert repr(media) == f"Media(image/jpeg, {len(JPEG)} bytes)"


@pytest.mark.spec("B14.3")
def test_more_than_there_may_be_are_left_out_with_a_note(session: Session, guest: Guest) -> None:
    images = ",".join([source(guest, PNG)] * (MAX_IMAGES + 1))
    pdfs = ",".join([source(guest, PDF)] * (MAX_PDFS + 3))
    result = session.run(f"[{images}, {pdfs}]")
    kinds = [one.mime for one in result.media]
    assert (kinds.count("image/png"), kinds.count("application/pdf")) == (8, 4) == (MAX_IMAGES, MAX_PDFS)
    assert result.notes == (
        "1 image is left out of the media: a result has at most 8",
        "3 PDFs are left out of the media: a result has at most 4",
    )


@pytest.mark.spec("B14.3")
def test_one_that_is_too_large_is_left_out_with_a_note(guest: Guest) -> None:
    large = png(pad=MAX_IMAGE_BYTES)
    code = guest.pick(
        python=f"{source(guest, large[:60])} + bytes({len(large)})",
        javascript=f"var d = new Uint8Array({len(large)}); d.set({source(guest, large[:60])}); d",
    )
    with guest.runtime() as session:
        result = session.run(code)
        assert result.ok, result.error
        assert kind_of(result.value) == "image/png"
        assert result.media == ()
        assert f"1 image is left out of the media: more than {MAX_IMAGE_BYTES} bytes" in result.notes


@pytest.mark.spec("B14.1")
def test_text_is_cut_at_100_000_characters_or_where_one_says(guest: Guest, driver: Driver) -> None:
    code = guest.pick(python="['word'] * 50_000", javascript="({ map: new Array(5000).fill('word'.repeat(20)) })")
    longer = guest.pick(python="['word'] * 50_000", javascript="new Array(3000).fill(0).map((_, i) => 'w' + i)")
    with guest.runtime() as session:
        result = driver.run(session, code)
        assert len(result.value_text) <= 100_000
        if result.value_truncated:
            assert result.notes == ("value_text was cut to 100000 characters",)
        narrow = driver.run(session, longer, limits=Limits(text_chars=50))
        assert len(narrow.value_text) <= 50
        assert narrow.value_truncated
        assert narrow.notes == ("value_text was cut to 50 characters",)
        assert driver.run(session, "1 + 1").notes == ()
    assert Limits().text_chars == 100_000


@pytest.mark.spec("B14.1")
def test_a_value_that_stays_in_the_sandbox_is_told(guest: Guest) -> None:
    code = guest.pick(python="bytes(1000)", javascript="new Uint8Array(1000)")
    with guest.runtime(limits=Limits(value_bytes=100, text_chars=40)) as session:
        result = session.run(code)
        assert not result.has_value
        assert result.notes == (
            "the value has more than 100 bytes and stayed in the sandbox; value_text shows at most 40 characters of it",
        )


@pytest.mark.spec("B14.1")
def test_the_text_of_an_error_is_cut_as_well(guest: Guest) -> None:
    code = guest.pick(
        python="raise ValueError('x' * 5_000 + 'end')", javascript="throw Error('x'.repeat(5000) + 'end')"
    )
    with guest.runtime() as session:
        result = session.run(code, limits=Limits(text_chars=1_000))
        assert isinstance(result, RuntimeFailure)
        assert len(result.error) == 1_000
        assert guest.name != "python" or "characters and more are left out]" in result.error
        assert result.notes == ("error was cut to 1000 characters",)
        tiny = session.run(code, limits=Limits(text_chars=3))
        assert isinstance(tiny, RuntimeFailure)
        assert len(tiny.error) == 3
        whole = session.run(code)
        assert isinstance(whole, RuntimeFailure)
        assert "x" * 5_000 + "end" in whole.error
        assert whole.notes == ()


@pytest.mark.spec("B14.2")
def test_a_guest_gets_media_of_a_capability_as_bytes(guest: Guest, driver: Driver) -> None:
    @capability(read_only=True)
    def shot() -> Media:
        return Media(PNG)

    with guest.runtime(capabilities=[shot]) as session:
        result = driver.run(session, call(guest, "shot", sync=True))
        assert result.ok, result.error
        assert result.value == PNG
        assert [one.mime for one in result.media] == ["image/png"]
        record = result.calls[0]
        assert isinstance(record.result, Media)


@pytest.mark.spec("B14.4")
def test_a_capability_that_promises_media_gives_media() -> None:
    @capability(read_only=True)
    def shot() -> Media:
        return b"no image"  # type: ignore[return-value]

    with PythonRuntime(capabilities=[shot]) as session:
        result = session.run("shot()")
        assert result.error_type == "CallError"
