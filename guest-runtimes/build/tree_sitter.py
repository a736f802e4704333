"""The parser of TypeScript in the JavaScript guest: tree-sitter and a grammar. Headers in include/, archive in lib/."""

from __future__ import annotations

import shutil
from pathlib import Path

from fetch import Fetcher
from pins import Source
from stage import Key, Stage, Store
from toolchain import HERE, Toolchain
from unpack import extract

# lib.c is all of the library, with its debugging aids, which nothing calls, and without its WebAssembly loader.
FLAGS = ["-O2", "-w", "-DNDEBUG", "-D_GNU_SOURCE", "-DTREE_SITTER_HIDE_SYMBOLS"]


def stage(store: Store, fetcher: Fetcher, chain: Toolchain, core: Source, grammar: Source) -> Stage:
    def build(folder: Path, log: Path) -> None:
        src, obj, out = folder / "src", folder / "obj", folder / "lib"
        for part in (src, obj, out):
            part.mkdir()
        extract(fetcher.verified(core), src / "core", inside="tree_sitter/core/lib")
        extract(fetcher.verified(grammar), src / "grammar", inside="typescript/src")
        extract(fetcher.verified(grammar), src / "grammar" / "common", inside="common")
        shutil.copytree(src / "core" / "include", folder / "include")
        # the scanner asks for ../../common/scanner.h
        scanner = src / "grammar" / "scanner.c"
        text = scanner.read_text(encoding="utf-8").replace("../../common/", "common/")
        scanner.write_text(text, encoding="utf-8")
        core_flags = [f"-I{src / 'core' / 'include'}", f"-I{src / 'core' / 'src'}"]
        grammar_flags = [f"-I{src / 'grammar'}"]
        jobs = [
            (src / "grammar" / "parser.c", obj / "grammar.o", [*FLAGS, *grammar_flags]),
            (scanner, obj / "scanner.o", [*FLAGS, *grammar_flags]),
            (src / "core" / "src" / "lib.c", obj / "core.o", [*FLAGS, *core_flags]),
        ]
        chain.compile(jobs, folder, log)
        chain.archive(out / "libtree-sitter-typescript.a", [o for _, o, _ in jobs], log)
        for part in (src, obj):
            shutil.rmtree(part)
        chain.clean(folder)

    key = Key().text("tree-sitter 1", core.sha256, grammar.sha256, *FLAGS)
    key.file(Path(__file__)).file(HERE / "toolchain.py")
    return store.stage("tree-sitter", "tree-sitter with the grammar of TypeScript", key, build, needs=[chain.stage])
