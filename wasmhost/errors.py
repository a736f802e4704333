"""What the host API raises. A cell that fails is a result, never an exception: only misuse and a broken
installation raise."""


class WasmhostError(Exception):
    """Base of everything that wasmhost raises on purpose."""


class EngineError(WasmhostError):
    """wasmtime is missing, of a wrong version, or refuses its configuration; or the process has no address space,
    memory or threads for a sandbox."""


class ImageError(WasmhostError):
    """The image of a guest is missing, damaged, or does not fit."""


class LimitsError(WasmhostError, ValueError):
    """A limit is out of its range; the text says which and what is allowed."""


class SettingsError(WasmhostError, ValueError):
    """A setting that is not known, or does not fit; the text names the file or variable, the key, and what is
    allowed."""


class SessionBusy(WasmhostError):
    """``run`` was called while a cell of the session runs, or more than eight calls of ``execute`` wait."""


class SessionClosed(WasmhostError):
    """The session was closed."""


class SessionLost(WasmhostError):
    """The session belongs to another process: it was made before ``os.fork()``."""


class SnapshotError(WasmhostError, ValueError):
    """A snapshot that cannot be restored here; the text says why and what to do."""


class ReplayError(WasmhostError, ValueError):
    """A replay log that cannot be read, or that is not for this runtime; the text says which line and why."""


class StoreError(WasmhostError):
    """A store cannot be opened, or an entry of it not be read or written; the text says which and why."""


class HostFull(WasmhostError):
    """A host has no room for another session in memory: all that are there are in use."""


class AlreadyResumed(WasmhostError):
    """A suspended cell was gone on with, and nobody knows how far it came; the text says what can be done."""


class ProtocolError(WasmhostError):
    """A guest gave back something that no well-behaved guest gives. Internal: it ends a cell as a failure."""


class CapabilityError(WasmhostError):
    """What a capability raises to tell the guest exactly what it means to: a message, and the name of the error that
    the guest sees.

    Args:
        message: passed to the guest as it is.
        type: name of the guest's error, such as ``"ValueError"``; one that the language does not have becomes
            ``CallError`` (Python) or an ``Error`` of that name (JavaScript).
    """

    def __init__(self, message: str, *, type: str = "CallError") -> None:
        super().__init__(message)
        self.type: str = type


class CapabilityDefinitionError(WasmhostError, TypeError):
    """A capability that cannot be offered as it is defined; the text says what to change."""
