"""What the host API raises. A cell that fails is a result, never an exception: only misuse and a broken
installation raise."""


class WasmhostError(Exception):
    """Base of everything that wasmhost raises on purpose."""


class EngineError(WasmhostError):
    """wasmtime is missing, of a wrong version, or refuses its configuration."""


class ImageError(WasmhostError):
    """The image of a guest is missing, damaged, or does not fit."""


class LimitsError(WasmhostError, ValueError):
    """A limit is out of its range; the text says which and what is allowed."""


class SessionBusy(WasmhostError):
    """``run`` was called while a cell of the session runs, or more than eight calls of ``execute`` wait."""


class SessionClosed(WasmhostError):
    """The session was closed."""


class SessionLost(WasmhostError):
    """The session belongs to another process: it was made before ``os.fork()``."""


class ProtocolError(WasmhostError):
    """A guest gave back something that no well-behaved guest gives. Internal: it ends a cell as a failure."""
