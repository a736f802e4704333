"""wasmhost: CPython and JavaScript in WebAssembly sandboxes, inside your Python process.

>>> from wasmhost import PythonRuntime
>>> with PythonRuntime() as rt:
...     rt.run("6 * 7").value
42
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .capabilities.approval import ApprovalRequest
    from .capabilities.capability import Capability, capability
    from .capabilities.commands import CommandHook
    from .capabilities.hooks import HookCall, HookResult, Hooks
    from .capabilities.isolation import Isolation
    from .capabilities.policy import Allow, Ask, Deny, Policy, Rule, Suspend
    from .capabilities.record import CallEvent, CallRecord
    from .capabilities.run import current_call
    from .code_runtime import CodeRuntime
    from .declarations import python_stub, typescript_declarations
    from .deterministic import Deterministic
    from .errors import (
        AlreadyResumed,
        CapabilityDefinitionError,
        CapabilityError,
        EngineError,
        HostFull,
        ImageError,
        LimitsError,
        ReplayError,
        SessionBusy,
        SessionClosed,
        SessionLost,
        SettingsError,
        SnapshotError,
        StoreError,
        WasmhostError,
    )
    from .host import Host, HostSession, SessionInfo
    from .limits import Limits
    from .media import Media
    from .protocol.frames import ErrorFrame
    from .protocol.values import BigInt, ErrorValue, Opaque
    from .results import RuntimeFailure, RuntimeResult, RuntimeSuccess, Stop
    from .runtimes import JavaScriptRuntime, PythonRuntime, TypeScriptRuntime
    from .session.look import Completion, Variable
    from .session.queue import CellQueue, CellSettled
    from .session.stream import OutputStream
    from .settings import Settings
    from .state.replay import CellReplay, Hydration, ReplayLog
    from .stores import FileStore, MemoryStore, SqliteStore, Store
    from .trace import JsonLines, Trace
    from .transcript import TranscriptError

__version__ = "0.1.0"

# Where each public name lives. Loaded at first use (PEP 562): import time is part of cold start.
_HOMES = {
    "Completion": "session.look",
    "Variable": "session.look",
    "CellSettled": "session.queue",
    "CellQueue": "session.queue",
    "SessionInfo": "host",
    "Store": "stores",
    "StoreError": "errors",
    "SqliteStore": "stores",
    "MemoryStore": "stores",
    "HostSession": "host",
    "HostFull": "errors",
    "Host": "host",
    "FileStore": "stores",
    "AlreadyResumed": "errors",
    "Allow": "capabilities.policy",
    "ApprovalRequest": "capabilities.approval",
    "Ask": "capabilities.policy",
    "BigInt": "protocol.values",
    "CallEvent": "capabilities.record",
    "CallRecord": "capabilities.record",
    "Capability": "capabilities.capability",
    "CapabilityDefinitionError": "errors",
    "CapabilityError": "errors",
    "CodeRuntime": "code_runtime",
    "CommandHook": "capabilities.commands",
    "Deterministic": "deterministic",
    "Deny": "capabilities.policy",
    "EngineError": "errors",
    "ErrorFrame": "protocol.frames",
    "ErrorValue": "protocol.values",
    "CellReplay": "state.replay",
    "Hydration": "state.replay",
    "ReplayError": "errors",
    "ReplayLog": "state.replay",
    "HookCall": "capabilities.hooks",
    "HookResult": "capabilities.hooks",
    "Hooks": "capabilities.hooks",
    "ImageError": "errors",
    "Isolation": "capabilities.isolation",
    "JavaScriptRuntime": "runtimes",
    "JsonLines": "trace",
    "Limits": "limits",
    "LimitsError": "errors",
    "Media": "media",
    "Opaque": "protocol.values",
    "OutputStream": "session.stream",
    "Policy": "capabilities.policy",
    "PythonRuntime": "runtimes",
    "Rule": "capabilities.policy",
    "RuntimeFailure": "results",
    "RuntimeResult": "results",
    "RuntimeSuccess": "results",
    "SessionBusy": "errors",
    "SessionClosed": "errors",
    "SessionLost": "errors",
    "Settings": "settings",
    "SettingsError": "errors",
    "SnapshotError": "errors",
    "Stop": "results",
    "Suspend": "capabilities.policy",
    "Trace": "trace",
    "TranscriptError": "transcript",
    "TypeScriptRuntime": "runtimes",
    "WasmhostError": "errors",
    "capability": "capabilities.capability",
    "current_call": "capabilities.run",
    "python_stub": "declarations",
    "typescript_declarations": "declarations",
}

__all__ = [
    "Allow",
    "AlreadyResumed",
    "ApprovalRequest",
    "Ask",
    "BigInt",
    "CallEvent",
    "CallRecord",
    "Capability",
    "CapabilityDefinitionError",
    "CapabilityError",
    "CellQueue",
    "CellReplay",
    "CellSettled",
    "CodeRuntime",
    "CommandHook",
    "Completion",
    "Deny",
    "Deterministic",
    "EngineError",
    "ErrorFrame",
    "ErrorValue",
    "FileStore",
    "HookCall",
    "HookResult",
    "Hooks",
    "Host",
    "HostFull",
    "HostSession",
    "Hydration",
    "ImageError",
    "Isolation",
    "JavaScriptRuntime",
    "JsonLines",
    "Limits",
    "LimitsError",
    "Media",
    "MemoryStore",
    "Opaque",
    "OutputStream",
    "Policy",
    "PythonRuntime",
    "ReplayError",
    "ReplayLog",
    "Rule",
    "RuntimeFailure",
    "RuntimeResult",
    "RuntimeSuccess",
    "SessionBusy",
    "SessionClosed",
    "SessionInfo",
    "SessionLost",
    "Settings",
    "SettingsError",
    "SnapshotError",
    "SqliteStore",
    "Stop",
    "Store",
    "StoreError",
    "Suspend",
    "Trace",
    "TranscriptError",
    "TypeScriptRuntime",
    "Variable",
    "WasmhostError",
    "capability",
    "current_call",
    "python_stub",
    "typescript_declarations",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'wasmhost' has no attribute {name!r}")
    module = __import__(f"wasmhost.{home}", fromlist=(name,))
    value: object = getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
