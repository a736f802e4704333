"""Which pages of a guest's memory differ from its image, and copies of them: checkpoints.

Memory is mapped copy-on-write, so on Linux the kernel knows: a page of ours is private, one of the image is not.
Three ways, the first that works here: the ``PAGEMAP_SCAN`` ioctl (Linux 6.7), reading ``/proc/self/pagemap``, and
comparing with a pristine instance, which works everywhere. The first two are tried on a page that was just written
before they are trusted (gVisor and hardened containers answer with zeros).
"""

import os
import sys
from _struct import Struct
from ctypes import addressof, c_char, create_string_buffer, string_at
from errno import EMFILE, ENFILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

PAGE = 4096
Ranges = list[tuple[int, int]]
# Offset and content of each; a name of its own, since `Checkpoint.bytes` hides the type inside that class.
Pages = list[tuple[int, bytes]]

# linux/fs.h
_PAGEMAP_SCAN = 0xC0606610
_IS_FILE, _IS_PRESENT, _IS_SWAPPED, _IS_ZERO = 1 << 2, 1 << 3, 1 << 4, 1 << 5
_SCAN_ARGUMENT = Struct("<12Q")
_REGION = Struct("<3Q")
_MAX_REGIONS = 4096

# fs/proc: bit 63 present, 62 swapped, 61 page of a file or shared
_PRESENT, _SWAPPED, _SHARED = 1 << 63, 1 << 62, 1 << 61


class _Scan:
    """The ioctl: one system call, which skips what is not mapped."""

    def __init__(self) -> None:
        from fcntl import ioctl

        self._ioctl = ioctl
        self._descriptor = os.open("/proc/self/pagemap", os.O_RDONLY | os.O_CLOEXEC)

    def ranges(self, base: int, size: int) -> Ranges:
        """Pages that are private to this process, as offsets from ``base``."""
        regions = create_string_buffer(_REGION.size * _MAX_REGIONS)
        found: Ranges = []
        start, end = base, base + size
        while start < end:
            argument = bytearray(
                _SCAN_ARGUMENT.pack(
                    _SCAN_ARGUMENT.size,
                    0,
                    start,
                    end,
                    0,
                    addressof(regions),
                    _MAX_REGIONS,
                    0,
                    _IS_FILE | _IS_ZERO,
                    _IS_FILE | _IS_ZERO,
                    _IS_PRESENT | _IS_SWAPPED,
                    _IS_PRESENT,
                )
            )
            count = self._ioctl(self._descriptor, _PAGEMAP_SCAN, argument)
            for first, last, _ in _REGION.iter_unpack(string_at(addressof(regions), _REGION.size * count)):
                if found and found[-1][1] == first - base:
                    found[-1] = (found[-1][0], last - base)
                else:
                    found.append((first - base, last - base))
            walked: int = _SCAN_ARGUMENT.unpack(argument)[4]
            if walked <= start:
                break
            start = walked
        return found


class _Pagemap:
    """The file: eight bytes for each page of the memory."""

    def __init__(self) -> None:
        self._descriptor = os.open("/proc/self/pagemap", os.O_RDONLY | os.O_CLOEXEC)

    def ranges(self, base: int, size: int) -> Ranges:
        from array import array

        entries = array("Q", os.pread(self._descriptor, size // PAGE * 8, base // PAGE * 8))
        found: Ranges = []
        for index, entry in enumerate(entries):
            if entry & (_PRESENT | _SWAPPED) and not entry & _SHARED:
                offset = index * PAGE
                if found and found[-1][1] == offset:
                    found[-1] = (found[-1][0], offset + PAGE)
                else:
                    found.append((offset, offset + PAGE))
        return found


def _works(way: "_Scan | _Pagemap") -> bool:
    """Whether it reports a private page that was written, and not one that was not."""
    import mmap

    area = mmap.mmap(-1, 4 * PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    view = c_char.from_buffer(area)
    try:
        area[2 * PAGE] = 1
        return (2 * PAGE, 3 * PAGE) in way.ranges(addressof(view), 4 * PAGE)
    except OSError:
        return False
    finally:
        del view
        area.close()


_way: "_Scan | _Pagemap | None" = None
_chosen = False


def fast_way() -> "_Scan | _Pagemap | None":
    """What the kernel offers here, tried once; None: compare."""
    global _way, _chosen
    if not _chosen:
        again = False
        # A page size of 64 KiB (some aarch64 kernels) would need another granularity than ours.
        if sys.platform.startswith("linux") and os.sysconf("SC_PAGE_SIZE") == PAGE:
            kinds: tuple[Callable[[], _Scan | _Pagemap], ...] = (_Scan, _Pagemap)
            for kind in kinds:
                try:
                    way = kind()
                except (OSError, ImportError) as error:
                    again = again or getattr(error, "errno", None) in (EMFILE, ENFILE)
                    continue
                if _works(way):
                    _way = way
                    break
        _chosen = not again or _way is not None
    return _way


def _forget() -> None:
    # /proc/self was opened by the parent: its descriptor tells of the parent's memory.
    global _way, _chosen
    _way, _chosen = None, False


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def dirty_by_comparing(memory: int, size: int, pristine: int, pristine_size: int) -> Ranges:
    """Pages at address ``memory`` that differ from those at ``pristine``; what lies beyond ``pristine_size`` is
    compared with zero."""
    found: Ranges = []
    chunk = 16 * PAGE
    zero = bytes(chunk)
    for offset in range(0, size, chunk):
        length = min(chunk, size - offset)
        mine = string_at(memory + offset, length)
        theirs = string_at(pristine + offset, length) if offset < pristine_size else zero[:length]
        if mine == theirs:
            continue
        for at in range(0, length, PAGE):
            if mine[at : at + PAGE] != theirs[at : at + PAGE]:
                if found and found[-1][1] == offset + at:
                    found[-1] = (found[-1][0], offset + at + PAGE)
                else:
                    found.append((offset + at, offset + at + PAGE))
    return found


class Checkpoint:
    """The state of a guest between two cells: its pages that differ from the image, and the size of its memory.

    Between two entries a guest's stack is empty, so its stack pointer is the image's.
    """

    __slots__ = ("bytes", "memory_bytes", "pages")

    def __init__(self, pages: Pages, memory_bytes: int) -> None:
        self.pages: Pages = pages
        self.memory_bytes: int = memory_bytes
        # What it takes on the host.
        self.bytes: int = sum(len(data) for _, data in pages)


def copy_dirty(base: int, size: int, pristine: "Callable[[], tuple[int, int]]") -> Checkpoint:
    """Copies the pages of the memory at ``base`` that may differ from the image's. ``pristine`` gives address and
    size of a memory that nobody wrote to; it is asked only where the kernel does not tell."""
    way = fast_way()
    ranges = dirty_by_comparing(base, size, *pristine()) if way is None else way.ranges(base, size)
    return Checkpoint([(start, string_at(base + start, end - start)) for start, end in ranges], size)


__all__ = ["PAGE", "Checkpoint", "Ranges", "copy_dirty", "dirty_by_comparing", "fast_way"]
