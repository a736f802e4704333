"""Packs: ready capabilities for files, a shell, HTTP and model sampling (``docs/packs.md``)."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._files import files
    from ._http import Fetched, HttpRule, Secret, http
    from ._sampling import Sampled, sampling
    from ._shell import shell
    from .pack import Pack

# Where each name lives; loaded at first use, as in the package itself. A module must not have the name of a function:
# importing it would put the module in the function's place.
_HOMES = {
    "Fetched": "_http",
    "HttpRule": "_http",
    "Pack": "pack",
    "Sampled": "_sampling",
    "Secret": "_http",
    "files": "_files",
    "http": "_http",
    "sampling": "_sampling",
    "shell": "_shell",
}

__all__ = ["Fetched", "HttpRule", "Pack", "Sampled", "Secret", "files", "http", "sampling", "shell"]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'wasmhost.packs' has no attribute {name!r}")
    module = __import__(f"wasmhost.packs.{home}", fromlist=(name,))
    value: object = getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
