"""Compiles Python modules to marshalled code with freezer.wasm.

    python freeze.py FREEZER.wasm PLAN BLOB INDEX

PLAN has lines `name<TAB>path[<TAB>path to append]`; BLOB gets the code objects one after the other, INDEX lines
`name offset size`. Runs in the project's environment, which has wasmtime.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import threading
import tokenize
from collections.abc import Callable
from pathlib import Path
from typing import Any

import wasmtime

FIXED_TIME_NS = 1_700_000_000 * 10**9
WASM_STACK = 32 << 20
THREAD_STACK = 96 << 20


def source_text(path: Path) -> str:
    """The text of a module, decoded as its coding line says."""
    data = path.read_bytes()
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return data.decode(encoding).removeprefix("\ufeff").replace("\r\n", "\n")


class Freezer:
    def __init__(self, path: Path) -> None:
        config = wasmtime.Config()
        wasmtime._bindings.wasmtime_config_async_stack_size_set(config.ptr(), WASM_STACK + (1 << 20))
        config.max_wasm_stack = WASM_STACK
        engine = wasmtime.Engine(config)
        self._store = wasmtime.Store(engine)
        module = self._module(engine, path)
        linker = wasmtime.Linker(engine)
        actions: dict[str, Callable[..., Any]] = {
            "write": self._write,
            "clock": lambda caller, which: FIXED_TIME_NS,
            "random": self._fill,
        }
        for item in module.imports:
            assert isinstance(item.type, wasmtime.FuncType)
            action = actions.get(item.name or "", self._refuse)
            linker.define_func(item.module, item.name or "", item.type, action, access_caller=True)
        self._exports = linker.instantiate(self._store, module).exports(self._store)
        memory = self._exports["memory"]
        assert isinstance(memory, wasmtime.Memory)
        self._memory = memory
        self._call("_initialize")
        if self._call("freezer_init") != 0:
            raise SystemExit("the freezer does not start")

    @staticmethod
    def _module(engine: wasmtime.Engine, path: Path) -> wasmtime.Module:
        """Compiled once for each wasmtime and machine; kept beside the wasm, in the cache of the build."""
        compiled = path.with_suffix(".cwasm")
        with contextlib.suppress(wasmtime.WasmtimeError, OSError):
            return wasmtime.Module.deserialize_file(engine, str(compiled))
        module = wasmtime.Module.from_file(engine, str(path))
        partial = compiled.with_suffix(f".{os.getpid()}")
        partial.write_bytes(module.serialize())
        partial.replace(compiled)
        return module

    def _write(self, caller: wasmtime.Caller, fd: int, address: int, count: int) -> None:
        sys.stderr.write(self._read(address, count).decode(errors="replace"))

    def _fill(self, caller: wasmtime.Caller, address: int, count: int) -> None:
        self._memory.write(self._store, b"\x5a" * count, address)

    def _refuse(self, caller: wasmtime.Caller, *rest: int) -> Any:
        raise SystemExit("the freezer asked for something that only a guest may")

    def _read(self, address: int, count: int) -> bytes:
        return bytes(self._memory.read(self._store, address, address + count))

    def _call(self, name: str, *arguments: int) -> Any:
        function = self._exports[name]
        assert isinstance(function, wasmtime.Func)
        return function(self._store, *arguments)

    def _put(self, text: str) -> int:
        data = text.encode() + b"\0"
        address: int = self._call("freezer_alloc", len(data))
        self._memory.write(self._store, data, address)
        return address

    def compile(self, name: str, source: str) -> bytes | None:
        name_at, source_at = self._put(name), self._put(source)
        result = self._call("freezer_compile", name_at, source_at)
        code = self._read(result, self._call("freezer_size")) if result else None
        self._call("freezer_free", source_at)
        self._call("freezer_free", name_at)
        return code


def freeze(freezer_path: Path, plan: Path, blob: Path, index: Path) -> None:
    freezer = Freezer(freezer_path)
    data = bytearray()
    rows = []
    failed = []
    for line in plan.read_text(encoding="utf-8").splitlines():
        name, *paths = line.split("\t")
        source = "\n".join(source_text(Path(path)) for path in paths)
        code = freezer.compile(name, source)
        if code is None:
            failed.append(name)
            continue
        rows.append(f"{name} {len(data)} {len(code)}\n")
        data += code
        data += bytes(-len(data) % 8)
    if failed:
        raise SystemExit(f"not valid Python for this version: {', '.join(failed)}")
    blob.write_bytes(data)
    index.write_text("".join(rows), encoding="ascii")


def main(arguments: list[str]) -> int:
    paths = [Path(argument) for argument in arguments]
    result: list[object] = ["it ended early"]

    def run() -> None:
        try:
            freeze(*paths)
            result.clear()
        except SystemExit as error:
            result[:] = [error.code]

    threading.stack_size(THREAD_STACK)
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    for text in result:
        print(text, file=sys.stderr)
    return 1 if result else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
