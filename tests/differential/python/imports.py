import math as m, os.path
from collections import abc as c, OrderedDict
from json import *
m.pi, os.path.sep, c.__name__, dumps([1])
# --- cell
import importlib.util
importlib.import_module("json.decoder").__name__, importlib.reload(importlib.import_module("colorsys")).__name__, importlib.util.find_spec("no_such_thing")
# --- cell
from json import nothing_like_this
# --- cell
import json.nothing
# --- cell
try:
    import no_such_module_at_all
except ModuleNotFoundError as e:
    print(e.name, isinstance(e, ImportError))
# --- cell
from . import x
# --- cell
import sys, types
mod = types.ModuleType("made"); exec("def f(): return __name__", mod.__dict__); sys.modules["made"] = mod
import made
made.f()
# --- cell
__import__("math").floor(2.5), __import__("os.path").__name__
