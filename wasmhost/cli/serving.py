"""What ``wasmhost mcp`` and ``wasmhost serve`` have in common."""

import os
import sys
from typing import TYPE_CHECKING, Any

from . import OK, WRONG_USAGE, UsageError
from .run import _LANGUAGES, Options

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from ..capabilities.policy import Policy
    from ..limits import Limits
    from ..serving.addresses import Address
    from ..serving.tokens import Tokens
    from ..session.session import Session
    from ..settings import Settings

_COUNTS = {"--per-client": "max_per_scope", "--sessions": "max_sessions", "--idle": "idle_seconds"}
_WORDS = ("--languages", "--max-timeout", "--tools-from", "--http", "--allow-host")


class ServingOptions:
    """What the words of the command line ask for.

    Args:
        script_ms: of a cell, where nothing is said.
        per_client: sessions, where nothing is said.
    """

    def __init__(self, arguments: list[str], *, script_ms: float, per_client: int) -> None:
        from ..serving.pool import MAX_SCRIPT_MS
        from ..settings import LANGUAGES

        self.languages: tuple[str, ...] = LANGUAGES
        self.tools_from: str | None = None
        self.http: str | None = None
        self.hosts: list[str] = []
        self.pool: dict[str, Any] = {"max_script_ms": MAX_SCRIPT_MS, "max_per_scope": per_client}
        rest: list[str] = []
        words = list(arguments)
        while words:
            word = words.pop(0)
            name, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
            if name not in (*_WORDS, *_COUNTS):
                rest.append(word)
                continue
            if not equals:
                value = Options._next(words, name)
            if name == "--languages":
                self.languages = _languages(value)
            elif name == "--tools-from":
                self.tools_from = value
            elif name == "--http":
                self.http = value
            elif name == "--allow-host":
                self.hosts.append(value)
            elif name == "--max-timeout":
                self.pool["max_script_ms"] = Options._number(name, value)
            else:
                number = Options._number(name, value)
                if name != "--idle" and number != int(number):
                    raise UsageError(f"{name} needs a whole number, not {value!r}")
                self.pool[_COUNTS[name]] = number
        self.common: Options = Options(rest, source=False)
        options = self.common
        self.settings: Settings | None = options.settings
        self.language: str = options.language or self.languages[0]
        if self.language not in self.languages:
            raise UsageError(f"language {self.language} is not among --languages {','.join(self.languages)}")
        self._limits: Mapping[str, Any] = options.limits if self.settings is None else self.settings.limits._given
        self.pool["script_ms"] = self._limits.get("script_ms", script_ms)
        self.pool["max_script_ms"] = min(self.pool["max_script_ms"], 600_000)

    @property
    def policy(self) -> "Policy | None":
        """Of the settings."""
        return None if self.settings is None else self.settings.policy

    def maker(
        self,
        limits: "Callable[[Mapping[str, Any], float], Limits] | None" = None,
        *,
        helpers: bool,
        background: str = "clear",
    ) -> "Callable[..., Session]":
        """What makes sessions as the settings say.

        Args:
            limits: of a session, from those that are set and the most script time of a cell.
            helpers: whether there are short forms, where settings do not say.
            background: what becomes of timers after a cell, where settings do not say.
        """
        from ..limits import Limits
        from ..runtimes import RUNTIMES

        settings, most = self.settings, self.pool["max_script_ms"]
        merged = Limits(**{**self._limits, "script_ms": most}) if limits is None else limits(self._limits, most)

        def make(language: str, name: str, *, snapshot: bytes | None = None, **more: "Any") -> "Session":
            options: dict[str, Any] = {"helpers": helpers, "background": background}
            if settings is not None:
                options |= {**settings.session_options(), "helpers": settings.surface("helpers", helpers)}
                more["capabilities"] = [*options.get("capabilities", ()), *more.get("capabilities", ())]
            options |= {"limits": merged, "label": name, **more}
            kind = RUNTIMES[language]
            return kind(**options) if snapshot is None else kind.restore(snapshot, **options)

        return make


def _languages(text: str) -> tuple[str, ...]:
    found = []
    for word in text.split(","):
        if word.strip().lower() not in _LANGUAGES:
            raise UsageError(f"language {word.strip()!r} is not known; there are: python, javascript, typescript")
        found.append(_LANGUAGES[word.strip().lower()])
    return tuple(dict.fromkeys(found))


def run_server(serve: "Callable[..., Awaitable[None]]", options: "Any", where: str) -> int:
    """Serves until it is over; gives the exit status.

    Args:
        where: what an error of the system is about.

    Raises:
        UsageError: it cannot be served so.
    """
    import anyio

    from ..errors import LimitsError, SettingsError, WasmhostError

    try:
        anyio.run(serve, options)
    except (LimitsError, SettingsError, ValueError) as error:
        raise UsageError(str(error)) from None
    except WasmhostError as error:
        print(f"wasmhost: {error}", file=sys.stderr)
        return WRONG_USAGE
    except OSError as error:
        raise UsageError(f"{where}: {error.strerror or error}") from None
    return OK


def listening(options: ServingOptions, variable: str, what: str) -> "tuple[Address, Tokens, Callable[[str], None]]":
    """Where to listen, the tokens, and what tells whoever has started the server of both.

    Args:
        variable: of the environment, with tokens.

    Raises:
        ValueError: an address or a token that cannot be.
    """
    from ..serving.addresses import Address
    from ..serving.tokens import Tokens

    assert options.http is not None
    address = Address(options.http, tuple(options.hosts))
    tokens = Tokens(os.environ.get(variable, ""))

    def ready(url: str) -> None:
        warn(f"{what} at {url}")
        if tokens.made is not None:
            warn(f"its token, until it ends: {tokens.made}")
        if not address.is_loopback:
            warn("other machines reach this address, and what goes over it is not encrypted")

    return address, tokens, ready


def warn(line: str) -> None:
    """To whoever has started the server; stdout belongs to the protocol."""
    print(f"wasmhost: {line}", file=sys.stderr, flush=True)
