"""Names of capabilities as a guest writes them: attributes of ``tools``, and bare names."""

import builtins
from keyword import iskeyword

# What a JavaScript guest has as globals, or cannot take as a name: a capability of that name is only in `tools`.
_JAVASCRIPT_TAKEN_WORDS = """
AbortController AbortSignal CustomEvent Event EventTarget clearImmediate setImmediate AggregateError Array
ArrayBuffer AsyncDisposableStack AsyncIterator BigInt BigInt64Array BigUint64Array Boolean CallSite DOMException
DataView Date DisposableStack Error EvalError FinalizationRegistry Float16Array Float32Array Float64Array Function
Infinity Int16Array Int32Array Int8Array InternalError Iterator JSON Map Math NaN Number Object Promise Proxy
RangeError ReferenceError Reflect RegExp Set String SuppressedError Symbol SyntaxError TextDecoder TextEncoder
TypeError URIError URL URLSearchParams Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet
atob btoa clearInterval clearTimeout console crypto decodeURI decodeURIComponent encodeURI encodeURIComponent escape
eval getTool globalThis isFinite isNaN listTools parseFloat parseInt performance queueMicrotask registerTool
setInterval setTimeout structuredClone tools undefined unescape unregisterTool constructor hasOwnProperty
isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf __defineGetter__ __defineSetter__
__lookupGetter__ __lookupSetter__ __proto__ arguments await break case catch class const continue debugger default
delete do else enum export extends false finally for function if implements import in instanceof interface let new
null package private protected public return static super switch this throw true try typeof var void while with
yield
"""
_JAVASCRIPT_TAKEN = frozenset(_JAVASCRIPT_TAKEN_WORDS.split())
# Of the guest's own, beside what this Python has; and what only an interactive Python has.
_PYTHON_OWN_WORDS = """
tools registerTool unregisterTool listTools getTool register_tool unregister_tool list_tools get_tool
PythonFinalizationError _IncompleteInputError _ __
"""
_PYTHON_TAKEN = frozenset([*dir(builtins), *_PYTHON_OWN_WORDS.split()])


def attribute(name: str) -> str:
    """How a name is written as an attribute in a guest: dots make namespaces, other odd characters become ``_``."""
    return ".".join("".join(c if c.isalnum() or c == "_" else "_" for c in part) for part in name.split("."))


def is_written(name: str, language: str) -> bool:
    """Whether a name can stand after a dot in a program: no digit first, no keyword or special name of Python."""
    return name.isidentifier() and (language != "python" or not (iskeyword(name) or name.startswith("__")))


def is_bare(name: str, language: str) -> bool:
    """Whether a guest has the first part of a capability's attribute as a bare name."""
    taken = _PYTHON_TAKEN if language == "python" else _JAVASCRIPT_TAKEN
    return name not in taken and is_written(name, language)
