"""``wasmhost repl``: cells typed at a prompt, one session. Needs the extra ``repl``."""

import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..errors import LimitsError, SettingsError, WasmhostError
from ..protocol.harmless import harmless
from . import OK, WRONG_USAGE, UsageError
from .run import Help, Options, Writer, session_of, show

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import Completer
    from prompt_toolkit.document import Document
    from pygments.lexer import Lexer

    from ..session.session import Session

HELP = """\
usage: wasmhost repl [-l LANGUAGE] [options]

A prompt for cells of one sandbox: variables stay. Enter runs what is complete, and else begins another line;
Alt-Enter always begins another line. Tab completes. Ctrl-C stops the cell and keeps the variables, or clears the line;
Ctrl-D ends. Lines that begin with a colon are commands: :vars, :reset, :help, :quit.

  -l, --language L    python (py), javascript (js) or typescript (ts); by default that of the settings, else python
  --timeout MS        script time of a cell in milliseconds (30000)
  --wall MS           real time of a cell in milliseconds (600000)
  --fuel N            exact budget of executed instructions
  --memory BYTES      size that the sandbox's memory may grow to (268435456)
  --config FILE       settings: limits, policy, packs (docs/settings.md). What the policy would ask about is denied
  --no-history        neither reads nor writes the history of lines (a file for you alone, below XDG_STATE_HOME)
"""

COMMANDS = {":vars": "variables", ":reset": "drops them all", ":help": "this text", ":quit": "ends"}
_OPEN, _CLOSED = "([{", ")]}"
_MAX_COLUMNS = 100


def repl(arguments: list[str]) -> int:
    """Runs the prompt until it is left; gives the exit status."""
    try:
        history = "--no-history" not in arguments
        options = Options([word for word in arguments if word != "--no-history"], source=False)
    except Help:
        print(HELP, end="")
        return OK
    except SettingsError as error:
        raise UsageError(str(error)) from None
    try:
        import prompt_toolkit  # noqa: F401
        import pygments  # noqa: F401
    except ImportError:
        raise UsageError('repl needs two more packages: pip install "wasmhost-runtime[repl]"') from None
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("repl needs a terminal; for a file or a pipe there is: wasmhost run")
    options.language = options.language or "python"
    options.limits.setdefault("script_ms", 30_000)
    try:
        with session_of(options, helpers=True) as session:
            return _Repl(session, history).run()
    except (LimitsError, SettingsError) as error:
        raise UsageError(str(error)) from None
    except WasmhostError as error:
        print(f"wasmhost: {error}", file=sys.stderr)
        return WRONG_USAGE


class _Repl:
    def __init__(self, session: "Session", history: bool) -> None:
        self.session: Session = session
        self.lexer: type[Lexer] = _lexer(session.language)
        self.prompt: PromptSession[str] = self._prompt(history)

    def _prompt(self, history: bool) -> "PromptSession[str]":
        from prompt_toolkit import PromptSession
        from prompt_toolkit.filters import Condition
        from prompt_toolkit.history import FileHistory, History, InMemoryHistory
        from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
        from prompt_toolkit.lexers import PygmentsLexer
        from prompt_toolkit.shortcuts import CompleteStyle

        keys = KeyBindings()

        @keys.add("enter")
        def enter(event: KeyPressEvent) -> None:
            buffer = event.current_buffer
            document = buffer.document
            if document.is_cursor_at_the_end and self.is_complete(document.text):
                buffer.validate_and_handle()
            else:
                buffer.insert_text("\n" + self.indentation(document))

        @keys.add("escape", "enter")
        def newline(event: KeyPressEvent) -> None:
            event.current_buffer.insert_text("\n")

        @keys.add("tab", filter=Condition(lambda: self._at_line_start()))
        def indent(event: KeyPressEvent) -> None:
            event.current_buffer.insert_text("    ")

        kept: History = InMemoryHistory()
        path = history_file(self.session.language) if history else None
        if path is not None:
            kept = FileHistory(path)
        return PromptSession(
            history=kept,
            lexer=PygmentsLexer(self.lexer),
            completer=_completer(self.session),
            complete_while_typing=False,
            complete_style=CompleteStyle.READLINE_LIKE,
            key_bindings=keys,
            multiline=True,
            prompt_continuation="... ",
            enable_open_in_editor=False,
        )

    def _at_line_start(self) -> bool:
        return not self.prompt.default_buffer.document.current_line_before_cursor.strip()

    # ---- what is complete ----

    def is_complete(self, text: str) -> bool:
        """Whether Enter runs it: no bracket is open, and a block of Python has ended with an empty line."""
        if text.startswith(":"):
            return True
        depth, open_text = self._depth(text)
        if depth > 0 or open_text:
            return False
        if self.session.language != "python":
            return True
        lines = text.split("\n")
        if lines[-1].rstrip().endswith("\\"):
            return False
        in_block = any(line.rstrip().endswith(":") for line in lines) or lines[0].startswith("@")
        return not in_block or not lines[-1].strip()

    def _depth(self, text: str) -> tuple[int, bool]:
        """Brackets that are open, and whether a string or comment of several lines is."""
        from pygments.token import Operator, Punctuation, String

        depth = 0
        open_text = False
        for kind, part in self.lexer(ensurenl=False).get_tokens(text):
            if kind in Punctuation or kind in Operator or kind in String.Interpol:
                depth += sum(part.count(c) for c in _OPEN) - sum(part.count(c) for c in _CLOSED)
            elif kind in String.Backtick and part == "`":
                open_text = not open_text
        if self.session.language == "python":
            open_text = text.count('"""') % 2 == 1 or text.count("'''") % 2 == 1
        return depth, open_text

    def indentation(self, document: "Document") -> str:
        """What the next line begins with."""
        line = document.current_line_before_cursor
        indent = line[: len(line) - len(line.lstrip())]
        opens = (
            line.rstrip().endswith(":") if self.session.language == "python" else line.rstrip()[-1:] in ("{", "(", "[")
        )
        return indent + ("    " if opens else "")

    # ---- the loop ----

    def run(self) -> int:
        print(f"{self.session.language} in a sandbox; :help tells more, Ctrl-D ends")
        while True:
            try:
                return self._until_left()
            except KeyboardInterrupt:
                # At the prompt it clears the line; between two lines, such as while a result is shown, it does nothing.
                continue

    def _until_left(self) -> int:
        while True:
            try:
                code = self.prompt.prompt(">>> ")
            except EOFError:
                return OK
            if not code.strip():
                continue
            if code.startswith(":"):
                if not self.command(code.strip()):
                    return OK
                continue
            self.cell(code)

    def cell(self, code: str) -> None:
        """Runs one cell and shows what it gives. Ctrl-C meanwhile ends the cell and not the loop."""
        out = Writer(self.session)
        ends_line = [True]

        def write(name: str, data: bytes) -> None:
            ends_line[0] = data.endswith(b"\n")
            out(name, data)

        try:
            result = self.session.run(code, on_output=write)
        except KeyboardInterrupt:
            # The session has ended the cell by then, and kept what it had.
            print("\nKeyboardInterrupt: the cell was stopped, its variables are kept", flush=True)
            return
        if not ends_line[0]:
            print()
        show(result)
        out.tell_left_out()
        sys.stdout.flush()

    def command(self, line: str) -> bool:
        """Does what a line with a colon says; False: the loop ends."""
        if line == ":quit":
            return False
        if line == ":reset":
            self.session.reset_blocking()
            print("all variables are gone")
        elif line == ":vars":
            self.variables()
        elif line == ":help":
            print("\n".join(f"{name:8} {what}" for name, what in COMMANDS.items()))
        else:
            print(f"there is no command {line.split()[0]!r}; there are: {', '.join(COMMANDS)}")
        return True

    def variables(self) -> None:
        """Shows what the session holds."""
        found = self.session.describe()
        if not found:
            print("no variables")
        for one in found:
            size = "" if one.size is None else f" ({one.size})"
            print(harmless(f"{one.name}: {one.type}{size}  {one.preview}")[:_MAX_COLUMNS])


def _completer(session: "Session") -> "Completer":
    from prompt_toolkit.completion import CompleteEvent, Completer, Completion

    class Names(Completer):
        """Asks the session. Whatever goes wrong there, a prompt without names is better than none."""

        def get_completions(self, document: "Document", complete_event: CompleteEvent) -> Iterable[Completion]:
            if document.text.startswith(":"):
                yield from (
                    Completion(name, -len(document.text)) for name in COMMANDS if name.startswith(document.text)
                )
                return
            try:
                found = session.complete(document.text, document.cursor_position)
            except WasmhostError:
                return
            start = found.start - document.cursor_position
            for name in found.names:
                shown = harmless(name)
                if shown == name:
                    yield Completion(name, start)

    return Names()


def _lexer(language: str) -> Any:
    from pygments.lexers import get_lexer_by_name

    return type(get_lexer_by_name(language))


def history_file(language: str) -> str | None:
    """Where the lines are kept: a file for its owner only; None: it cannot be made."""
    state = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    folder = os.path.join(state, "wasmhost")
    path = os.path.join(folder, f"history-{language}")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600))
    except OSError:
        return None
    return path


__all__ = ["repl"]
