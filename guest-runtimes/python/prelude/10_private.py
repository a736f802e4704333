"""Copies of standard modules that only the machinery sees.

A cell may do what it likes to `traceback` or `textwrap`; its errors must be shown all the same. The copies are made from the
same frozen code, with builtins and imports of their own.
"""

import _imp
import sys
import types


class suppress:
    """contextlib.suppress, but reached without contextlib."""

    def __init__(self, *types):
        self._types = types

    def __enter__(self):
        pass

    def __exit__(self, kind, exc, tb):
        return kind is not None and issubclass(kind, self._types)


def copy_of(name, imports=None, **replaced):
    """Runs the frozen code of module `name` once more. `imports`: what its own import statements get, before all else."""
    original_import = __import__
    table = dict(imports or {})

    def import_(name, globals=None, locals=None, fromlist=(), level=0):
        found = None if level else table.get(name)
        return found if found is not None else original_import(name, globals, locals, fromlist, level)

    module = types.ModuleType(name)
    names = module.__dict__
    names["__builtins__"] = dict(__builtins__, __import__=import_)
    exec(_imp.get_frozen_object(name), names)
    names.update(replaced)
    return module


def frozen_view(module, *names):
    """The attributes of a module as they are now."""
    return types.SimpleNamespace(**{name: getattr(module, name) for name in names})


ast = copy_of("ast")
textwrap = copy_of("textwrap")
keyword = copy_of("keyword")

# Function objects below are used by other files of the prelude under these names.
getframe = sys._getframe
