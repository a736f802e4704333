"""Tools that guest code registers (row B17): the definition is kept here, the handler in the guest."""

from collections.abc import Mapping
from typing import Any

from ..errors import CapabilityDefinitionError
from .capability import Capability
from .schema import Result, of_json_schema

PREFIX = "eval_registered__"
MAX_TOOLS = 64
MAX_NAME = 111
MAX_TEXT = 10_000
# Parts of all schemas of a session's tools, and states of their patterns.
MAX_SIZE = 30_000
_NAME_CHARS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_MANAGED = frozenset(("tools", "console", "o", "registerTool", "unregisterTool", "listTools", "getTool"))


class RegisteredTools:
    """The tools of one session. Changed by copy, so that going back to an earlier state is an assignment of
    ``tools``."""

    def __init__(self, offered: Mapping[str, Capability]) -> None:
        self._offered = offered
        self.tools: dict[str, Capability] = {}

    def find(self, public: str) -> Capability | None:
        return self.tools.get(public)

    def public_names(self) -> list[str]:
        return list(self.tools)

    def register(self, definition: Any) -> str:
        """Takes a tool on and gives its public name; one of the same name is replaced.

        Raises:
            CapabilityDefinitionError: name, schema or description do not do; the text is for the guest.
        """
        if type(definition) is not dict:
            raise CapabilityDefinitionError("a tool is defined by name, description and schema")
        name, description, schema = (definition.get(key) for key in ("name", "description", "schema"))
        if type(name) is not str or not 0 < len(name) <= MAX_NAME or not _NAME_CHARS.issuperset(name):
            given = repr(name[:120]) if type(name) is str else type(name).__name__
            raise CapabilityDefinitionError(
                f"the name of a tool has 1 to {MAX_NAME} characters out of letters, digits, _ and -, not {given}"
            )
        if name in _MANAGED or name in self._offered:
            raise CapabilityDefinitionError(
                f"{name!r} is taken: it is the name of a tool or helper of this environment"
            )
        if type(description) is not str or len(description) > MAX_TEXT:
            raise CapabilityDefinitionError(f"the description of a tool is a text of at most {MAX_TEXT} characters")
        shown = definition.get("displayName")
        if shown is not None and type(shown) is not str:
            raise CapabilityDefinitionError(f"the displayName of a tool is a text, not {type(shown).__name__}")
        if type(schema) is not dict:
            raise CapabilityDefinitionError("the schema of a tool is an object: the JSON schema of its input")
        public = PREFIX + name
        if public not in self.tools and len(self.tools) >= MAX_TOOLS:
            raise CapabilityDefinitionError(f"{MAX_TOOLS} tools are registered already; unregister one first")
        parameters = of_json_schema(schema, name)
        others = sum(tool.parameters.size for key, tool in self.tools.items() if key != public)
        if others + parameters.size > MAX_SIZE:
            raise CapabilityDefinitionError(
                f"the schemas of all registered tools are too large together ({others} and {parameters.size} of "
                f"{MAX_SIZE} parts and states of patterns); unregister one first, or ask for less"
            )
        made = Capability(
            lambda: None,
            public,
            f"Execute registered tool {name!r}",
            parameters,
            Result.of_json_schema(None, name),
            exclusive=True,
        )
        made.in_guest = True
        made.is_async = True
        made.function = name  # type: ignore[assignment]  # the guest looks its handler up by it
        made.definition = {
            "name": name,
            "publicName": public,
            "description": description,
            "schema": schema,
            "displayName": (shown or name)[:200],
        }
        self.tools = {**self.tools, public: made}
        return public

    def unregister(self, name: Any) -> bool:
        """Whether there was one of that name."""
        public = PREFIX + name if type(name) is str else ""
        if public not in self.tools:
            return False
        self.tools = {key: tool for key, tool in self.tools.items() if key != public}
        return True
