"""Who may use a server over HTTP: whoever shows a token (rule 14 of the safety rules)."""

import hmac
import secrets
from hashlib import sha256

from ..errors import SettingsError

LEAST_CHARS = 16


class Tokens:
    """The tokens that a server takes. Each is a principal of its own; what is kept of one is its digest.

    Args:
        given: tokens apart from each other by spaces or commas; empty: one is made, in :attr:`made`.

    Raises:
        SettingsError: one is shorter than 16 characters, or not of printable ASCII.
    """

    def __init__(self, given: str = "") -> None:
        words = given.replace(",", " ").split()
        # Known only to this process and to whoever it is shown to.
        self.made: str | None = None if words else secrets.token_urlsafe(32)
        for word in words:
            if len(word) < LEAST_CHARS or not (word.isascii() and word.isprintable()):
                raise SettingsError(f"a token has {LEAST_CHARS} or more characters of printable ASCII")
        self._digests: list[bytes] = [sha256(word.encode()).digest() for word in words or [self.made or ""]]

    def principal(self, header: str) -> str | None:
        """Whose a request is, from its ``Authorization`` header; None: nobody's. Takes the same time for each token."""
        scheme, _, token = header.partition(" ")
        if scheme.lower() != "bearer":
            return None
        digest = sha256(token.strip().encode("utf-8", "surrogateescape")).digest()
        found = None
        for number, one in enumerate(self._digests):
            if hmac.compare_digest(digest, one):
                found = f"token-{number + 1}"
        return found
