"""The runtimes: a session for each language. A bare runtime needs no host."""

from .session.session import Session


class PythonRuntime(Session):
    """A session of CPython. ``run`` (blocking) and ``execute`` (async) run cells; variables live from cell to cell
    until ``reset``."""

    language = "python"
    image_name = "python"


class JavaScriptRuntime(Session):
    """A session of QuickJS-NG. ``run`` (blocking) and ``execute`` (async) run cells; variables live from cell to
    cell until ``reset``."""

    language = "javascript"
    image_name = "quickjs"


class TypeScriptRuntime(Session):
    """A session of TypeScript on QuickJS-NG. The types are erased inside the guest and not checked. ``run`` (blocking)
    and ``execute`` (async) run cells; variables live from cell to cell until ``reset``."""

    language = "typescript"
    image_name = "quickjs"


RUNTIMES: dict[str, type[Session]] = {
    one.language: one for one in (PythonRuntime, JavaScriptRuntime, TypeScriptRuntime)
}
