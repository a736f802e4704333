"""Text of guests for people and for models: nothing in it steers a terminal or turns the reading direction."""


def harmless(text: str) -> str:
    """Text that cannot steer a terminal: control and direction characters are shown as escapes, newline and tab
    kept."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        c if c in "\n\t" or not _steers(ord(c)) else f"\\x{ord(c):02x}" if ord(c) < 256 else f"\\u{ord(c):04x}"
        for c in text
    )


def _steers(code: int) -> bool:
    return (
        code < 0x20
        or 0x7F <= code < 0xA0
        or 0x200E <= code <= 0x200F
        or 0x2028 <= code <= 0x202E
        or 0x2066 <= code <= 0x2069
    )
