"""``wasmhost chat``: a model writes cells, the sandbox runs them, the model sees what came out. Needs the extra
``chat``."""

import sys
from typing import TYPE_CHECKING, Any

from ..errors import CapabilityDefinitionError, LimitsError, SettingsError, WasmhostError
from . import OK, WRONG_USAGE, UsageError
from .run import Help, Options

if TYPE_CHECKING:
    from ..chat.chats import Chats
    from ..chat.talk import Talk
    from ..session.session import Session

HELP = """\
usage: wasmhost chat [--code-runtime LANGUAGE] [options]
       wasmhost chat --resume ID [options]

A chat with a model that answers in code: each answer is a cell, which runs in one sandbox whose variables stay; code
and result are shown, and the model sees them. Ctrl-C stops an answer or a cell and not the chat; Ctrl-D ends. Lines
that begin with a colon are commands: :vars, :reset, :help, :quit.

The model is any with an OpenAI-compatible endpoint. OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL are taken from the
environment, else from the file .env of the working folder.

  --code-runtime L    python (py), javascript (js) or typescript (ts); also -l. By default that of the settings, else
                      python
  --code-timeout MS   script time of a cell in milliseconds (1000)
  --model NAME        the model; wins over OPENAI_MODEL
  --base-url URL      of the endpoint, up to and with /v1; wins over OPENAI_BASE_URL
  --env-file FILE     instead of .env
  --model-timeout S   seconds for a whole answer of the model (120)
  --max-tokens N      most tokens of an answer; by default what the endpoint has
  --turns N           cells that the model may write for one question, where one fails or asks to go on (1, at most 32)
  --observation N     most characters of a result that the model sees (16000)
  --capabilities M    functions for the code: a file of Python or a module, with :NAME for a list in it; by default
                      `capabilities`, else every capability in it (again for more). It is run with your rights
  --resume ID         goes on with a chat that is stored in .code-sessions
  --no-variables      with --resume: without the variables of the chat
  --no-save           stores nothing
  --wall MS, --fuel N, --memory BYTES, --config FILE   as of wasmhost run. What the policy asks about, you are asked
"""

_WORDS = (
    "--code-timeout",
    "--model",
    "--base-url",
    "--env-file",
    "--model-timeout",
    "--max-tokens",
    "--turns",
    "--observation",
    "--capabilities",
    "--resume",
)
_FLAGS = ("--no-variables", "--no-save")
MAX_TURNS = 32


class ChatOptions:
    """What the words of the command line ask for."""

    def __init__(self, arguments: list[str]) -> None:
        from ..chat.conversation import LEAST_OBSERVATION_CHARS, OBSERVATION_CHARS
        from ..chat.endpoint import DEFAULT_SECONDS

        given: dict[str, str] = {}
        self.capabilities: list[str] = []
        flags: set[str] = set()
        rest: list[str] = []
        words = list(arguments)
        while words:
            word = words.pop(0)
            name, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
            if word in _FLAGS:
                flags.add(word)
            elif name == "--code-runtime":
                rest += ["-l", value if equals else Options._next(words, name)]
            elif name not in _WORDS:
                rest.append(word)
                # Its value is not ours to look at.
                if word in ("-l", "--language", "--timeout", "--wall", "--fuel", "--memory", "--config") and words:
                    rest.append(words.pop(0))
            else:
                value = value if equals else Options._next(words, name)
                if name == "--capabilities":
                    self.capabilities.append(value)
                else:
                    given[name] = value
        named = any(word in ("-l", "--language") or word.startswith("--language=") for word in rest)
        if "--code-timeout" in given:
            Options._number("--code-timeout", given["--code-timeout"])
            rest += ["--timeout", given["--code-timeout"]]
        self.common: Options = Options(rest, source=False)
        # That of the command line; the one of the settings is no wish for a chat that is resumed.
        self.language: str | None = self.common.language if named else None
        self.resume: str | None = given.get("--resume")
        self.model: str | None = given.get("--model")
        self.base_url: str | None = given.get("--base-url")
        self.env_file: str | None = given.get("--env-file")
        self.save: bool = "--no-save" not in flags
        self.variables: bool = "--no-variables" not in flags
        if self.resume is None and not self.variables:
            raise UsageError("--no-variables goes with --resume ID")
        self.seconds: float = _within(given, "--model-timeout", DEFAULT_SECONDS, 0.1, 3_600)
        self.turns: int = _whole(given, "--turns", 1, 1, MAX_TURNS)
        self.observation: int = _whole(given, "--observation", OBSERVATION_CHARS, LEAST_OBSERVATION_CHARS, 1_000_000)
        self.max_tokens: int | None = _whole(given, "--max-tokens", 0, 1, 10_000_000) or None


def _within(given: dict[str, str], name: str, default: float, least: float, most: float) -> float:
    if name not in given:
        return default
    number = Options._number(name, given[name])
    if not least <= number <= most:
        raise UsageError(f"{name} must be from {least:g} to {most:g}, not {given[name]!r}")
    return number


def _whole(given: dict[str, str], name: str, default: int, least: int, most: int) -> int:
    number = _within(given, name, default, least, most)
    if number != int(number):
        raise UsageError(f"{name} needs a whole number, not {given[name]!r}")
    return int(number)


def chat(arguments: list[str]) -> int:
    """Runs the chat until it is left; gives the exit status."""
    if "-h" in arguments or "--help" in arguments:
        print(HELP, end="")
        return OK
    try:
        import openai  # noqa: F401
    except ImportError:
        raise UsageError('chat needs one more package: pip install "wasmhost-runtime[chat]"') from None
    try:
        options = ChatOptions(arguments)
        options.common.check_surface("chat")
        return _chat(options)
    except Help:
        print(HELP, end="")
        return OK
    except (SettingsError, LimitsError, CapabilityDefinitionError) as error:
        raise UsageError(str(error)) from None
    except WasmhostError as error:
        print(f"wasmhost: {error}", file=sys.stderr)
        return WRONG_USAGE


def _chat(options: ChatOptions) -> int:
    from ..chat.chats import FOLDER, ChatError, Chats, Stored
    from ..chat.endpoint import Endpoint
    from ..chat.screen import Screen
    from ..chat.talk import Talk

    endpoint = Endpoint.find(
        model=options.model,
        base_url=options.base_url,
        env_file=options.env_file or ".env",
        env_file_must_be=options.env_file is not None,
        seconds=options.seconds,
        max_tokens=options.max_tokens,
    )
    capabilities = [one for word in options.capabilities for one in load_capabilities(word)]
    screen = Screen()
    chats: Chats | None = None
    stored: Stored | None = None
    if options.save or options.resume is not None:
        try:
            chats = Chats(FOLDER)
        except ChatError as error:
            if options.resume is not None:
                raise
            screen.line(f"[not stored: {error}]")
    if options.resume is not None:
        assert chats is not None
        stored = chats.load(options.resume)
    language = options.common.language or "python"
    if stored is not None:
        if options.language not in (None, stored.language):
            raise UsageError(f"the chat {stored.id} is one of {stored.language}, not of {options.language}")
        language = stored.language
    else:
        stored = Stored(Chats.new_id(), language, endpoint.model, [], None)
    talk = Talk(screen, endpoint, chats if options.save else None, stored, options.turns, options.observation)
    with _session(options, language, capabilities, talk, chats) as session:
        return talk.run(session)


def _session(
    options: ChatOptions, language: str, capabilities: list[Any], talk: "Talk", chats: "Chats | None"
) -> "Session":
    """The sandbox as the settings say, with the variables of the chat."""
    from ..errors import SnapshotError
    from ..limits import Limits
    from ..runtimes import RUNTIMES

    if language not in RUNTIMES:
        raise UsageError(f"the chat is one of {language!r}, which this version of wasmhost does not have")
    settings = options.common.settings
    made: dict[str, Any] = {"limits": Limits(**options.common.limits)} if settings is None else {}  # type: ignore[arg-type]
    if settings is not None:
        made = settings.session_options()
    made["capabilities"] = [*made.get("capabilities", ()), *capabilities]
    made |= {"approve": talk.approver, "on_event": talk.on_event, "label": f"chat {talk.stored.id}"}
    snapshot = talk.stored.snapshot
    if snapshot is None or not options.variables:
        if talk.stored.turns:
            talk.tell_next("the variables of the chat so far are gone")
        return RUNTIMES[language](**made)
    assert chats is not None
    try:
        return RUNTIMES[language].restore(snapshot, key=chats.key, **made)
    except SnapshotError as error:
        raise UsageError(
            f"the variables of the chat cannot be restored: {error}. --no-variables goes on without them"
        ) from None


def load_capabilities(word: str) -> list[Any]:
    """What a session takes as capabilities, of a file or module of the user's: ``FILE.py`` or ``MODULE``, with
    ``:NAME`` behind it for one name in it.

    Raises:
        UsageError: it cannot be loaded, or there are none in it.
    """
    from importlib import import_module
    from importlib.util import module_from_spec, spec_from_file_location

    from ..capabilities.capability import Capability
    from ..packs.pack import Pack

    place, colon, name = word.rpartition(":")
    if not colon or not name.isidentifier():
        place, name = word, ""
    try:
        if place.endswith(".py"):
            spec = spec_from_file_location(f"wasmhost_chat_{len(sys.modules)}", place)
            assert spec is not None
            assert spec.loader is not None
            module = module_from_spec(spec)
            sys.modules[spec.name] = module
            spec.loader.exec_module(module)
        else:
            module = import_module(place)
        found = getattr(module, name or "capabilities", None)
        if found is None and not name:
            found = [
                one
                for one in vars(module).values()
                if isinstance(one, (Capability, Pack)) or hasattr(one, "__wasmhost_capability__")
            ]
    except Exception as error:
        raise UsageError(f"--capabilities {word}: {type(error).__name__}: {error}") from None
    made = list(found) if isinstance(found, (list, tuple)) else [] if found is None else [found]
    if not made:
        raise UsageError(f"--capabilities {word}: there are no capabilities in it; a list of them is expected")
    return made


__all__ = ["chat"]
