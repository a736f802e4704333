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
