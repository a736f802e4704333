"""wasmhost: CPython and JavaScript in WebAssembly sandboxes, inside your Python process.

>>> from wasmhost import PythonRuntime
>>> with PythonRuntime() as rt:
...     rt.run("6 * 7").value
42
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .code_runtime import CodeRuntime
    from .errors import EngineError, ImageError, LimitsError, SessionBusy, SessionClosed, SessionLost, WasmhostError
    from .limits import Limits
    from .protocol.frames import ErrorFrame
    from .protocol.values import BigInt, ErrorValue, Opaque
    from .results import RuntimeFailure, RuntimeResult, RuntimeSuccess, Stop
    from .runtimes import JavaScriptRuntime, PythonRuntime, TypeScriptRuntime

__version__ = "0.1.0"

# Where each public name lives. Loaded at first use (PEP 562): import time is part of cold start.
_HOMES = {
    "BigInt": "protocol.values",
    "CodeRuntime": "code_runtime",
    "EngineError": "errors",
    "ErrorFrame": "protocol.frames",
    "ErrorValue": "protocol.values",
    "ImageError": "errors",
    "JavaScriptRuntime": "runtimes",
    "Limits": "limits",
    "LimitsError": "errors",
    "Opaque": "protocol.values",
    "PythonRuntime": "runtimes",
    "RuntimeFailure": "results",
    "RuntimeResult": "results",
    "RuntimeSuccess": "results",
    "SessionBusy": "errors",
    "SessionClosed": "errors",
    "SessionLost": "errors",
    "Stop": "results",
    "TypeScriptRuntime": "runtimes",
    "WasmhostError": "errors",
}

__all__ = [
    "BigInt",
    "CodeRuntime",
    "EngineError",
    "ErrorFrame",
    "ErrorValue",
    "ImageError",
    "JavaScriptRuntime",
    "Limits",
    "LimitsError",
    "Opaque",
    "PythonRuntime",
    "RuntimeFailure",
    "RuntimeResult",
    "RuntimeSuccess",
    "SessionBusy",
    "SessionClosed",
    "SessionLost",
    "Stop",
    "TypeScriptRuntime",
    "WasmhostError",
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
