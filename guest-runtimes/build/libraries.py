# ruff: noqa: SIM905 - long lists of words are easier to read and change as words
"""The C libraries inside the CPython guest: zlib, bzip2, liblzma and SQLite. Headers in include/, archives in lib/.

Never with link-time optimisation: calls into them are few and long, and it would add half a minute to each link.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from fetch import Fetcher
from pins import Source
from stage import Key, Stage, Store
from toolchain import HERE, Toolchain
from unpack import extract

ZLIB = "adler32 crc32 deflate infback inffast inflate inftrees trees zutil compress uncompr".split()

BZIP2 = "blocksort huffman crctable randtable compress decompress bzlib".split()
# Without stdio bzip2 asks its user what to do when it finds itself broken.
BZIP2_ERROR = "void bz_internal_error(int code) { (void)code; __builtin_trap(); }\n"

XZ = """
    check/check check/crc32_fast check/crc64_fast check/sha256
    common/common common/block_util common/easy_preset common/filter_common common/index common/stream_flags_common
    common/string_conversion common/vli_size
    common/alone_encoder common/block_buffer_encoder common/block_encoder common/block_header_encoder
    common/easy_buffer_encoder common/easy_encoder common/easy_encoder_memusage common/filter_buffer_encoder
    common/filter_encoder common/filter_flags_encoder common/index_encoder common/stream_buffer_encoder
    common/stream_encoder common/stream_flags_encoder common/vli_encoder
    common/alone_decoder common/auto_decoder common/block_buffer_decoder common/block_decoder
    common/block_header_decoder common/easy_decoder_memusage common/file_info common/filter_buffer_decoder
    common/filter_decoder common/filter_flags_decoder common/index_decoder common/index_hash
    common/stream_buffer_decoder common/stream_decoder common/stream_flags_decoder common/vli_decoder
    common/lzip_decoder
    delta/delta_common delta/delta_decoder delta/delta_encoder
    lz/lz_decoder lz/lz_encoder lz/lz_encoder_mf
    lzma/fastpos_table lzma/lzma2_decoder lzma/lzma2_encoder lzma/lzma_decoder lzma/lzma_encoder
    lzma/lzma_encoder_optimum_fast lzma/lzma_encoder_optimum_normal lzma/lzma_encoder_presets
    rangecoder/price_table
    simple/arm simple/arm64 simple/armthumb simple/ia64 simple/powerpc simple/riscv simple/simple_coder
    simple/simple_decoder simple/simple_encoder simple/sparc simple/x86
""".split()
_XZ_FILTERS = "X86 POWERPC IA64 ARM ARMTHUMB ARM64 SPARC RISCV DELTA LZMA1 LZMA2".split()
XZ_DEFINES = [
    *"HAVE_STDBOOL_H HAVE__BOOL HAVE_STDINT_H HAVE_INTTYPES_H HAVE_STRINGS_H HAVE_STRING_H".split(),
    *"HAVE_CHECK_CRC32 HAVE_CHECK_CRC64 HAVE_CHECK_SHA256 HAVE_ENCODERS HAVE_DECODERS HAVE_LZIP_DECODER".split(),
    *"HAVE_VISIBILITY=0 TUKLIB_SYMBOL_PREFIX=lzma_ SIZEOF_SIZE_T=4 ASSUME_RAM=128 TUKLIB_FAST_UNALIGNED_ACCESS".split(),
    *(f"HAVE_{way}_{name}" for way in ("ENCODER", "DECODER") for name in _XZ_FILTERS),
    *(f"HAVE_MF_{name}" for name in "HC3 HC4 BT2 BT3 BT4".split()),
]
XZ_FOLDERS = "common check lz rangecoder lzma delta simple".split()

# In memory only: the file system layer is sqlite_vfs.c, which opens nothing.
SQLITE_DEFINES = """
    SQLITE_OS_OTHER=1 SQLITE_THREADSAFE=0 SQLITE_OMIT_LOAD_EXTENSION SQLITE_OMIT_WAL SQLITE_TEMP_STORE=3
    SQLITE_OMIT_DEPRECATED SQLITE_DEFAULT_MEMSTATUS=0 SQLITE_ENABLE_FTS5 SQLITE_ENABLE_RTREE
    SQLITE_ENABLE_MATH_FUNCTIONS SQLITE_ENABLE_COLUMN_METADATA
""".split()


def _defines(names: Sequence[str]) -> list[str]:
    return [f"-D{name}" for name in names]


def stage(store: Store, fetcher: Fetcher, chain: Toolchain, sources: dict[str, Source]) -> Stage:
    zlib, bzip2, xz, sqlite = (sources[name] for name in ("zlib", "bzip2", "xz", "sqlite"))
    flags = ["-O3", "-w", "-DNDEBUG"]
    vfs = HERE / "sqlite_vfs.c"

    def build(folder: Path, log: Path) -> None:
        src, obj = folder / "src", folder / "obj"
        for part in (src, obj, folder / "include", folder / "lib"):
            part.mkdir()
        extract(fetcher.verified(zlib), src / "zlib")
        extract(fetcher.verified(bzip2), src / "bzip2")
        extract(fetcher.verified(xz), src / "xz", inside="src")
        extract(fetcher.verified(sqlite), src / "sqlite", inside="deps/sqlite3")
        (src / "bzip2" / "error.c").write_text(BZIP2_ERROR, encoding="ascii")
        lzma = src / "xz" / "liblzma"
        xz_flags = [
            f"-I{src / 'xz' / 'common'}",
            f"-I{lzma / 'api'}",
            *(f"-I{lzma / name}" for name in XZ_FOLDERS),
            *_defines(XZ_DEFINES),
        ]
        plan: dict[str, list[tuple[Path, list[str]]]] = {
            "libsqlite3.a": [
                (src / "sqlite" / "sqlite3.c", _defines(SQLITE_DEFINES)),
                (vfs, [f"-I{src / 'sqlite'}"]),
            ],
            "libz.a": [(src / "zlib" / f"{name}.c", []) for name in ZLIB],
            "libbz2.a": [(src / "bzip2" / f"{name}.c", ["-DBZ_NO_STDIO"]) for name in [*BZIP2, "error"]],
            "liblzma.a": [(lzma / f"{name}.c", xz_flags) for name in XZ],
        }
        jobs, members = [], {}
        for archive, files in plan.items():
            members[archive] = [obj / f"{archive}-{file.stem}.o" for file, _ in files]
            jobs += [(file, out, [*flags, *own]) for (file, own), out in zip(files, members[archive], strict=True)]
        chain.compile(jobs, folder, log)
        for archive, objects in members.items():
            chain.archive(folder / "lib" / archive, objects, log)
        for header in ("zlib/zlib.h", "zlib/zconf.h", "bzip2/bzlib.h", "sqlite/sqlite3.h", "sqlite/sqlite3ext.h"):
            shutil.copy(src / header, folder / "include")
        shutil.copytree(lzma / "api", folder / "include", dirs_exist_ok=True)
        for part in (src, obj):
            shutil.rmtree(part)
        chain.clean(folder)

    key = Key().text(*(source.sha256 for source in (zlib, bzip2, xz, sqlite))).text(*flags)
    key.file(Path(__file__)).file(HERE / "toolchain.py").file(vfs)
    return store.stage("libraries", "zlib, bzip2, liblzma, SQLite", key, build, needs=[chain.stage])
