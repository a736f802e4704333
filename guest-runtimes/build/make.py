"""GNU make, for machines that have none: from source, for this machine, with the same compiler as the guests."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
from pathlib import Path

import process
from fetch import Fetcher
from pins import Source
from report import BuildError
from stage import Key, Stage, Store
from toolchain import Toolchain
from unpack import extract


def on_this_machine() -> bool:
    program = shutil.which("make")
    if program is None:
        return False
    try:
        told = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=20, check=False).stdout
    except (OSError, subprocess.SubprocessError):
        return False
    return told.startswith("GNU Make")


def stage(store: Store, fetcher: Fetcher, chain: Toolchain, source: Source) -> Stage:
    def build(folder: Path, log: Path) -> None:
        if not sys.platform.startswith("linux"):
            raise BuildError("this machine has no GNU make: install it (macOS: xcode-select --install)")
        src = folder / "src"
        extract(fetcher.verified(source), src)
        (src / "doc").mkdir(exist_ok=True)
        (
            src / "doc" / "Makefile.in"
        ).touch()  # the documentation is left out of Debian's archive; configure asks for it
        target = f"{platform.machine().lower()}-linux-musl"
        env = chain.env(folder) | {
            "CC": f"{chain.zig} cc -target {target} -fno-sanitize=undefined -g0",
            "AR": f"{chain.zig} ar",
            "RANLIB": f"{chain.zig} ranlib",
            "CFLAGS": "-O1 -w",
            "LD": f"{chain.zig} ld.lld",  # asked for, never used
            "LDFLAGS": "-static",
            "PKG_CONFIG": "false",
        }
        process.run(
            ["./configure", "--disable-nls", "--without-guile", "--disable-dependency-tracking"],
            log=log,
            cwd=src,
            env=env,
        )
        process.run(["sh", "build.sh"], log=log, cwd=src, env=env)
        shutil.move(src / "make", folder / "make")
        shutil.rmtree(src)
        chain.clean(folder)

    key = Key().text("make 1", source.sha256)
    return store.stage("make", f"GNU make {source.version}: this machine has none", key, build, needs=[chain.stage])
