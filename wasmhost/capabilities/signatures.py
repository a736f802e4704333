"""A capability's signature as text in the guest's language, for ``help`` and listings in the guest."""

from .capability import Capability
from .python_types import PythonTypes
from .shapes import Shapes
from .typescript_types import TypeScriptTypes

# Parts of a model that are written out; what is deeper is `any`.
_DEPTH = 3
_MAX_CHARS = 4_000


def python_signature(capability: Capability) -> str:
    """Such as ``(user_id: int, fields: list[str] | None = None) -> User``."""
    shapes = Shapes()
    types = PythonTypes(shapes)
    result = shapes.result(capability)
    parameters, _ = types.parameters(capability, shapes.arguments(capability))
    made = f"({parameters}) -> {types.of(result)}" if capability.output_schema else f"({parameters})"
    return made if len(made) <= _MAX_CHARS else "(**arguments)"


def javascript_signature(capability: Capability) -> str:
    """Such as ``(args: { user_id: number; fields?: string[] | null }): Promise<User>``."""
    shapes = Shapes()
    types = TypeScriptTypes(shapes, _DEPTH)
    result = types.of(shapes.result(capability))
    made = f"({types.arguments(shapes.arguments(capability))}): Promise<{result}>"
    return made if len(made) <= _MAX_CHARS else "(args: any): Promise<any>"
