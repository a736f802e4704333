"""Runs the cells of a program on the Python that runs this file, as a notebook would, and tells what each gave.

Reads a JSON list of cells from standard input and writes a JSON list of objects with the names of ``programs.Cell``.
Needs nothing but the standard library.
"""

import __future__

import ast
import asyncio
import builtins
import inspect
import io
import json
import linecache
import sys
import textwrap
import traceback
import types
import warnings
from contextvars import Context
from typing import Any

# Types whose values the embedding program gets as they are, with the same repr (docs/values.md).
PLAIN = {"NoneType", "bool", "int", "float", "complex", "str", "bytes", "bytearray", "array", "Decimal", "Fraction"}
PLAIN |= {"UUID", "datetime", "date", "time", "timedelta"}


def plain(value: Any, depth: int = 0) -> bool:
    if depth > 50:
        return False
    for container in (list, tuple, set, frozenset):
        if isinstance(value, container) and type(value).__repr__ is container.__repr__:
            return all(plain(item, depth + 1) for item in value)
    if isinstance(value, dict) and type(value).__repr__ is dict.__repr__:
        return all(plain(key, depth + 1) and plain(item, depth + 1) for key, item in value.items())
    if getattr(value, "tzinfo", None) is not None and type(value.tzinfo).__name__ != "timezone":
        return False
    return type(value).__name__ in PLAIN and type(value).__module__ != "__main__"


class Stream(io.TextIOWrapper):
    buffer: io.BytesIO


class Notebook:
    def __init__(self) -> None:
        self.main = types.ModuleType("__main__")
        self.main.__dict__["__builtins__"] = __builtins__
        sys.modules["__main__"] = self.main
        self.loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self.loop)
        self.context = Context()
        self.flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        self.streams = [Stream(io.BytesIO(), "utf-8", write_through=True) for _ in range(2)]
        self.classes: dict[type, str] = {}
        inspect.getfile = self.find_file

    def find_file(self, object: Any, original: Any = inspect.getfile) -> str:
        return self.classes.get(object) or original(object) if isinstance(object, type) else original(object)

    def run(self, number: int, source: str) -> dict[str, str]:
        filename = f"<cell {number}>"
        # Cells are dedented, and their values are `_` and `__`, as in every notebook.
        source = textwrap.dedent(source)
        linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
        self.main.__dict__.pop("__warningregistry__", None)
        sys.stdout, sys.stderr = self.streams
        told = {"error": "", "shown": "", "value": ""}
        try:
            value = self.evaluate(source, filename)
            if value is not None:
                values = builtins.__dict__
                values["__"], values["_"] = values.get("_"), value
                told["shown"] = repr(value)
                if plain(value):
                    told["value"] = repr(value)
        except BaseException as error:
            told["error"] = self.text_of(error)
        for value in list(self.main.__dict__.values()):
            if isinstance(value, type) and value.__module__ == "__main__":
                self.classes.setdefault(value, filename)
        for name, stream in zip(("stdout", "stderr"), self.streams, strict=True):
            told[name] = stream.buffer.getvalue().decode()
            stream.buffer.seek(0)
            stream.buffer.truncate()
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
        return told

    def evaluate(self, source: str, filename: str) -> Any:
        tree = ast.parse(source, filename)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        codes = [compile(tree, filename, "exec", self.flags, dont_inherit=True)]
        if isinstance(last, ast.Expr):
            codes.append(compile(ast.Expression(last.value), filename, "eval", self.flags, dont_inherit=True))
        self.flags |= codes[0].co_flags & __future__.annotations.compiler_flag
        if not any(code.co_flags & inspect.CO_COROUTINE for code in codes):
            value = None
            for code in codes:
                value = self.context.run(eval, code, self.main.__dict__)
            return value

        async def all_of_it() -> Any:
            value = None
            for code in codes:
                value = eval(code, self.main.__dict__)
                if code.co_flags & inspect.CO_COROUTINE:
                    value = await value
            return value

        # Not in a copy of the context: what a cell sets is set in the next one.
        return self.loop.run_until_complete(self.loop.create_task(all_of_it(), context=self.context))

    def text_of(self, error: BaseException) -> str:
        """The traceback from the first frame of a cell on."""
        place = error.__traceback__
        while place is not None and not place.tb_frame.f_code.co_filename.startswith("<cell "):
            place = place.tb_next
        error.__traceback__ = place
        if isinstance(error, SyntaxError) and place is None:
            if error.text is None and error.filename and error.lineno:
                # What the compiler, unlike the parser, looks up in the file.
                error.text = linecache.getline(error.filename, error.lineno)
            return "".join(traceback.format_exception_only(error)).rstrip("\n")
        return "".join(traceback.format_exception(error)).rstrip("\n")


def main() -> None:
    cells = json.load(sys.stdin)
    warnings.resetwarnings()
    # As the interpreter has them for a program that it is given.
    for category in (ResourceWarning, ImportWarning, PendingDeprecationWarning, DeprecationWarning):
        warnings.simplefilter("ignore", category)
    warnings.filterwarnings("default", category=DeprecationWarning, module="__main__")
    notebook = Notebook()
    told = [notebook.run(number, source) for number, source in enumerate(cells, 1)]
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main()
