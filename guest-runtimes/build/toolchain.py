"""The compiler: zig from its wheel, with the flags that every guest is built with."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import process
from fetch import Fetcher
from pins import Source, this_platform
from report import BuildError
from stage import Key, Stage, Store
from unpack import extract

HERE = Path(__file__).resolve().parent

TARGET = "wasm32-wasi"
# -Wno-date-time: SOURCE_DATE_EPOCH stands for the date. -g0: zig adds debug information by default, 30 MB of it.
COMMON = ("-target", TARGET, "-Wno-deprecated", "-Wno-date-time", "-g0")
# What every guest is linked with: a reactor, 8 MiB of shadow stack below everything else, and the stack pointer
# exported, which the image and the snapshots need.
LINK = ("-s", "-mexec-model=reactor", "-Wl,-z,stack-size=8388608", "-Wl,--export=__stack_pointer")
EMULATED = ("-lwasi-emulated-signal", "-lwasi-emulated-getpid", "-lwasi-emulated-process-clocks")
SOURCE_DATE_EPOCH = "1700000000"


@dataclass(frozen=True)
class Toolchain:
    stage: Stage  # zig and, in it, a compiled libc
    fast: bool

    @property
    def zig(self) -> Path:
        return self.stage.path / "zig"

    @property
    def lto(self) -> tuple[str, ...]:
        return () if self.fast else ("-flto=full",)

    def env(self, scratch: Path) -> dict[str, str]:
        """zig's object cache takes an object of another folder for the one that is wanted: each result has its own."""
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
        return {
            "PATH": os.defpath,
            **kept,
            "LC_ALL": "C",
            "TZ": "UTC",
            "SOURCE_DATE_EPOCH": SOURCE_DATE_EPOCH,
            "ZIG_GLOBAL_CACHE_DIR": str(self.stage.path / "global"),
            "ZIG_LOCAL_CACHE_DIR": str(scratch / ".zig"),
        }

    def cc(self, *arguments: str | Path) -> list[str | Path]:
        return [self.zig, "cc", *COMMON, *arguments]

    def compile(
        self, sources: Sequence[tuple[Path, Path, Sequence[str | Path]]], scratch: Path, log: Path, lanes: int = 1
    ) -> None:
        """Compiles (source, object, flags)."""
        env = self.env(scratch)

        def one(job: tuple[Path, Path, Sequence[str | Path]]) -> None:
            source, out, flags = job
            process.run(self.cc(*flags, "-c", source, "-o", out), log=log, cwd=scratch, env=env)

        with ThreadPoolExecutor(lanes) as pool:
            list(pool.map(one, sources))

    def archive(self, out: Path, objects: Sequence[Path], log: Path) -> None:
        """A static library, its members in a fixed order."""
        out.unlink(missing_ok=True)
        process.run([self.zig, "ar", "rcsD", out, *sorted(objects)], log=log, env=self.env(out.parent))

    def clean(self, scratch: Path) -> None:
        shutil.rmtree(scratch / ".zig", ignore_errors=True)


def stage(store: Store, fetcher: Fetcher, source: Source) -> Stage:
    def build(folder: Path, log: Path) -> None:
        if not fetcher.path(source).is_file():
            raise BuildError(f"{source.file} is no longer in the cache: build again")
        extract(fetcher.verified(source), folder, inside="ziglang", strip=0)
        (folder / "zig").chmod(0o755)
        # The first use compiles libc and compiler-rt: here, so that it is seen where the time goes.
        scratch = folder / "warm-up"
        scratch.mkdir()
        (scratch / "main.c").write_text("int main(void) { return 0; }\n", encoding="ascii")
        chain = Toolchain(_Here(folder), fast=True)  # type: ignore[arg-type]
        for extra in (("-mexec-model=reactor",), ("-flto=full", "-mexec-model=reactor")):
            argv = chain.cc(*extra, "-O2", scratch / "main.c", "-o", scratch / "main.wasm", *EMULATED, "-lm")
            process.run(argv, log=log, cwd=scratch, env=chain.env(scratch))
        shutil.rmtree(scratch)

    key = Key().text("toolchain 1", source.sha256, this_platform(), *COMMON)
    return store.stage("toolchain", f"zig {source.version} and its libc for WebAssembly", key, build)


@dataclass(frozen=True)
class _Here:
    path: Path
