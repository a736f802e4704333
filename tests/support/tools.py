"""Calls of capabilities, written in the language of each guest."""

import json
from typing import Any

from .guests import Guest


def literal(guest: Guest, value: Any) -> str:
    """A value of JSON as source text."""
    return repr(value) if guest.name == "python" else json.dumps(value)


def call(guest: Guest, tool: str, *, sync: bool = False, **arguments: Any) -> str:
    """An expression that calls a tool and has its answer."""
    if guest.name == "python":
        given = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
        return f"tools.{tool}({given})" if sync else f"(await tools.{tool}({given}))"
    return f"(await tools.{tool}({json.dumps(arguments)}))"


def caught(guest: Guest, expression: str) -> str:
    """A cell whose value is [type, message] of what the expression throws, or its value."""
    if guest.name == "python":
        return f"try:\n    out = {expression}\nexcept Exception as e:\n    out = [type(e).__name__, str(e)]\nout"
    return f"var out; try {{ out = {expression} }} catch (e) {{ out = [e.name, e.message] }} out"
