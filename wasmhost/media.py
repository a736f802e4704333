"""Images and PDFs as results (``docs/decisions/0021-media.md``). Loaded only where there are any."""

from typing import Any

# How many a result has at most (row B14), and how large each may be: what the APIs of models take.
MAX_IMAGES, MAX_PDFS = 8, 4
MAX_IMAGE_BYTES, MAX_PDF_BYTES = 5 << 20, 32 << 20

PDF = "application/pdf"


def kind_of(data: bytes) -> str | None:
    """The MIME type of bytes that are a PNG, JPEG, GIF, WebP or PDF, by their own first bytes; None for anything
    else. What a guest says of them is never asked."""
    if len(data) < 16:
        return None
    head = bytes(data[:32])
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png" if head[8:16] == b"\0\0\0\rIHDR" and any(head[16:20]) and any(head[20:24]) else None
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg" if head[3] >= 0xC0 else None
    if head.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif" if any(head[6:8]) and any(head[8:10]) else None
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        fits = int.from_bytes(head[4:8], "little") + 8 <= len(data)
        return "image/webp" if fits and head[12:16] in (b"VP8 ", b"VP8L", b"VP8X") else None
    if head.startswith(b"%PDF-") and head[5:6].isdigit() and head[6:7] == b"." and head[7:8].isdigit():
        return PDF
    return None


class Media(bytes):
    """Bytes that are an image (PNG, JPEG, GIF, WebP) or a PDF. A capability may give one; a guest gets it as bytes.

    Args:
        data: the file.
        mime: what it should be; by default whatever it is.

    Raises:
        ValueError: the bytes are none of these, or not what ``mime`` says.
    """

    def __new__(cls, data: bytes, mime: str | None = None) -> "Media":
        found = kind_of(data)
        if found is None or mime not in (None, found):
            raise ValueError(
                f"these bytes are no {mime or 'PNG, JPEG, GIF, WebP or PDF'}" + (f" but {found}" if found else "")
            )
        return super().__new__(cls, data)

    @property
    def mime(self) -> str:
        """``image/png``, ``image/jpeg``, ``image/gif``, ``image/webp`` or ``application/pdf``."""
        return kind_of(self) or ""

    @property
    def sha256(self) -> str:
        """Hexadecimal digest of the bytes."""
        from hashlib import sha256

        return sha256(self).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it: ``mime``, ``size``, ``sha256`` and ``data`` in base64."""
        return {"mime": self.mime, "size": len(self), "sha256": self.sha256, "data": self.base64}

    @property
    def base64(self) -> str:
        """The bytes in base64."""
        from base64 import b64encode

        return b64encode(self).decode()

    def __repr__(self) -> str:
        return f"Media({self.mime}, {len(self)} bytes)"

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: object) -> Any:
        from pydantic_core import core_schema

        return core_schema.is_instance_schema(cls)

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: object, handler: object) -> dict[str, Any]:
        return {"type": "string", "format": "binary"}


class Budget:
    """How many images and PDFs there may still be, and what was left out."""

    def __init__(self) -> None:
        self._left: dict[bool, int] = {False: MAX_IMAGES, True: MAX_PDFS}
        self._over: dict[bool, int] = {False: 0, True: 0}
        self._large: dict[bool, int] = {False: 0, True: 0}

    def admit(self, media: Media) -> bool:
        """Whether there is room for one more."""
        is_pdf = media.mime == PDF
        if len(media) > (MAX_PDF_BYTES if is_pdf else MAX_IMAGE_BYTES):
            self._large[is_pdf] += 1
            return False
        if self._left[is_pdf] == 0:
            self._over[is_pdf] += 1
            return False
        self._left[is_pdf] -= 1
        return True

    def notes(self) -> list[str]:
        """What was left out, in words."""
        made = []
        for is_pdf, name, most, size in (
            (False, "image", MAX_IMAGES, MAX_IMAGE_BYTES),
            (True, "PDF", MAX_PDFS, MAX_PDF_BYTES),
        ):
            if count := self._over[is_pdf]:
                made.append(f"{_count(count, name)} left out of the media: a result has at most {most}")
            if count := self._large[is_pdf]:
                made.append(f"{_count(count, name)} left out of the media: more than {size} bytes")
        return made


def _count(count: int, name: str) -> str:
    return f"1 {name} is" if count == 1 else f"{count} {name}s are"


def of_value(attachments: list[bytes]) -> tuple[tuple[Media, ...], list[str]]:
    """The images and PDFs among the bytes of a cell's value, in their order, and notes of what was left out."""
    budget = Budget()
    found = [Media(data) for data in attachments if kind_of(data) is not None]
    return tuple(media for media in found if budget.admit(media)), budget.notes()
