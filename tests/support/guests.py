"""The two guests, and the same little programs in the language of each."""

from typing import Any

from wasmhost import JavaScriptRuntime, PythonRuntime
from wasmhost.session.session import Session


class Guest:
    def __init__(self, name: str, runtime: type[Session]) -> None:
        self.name = name
        self.runtime = runtime

    def pick(self, *, python: Any, javascript: Any) -> Any:
        """The one of the two that is for this guest."""
        return python if self.name == "python" else javascript

    @property
    def spin(self) -> str:
        return str(self.pick(python="while True: pass", javascript="for (;;) {}"))

    @property
    def spin_that_cannot_be_asked(self) -> str:
        """A loop that no soft stop ends: the host has to end the sandbox."""
        return str(
            self.pick(
                python="while True:\n    try:\n        while True: pass\n    except BaseException: pass",
                # QuickJS looks at its stop flag in loops and calls, but not inside a long built-in function.
                javascript="for (;;) 'x'.repeat(1e8).indexOf('x'.repeat(5e7) + 'y')",
            )
        )

    def out(self, text: str) -> str:
        """Prints a text, with a newline."""
        return f"print({text!r})" if self.name == "python" else f"console.log({text!r})"

    def err(self, text: str) -> str:
        if self.name == "python":
            return f"import sys; print({text!r}, file=sys.stderr)"
        return f"console.error({text!r})"

    def assign(self, name: str, expression: str) -> str:
        return f"{name} = {expression}" if self.name == "python" else f"var {name} = {expression}"

    def __repr__(self) -> str:
        return self.name


GUESTS = {"python": Guest("python", PythonRuntime), "javascript": Guest("javascript", JavaScriptRuntime)}
