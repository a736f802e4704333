"""The loop of a chat: a question, the model's cell, its result, and back."""

import sys
from typing import TYPE_CHECKING

from ..capabilities.approval import printable
from ..errors import WasmhostError
from ..protocol.json_text import clean
from ..session.output import STREAMS
from .asking import TerminalApprover
from .chats import MAX_SNAPSHOT, ChatError, Chats, Stored, Taken
from .conversation import (
    FAILED,
    MAX_QUESTION_CHARS,
    WANTED,
    Turn,
    interrupted,
    messages,
    observation,
    system_prompt,
    wants_more,
)
from .endpoint import Endpoint, ModelError, Reply
from .reply import Unfenced, code_of
from .screen import CODE, ERR, ERROR, OUT, VALUE, Bar, Screen

if TYPE_CHECKING:
    from ..capabilities.approval import Approver
    from ..capabilities.record import CallEvent, CallRecord
    from ..results import RuntimeResult
    from ..session.session import Session

COMMANDS = {":vars": "variables", ":reset": "drops them all", ":help": "this text", ":quit": "ends"}
PROMPT = "you> "
_MOST_CALLS = 1_000
_MAX_COLUMNS = 100


class Talk:
    """One chat. All of it is for one thread but for what the session calls.

    Args:
        chats: where it is stored after each turn; None: nowhere.
        turns: cells for one question.
        observation_chars: of a result, for the model.
    """

    def __init__(
        self,
        screen: Screen,
        endpoint: Endpoint,
        chats: Chats | None,
        stored: Stored,
        turns: int = 1,
        observation_chars: int = 16_000,
    ) -> None:
        self.screen: Screen = screen
        self.endpoint: Endpoint = endpoint
        self.chats: Chats | None = chats
        self.stored: Stored = stored
        self.turns: int = turns
        self.observation_chars: int = observation_chars
        self.approver: Approver | None = TerminalApprover(screen).ask if TerminalApprover.possible() else None
        self._calls: list[CallRecord] = []
        # What the model is told with the next question.
        self._told: list[str] = []
        self._unsaved = False

    def on_event(self, event: "CallEvent") -> None:
        """Of the session: which calls a cell has begun is known also where its result is lost."""
        if event.kind == "start" and len(self._calls) < _MOST_CALLS:
            self._calls.append(event.call)

    def tell_next(self, text: str) -> None:
        """Something that the model has to know, told with the next question."""
        self.screen.line(f"[{text}]")
        self._told.append(text)

    # ---- the loop ----

    def run(self, session: "Session") -> int:
        """Talks until the person leaves; gives the exit status."""
        self._greet(session)
        while True:
            try:
                line = self._read()
                if line is None:
                    break
                if line.startswith(":"):
                    if not self._command(session, line):
                        break
                elif line:
                    self.ask(session, line)
            except KeyboardInterrupt:
                # At the prompt it clears the line; between two steps of a turn it ends the turn.
                self.screen.line("")
        if self._unsaved:
            self._save(session)
        return 0

    def _greet(self, session: "Session") -> None:
        endpoint, stored = self.endpoint, self.stored
        where = f"{endpoint.base_url}{f' (from {endpoint.source})' if endpoint.source else ''}"
        self.screen.line(f"{session.language} in a sandbox, written by {endpoint.model} at {where}")
        if not endpoint.encrypted:
            self.screen.line("[what goes there, the key too, is not encrypted]")
        if stored.turns:
            self.screen.line(f"[{len(stored.turns)} turns so far; the last question was:]")
            self.screen.block(CODE, stored.turns[-1].question[:500])
        if self.chats is not None:
            self.screen.line(f"[stored in {self.chats.path}; to go on later: wasmhost chat --resume {stored.id}]")
        self.screen.line("Ctrl-C stops an answer or a cell, Ctrl-D ends, :help tells more")

    def _read(self) -> str | None:
        """A line; None: there are no more."""
        if not sys.stdin.isatty():
            line = sys.stdin.readline(MAX_QUESTION_CHARS + 2)
            if not line:
                return None
            self.screen.line(f"{PROMPT}{printable(line.rstrip())[:200]}")
        else:
            try:
                import readline  # noqa: F401
            except ImportError:
                pass
            try:
                line = input(PROMPT)
            except EOFError:
                self.screen.line("")
                return None
        if len(line) > MAX_QUESTION_CHARS:
            self.screen.line(f"[a question has at most {MAX_QUESTION_CHARS} characters]")
            return ""
        return line.strip()

    def ask(self, session: "Session", question: str) -> None:
        """One question: a cell, and more of them where one fails or asks to go on and there may be more."""
        for number in range(1, self.turns + 1):
            turn = self._turn(session, question)
            if turn is None or number == self.turns:
                return
            if not turn.ok:
                question = FAILED
            elif wants_more(turn.code, session.language):
                question = WANTED
            else:
                return

    def _turn(self, session: "Session", question: str) -> Turn | None:
        """One cell; None: there is none, or the person has stopped it."""
        question = clean(question)
        if self._told:
            question = f"[{'; '.join(self._told)}]\n\n{question}"
        code = self._write_cell(session, question)
        if code is None:
            return None
        self._told = []
        self.screen.line("--- RuntimeResult ---")
        self._calls = []
        try:
            result = self._run_cell(session, code)
        except KeyboardInterrupt:
            # The session has ended the cell by then, and kept what it had.
            self._keep(session, Turn(question, code, interrupted(self._calls)))
            self.screen.line("[cell:stopped] by you; the variables are kept")
            return None
        turn = Turn(question, code, observation(result, self.observation_chars))
        self._keep(session, turn)
        return turn

    # ---- the model ----

    def _write_cell(self, session: "Session", question: str) -> str | None:
        self.screen.line(f"--- Code Action ({session.language}) ---")
        shown = Bar(self.screen, CODE)
        unfenced = Unfenced(shown.text)
        asked = messages(system_prompt(session, self.turns), self.stored.turns, question)
        try:
            reply = self.endpoint.ask(asked, unfenced.feed)
            unfenced.end()
            shown.end()
            code, notes = code_of(reply.text, session.language)
            if not code.strip():
                raise ModelError("there is no code in the answer")
        except ModelError as error:
            self.screen.line(f"[model:error] {error}")
            return None
        except KeyboardInterrupt:
            self.screen.line("[model:stopped] by you; the question is not kept")
            return None
        self.screen.line(f"[model:end] {self.endpoint.model} · {_spent(reply)}")
        for note in notes:
            self.screen.line(f"[note] {note}")
        return code

    # ---- the cell ----

    def _run_cell(self, session: "Session", code: str) -> "RuntimeResult":
        bars = {name: Bar(self.screen, OUT if name.endswith("stdout") else ERR) for name in STREAMS}
        result = session.run(code, on_output=lambda name, data: bars[name].data(data))
        for bar in bars.values():
            bar.end()
        if result.ok:
            if result.has_value:
                self.screen.block(VALUE, result.value_text)
        else:
            self.screen.block(ERROR, result.error.rstrip("\n"))
        for note in result.notes:
            self.screen.block(ERR, note)
        states: dict[str, int] = {}
        for call in result.calls:
            states[call.state] = states.get(call.state, 0) + 1
        parts = ["ok" if result.ok else "failed", f"{result.duration_ms:.0f} ms"]
        parts += [f"calls: {', '.join(f'{count} {state}' for state, count in states.items())}"] if states else []
        parts += [] if result.state == "kept" else [f"variables: {result.state}"]
        self.screen.line(f"[cell:end] {' · '.join(parts)}")
        return result

    # ---- keeping ----

    def _keep(self, session: "Session", turn: Turn) -> None:
        self.stored.turns.append(turn)
        self._save(session)

    def _save(self, session: "Session") -> None:
        if self.chats is None:
            return
        self._unsaved = True
        try:
            self.stored.snapshot = session.snapshot(key=self.chats.key)
            if len(self.stored.snapshot) > MAX_SNAPSHOT:
                self.screen.line("[the variables are too large to be stored]")
                self.stored.snapshot = None
        except WasmhostError as error:
            self.screen.line(f"[the variables cannot be stored: {error}]")
            self.stored.snapshot = None
        try:
            self.chats.save(self.stored)
        except Taken as error:
            self.stored.id = Chats.new_id()
            self.screen.line(f"[{error}; this one is stored as {self.stored.id} from now on]")
            self._save(session)
        except ChatError as error:
            self.screen.line(f"[not stored: {error}]")
        self._unsaved = False

    # ---- commands ----

    def _command(self, session: "Session", line: str) -> bool:
        """Does what a line with a colon says; False: the chat ends."""
        if line == ":quit":
            return False
        if line == ":reset":
            session.reset_blocking()
            self.tell_next("the person has dropped all variables")
            if self.stored.turns:
                self._save(session)
        elif line == ":vars":
            found = session.describe()
            if not found:
                self.screen.line("no variables")
            for one in found:
                size = "" if one.size is None else f" ({one.size})"
                self.screen.block(VALUE, f"{one.name}: {one.type}{size}  {one.preview}"[:_MAX_COLUMNS])
        elif line == ":help":
            for name, what in COMMANDS.items():
                self.screen.line(f"{name:8} {what}")
        else:
            self.screen.line(f"there is no command {printable(line.split()[0])}; there are: {', '.join(COMMANDS)}")
        return True


def _spent(reply: Reply) -> str:
    tokens = ["?" if count is None else str(count) for count in (reply.tokens_in, reply.tokens_out)]
    return f"{tokens[0]} in / {tokens[1]} out · {reply.milliseconds:.0f} ms"
