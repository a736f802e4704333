"""Makes the image of a guest: starts the interpreter once, loads the prelude, writes its memory back into the module.

    python preinit.py GUEST.wasm PRELUDE_FOLDER OUT.wasm OUT.info

Runs in the project's environment, which has wasmtime. Clock and random numbers are fixed meanwhile, so the same guest
and prelude give the same image to the byte. The meaning of the exports is told in abi/wasmhost_abi.h.
"""

from __future__ import annotations

import hashlib
import struct
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import meter
import wasm
import wasmtime

ABI_VERSION = 4
IMAGE_VERSION = 1
INFO_MAGIC = 0x31474857
INFO = struct.Struct("<22I")
INFO_FIELDS = (
    "magic",
    "abi",
    "in_buf",
    "in_cap",
    "out_buf0",
    "out_buf1",
    "out_len0",
    "out_len1",
    "out_cap",
    "pokes",
)
MAX_POKES = 4

BUILD_ONLY = ("_initialize", "wh_init", "wh_load", "wh_seal", "wh_describe")
FIXED_TIME_NS = 1_700_000_000 * 10**9
MEMORY_LIMIT = 1 << 30
WASM_STACK = 16 << 20
THREAD_STACK = 64 << 20


class ImageFailed(Exception):
    pass


class Guest:
    """The guest while it is being prepared."""

    def __init__(self, code: bytes) -> None:
        config = wasmtime.Config()
        # max_wasm_stack above async_stack_size would abort the process, and the package does not wrap the second.
        wasmtime._bindings.wasmtime_config_async_stack_size_set(config.ptr(), WASM_STACK + (1 << 20))
        config.max_wasm_stack = WASM_STACK
        engine = wasmtime.Engine(config)
        self.store = wasmtime.Store(engine)
        self.store.set_limits(memory_size=MEMORY_LIMIT)
        self.output = bytearray()
        self._random = 0
        linker = wasmtime.Linker(engine)
        module = wasmtime.Module(engine, code)
        actions: dict[str, Callable[..., Any]] = {
            "write": self._write,
            "clock": lambda caller, which: FIXED_TIME_NS,
            "random": self._fill_random,
            "sleep": lambda caller, nanoseconds: 0,
            "exit": lambda caller, status: self._refuse(f"exit({status})"),
            "call": lambda caller, *rest: self._refuse("a host call"),
            "take": lambda caller, *rest: self._refuse("a host call"),
        }
        for item in module.imports:
            action = actions.get(item.name or "")
            if item.module != "wasmhost" or action is None or not isinstance(item.type, wasmtime.FuncType):
                raise ImageFailed(f"the guest imports {item.module}.{item.name}")
            linker.define_func("wasmhost", str(item.name), item.type, action, access_caller=True)
        self.exports = linker.instantiate(self.store, module).exports(self.store)
        memory = self.exports["memory"]
        assert isinstance(memory, wasmtime.Memory)
        self.memory = memory

    def _write(self, caller: wasmtime.Caller, fd: int, address: int, count: int) -> None:
        self.output += self.read(address & 0xFFFFFFFF, count)

    def _fill_random(self, caller: wasmtime.Caller, address: int, count: int) -> None:
        self._random += 1
        data = hashlib.shake_128(b"wasmhost image %d" % self._random).digest(count)
        self.memory.write(self.store, data, address & 0xFFFFFFFF)

    def _refuse(self, what: str) -> Any:
        raise ImageFailed(f"the guest asked for {what} while the image was made")

    def read(self, address: int, count: int) -> bytes:
        return bytes(self.memory.read(self.store, address, address + count))

    def call(self, name: str, *arguments: int) -> Any:
        function = self.exports[name]
        assert isinstance(function, wasmtime.Func)
        try:
            result = function(self.store, *arguments)
        except (wasmtime.Trap, wasmtime.WasmtimeError) as error:
            raise ImageFailed(f"{name}: {error}\n{self.output.decode(errors='replace')}") from error
        return result & 0xFFFFFFFF if isinstance(result, int) else result

    def put(self, data: bytes) -> int:
        address: int = self.call("wh_alloc", max(len(data), 1))
        if address == 0:
            raise ImageFailed("the guest has no memory")
        self.memory.write(self.store, data, address)
        return address

    def load(self, name: str, source: bytes) -> None:
        encoded = name.encode()
        name_at, source_at = self.put(encoded), self.put(source)
        self.check(f"wh_load({name})", self.call("wh_load", name_at, len(encoded), source_at, len(source)))
        self.call("wh_free", source_at)
        self.call("wh_free", name_at)

    def check(self, step: str, status: int = 0) -> None:
        """Anything printed and any status but 0 means that the image is not what was meant."""
        text = self.output.decode(errors="replace")
        if status != 0 or text:
            number = status - (1 << 32) if status >> 31 else status
            raise ImageFailed(f"{step} gave {number}" + (f" and wrote:\n{text}" if text else ""))

    def info(self) -> dict[str, int | list[int]]:
        address = self.call("wh_describe")
        numbers = INFO.unpack(self.read(address, INFO.size))
        info: dict[str, int | list[int]] = dict(zip(INFO_FIELDS, numbers[:10], strict=True))
        if info["magic"] != INFO_MAGIC or info["abi"] != ABI_VERSION:
            raise ImageFailed(
                f"wh_describe: magic {info['magic']:#x}, ABI {info['abi']}; wanted {INFO_MAGIC:#x}, {ABI_VERSION}"
            )
        count = numbers[9]
        if count > MAX_POKES:
            raise ImageFailed(f"wh_describe: {count} pokes")
        info["pokes"] = list(numbers[10 : 10 + 3 * count])
        return info

    def buffered(self, info: dict[str, Any]) -> str:
        text = b""
        for which in ("0", "1"):
            count = int.from_bytes(self.read(info[f"out_len{which}"], 4), "little")
            text += self.read(info[f"out_buf{which}"], count)
        return text.decode(errors="replace")


def prelude_name(path: Path) -> str:
    """10_private.py is loaded first and known as private."""
    number, _, name = path.stem.partition("_")
    return name if number.isdigit() and name else path.stem


def make(guest_path: Path, prelude: Path, out: Path, out_info: Path) -> None:
    code = guest_path.read_bytes()
    module = wasm.parse(code)
    guest = Guest(code)
    guest.call("_initialize")
    guest.check("wh_init", guest.call("wh_init"))
    info = guest.info()
    try:
        for path in sorted(prelude.iterdir(), key=lambda path: path.name) if prelude.is_dir() else []:
            if path.is_file() and not path.name.startswith((".", "_")):
                guest.load(prelude_name(path), path.read_bytes())
        # Sealing may run cells to warm the interpreter up, and those print.
        status = guest.call("wh_seal")
        if status == 0:
            print(f"written by wh_seal: {bytes(guest.output)!r}")
            guest.output.clear()
        guest.check("wh_seal", status)
        info = guest.info()
    except ImageFailed as failure:
        raise ImageFailed(f"{failure}\n{guest.buffered(info)}".rstrip()) from None
    if text := guest.buffered(info):
        raise ImageFailed(f"the prelude wrote:\n{text}")

    pointer_export = guest.exports["__stack_pointer"]
    assert isinstance(pointer_export, wasmtime.Global)
    pointer = int(pointer_export.value(guest.store)) & 0xFFFFFFFF
    memory = bytearray(guest.read(0, guest.memory.data_len(guest.store)))
    # The stack lies below everything else and is empty now: what calls left there is of no use and would differ.
    memory[:pointer] = bytes(pointer)
    kind, index = module.exports["__stack_pointer"]
    assert kind == wasm.GLOBAL_KIND
    image = meter.metered(wasm.with_state(module, bytes(memory), {index: pointer}, BUILD_ONLY))

    rows: list[tuple[str, object]] = [
        ("image_version", IMAGE_VERSION),
        ("abi", info["abi"]),
        ("sha256", hashlib.sha256(image).hexdigest()),
        ("memory_pages", len(memory) // wasm.PAGE),
        ("stack_pointer", pointer),
        *((field, info[field]) for field in INFO_FIELDS[2:9]),
    ]
    pokes = info["pokes"]
    assert isinstance(pokes, list)
    rows += [("poke", f"{op} {address} {value}") for op, address, value in zip(*[iter(pokes)] * 3, strict=True)]
    out.write_bytes(image)
    out_info.write_text("".join(f"{name} {value}\n" for name, value in rows), encoding="ascii")


def main(arguments: list[str]) -> int:
    guest, prelude, out, out_info = (Path(argument) for argument in arguments)
    failure = ["it ended early"]

    def run() -> None:
        try:
            make(guest, prelude, out, out_info)
            failure.clear()
        except (ImageFailed, wasm.WasmError, wasmtime.WasmtimeError, wasmtime.Trap) as error:
            failure[:] = [str(error)]

    threading.stack_size(THREAD_STACK)
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    for text in failure:
        print(f"the image cannot be made: {text}", file=sys.stderr)
    return 1 if failure else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
