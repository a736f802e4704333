"""Archives and patches without outside programs."""

import io
import tarfile
from pathlib import Path

import pytest


def archive(path: Path, files: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w:xz") as tar:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return path


def test_a_part_of_an_archive_is_unpacked(tmp_path: Path) -> None:
    from unpack import extract

    source = archive(tmp_path / "a.tar.xz", {"top/src/x.c": b"x", "top/src/deep/y.c": b"y", "top/doc": b"d"})
    extract(source, tmp_path / "out", inside="src")
    found = sorted(path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.c"))
    assert found == ["deep/y.c", "x.c"]
    assert not (tmp_path / "out" / "doc").exists()


@pytest.mark.parametrize("name", ["/etc/x", "top/../../x"])
def test_an_archive_cannot_write_outside(tmp_path: Path, name: str) -> None:
    from report import BuildError
    from unpack import extract

    source = archive(tmp_path / "a.tar.xz", {name: b"x"})
    with pytest.raises(BuildError, match="outside"):
        extract(source, tmp_path / "out")


PATCH = b"""\
Description: two places, one of them moved
--- a/file.txt
+++ b/file.txt
@@ -2,3 +2,4 @@
 two
-three
+THREE
+and a half
 four
@@ -7,2 +8,2 @@
 seven
-eight
+EIGHT
--- /dev/null
+++ b/new/one.txt
@@ -0,0 +1,2 @@
+first
+second
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-gone
"""


def test_a_patch_changes_adds_and_removes(tmp_path: Path) -> None:
    from unpack import apply_patch

    words = ["zero", "zero", "one", "two", "three", "four", "five", "six", "seven", "eight"]
    (tmp_path / "file.txt").write_text("\n".join(words) + "\n", encoding="ascii")
    (tmp_path / "gone.txt").write_text("gone\n", encoding="ascii")
    patch = tmp_path / "x.patch"
    patch.write_bytes(PATCH)
    apply_patch(patch, tmp_path)
    wanted = "zero zero one two THREE and_a_half four five six seven EIGHT".replace("_", "~").split()
    assert (tmp_path / "file.txt").read_text(encoding="ascii") == "\n".join(wanted).replace("~", " ") + "\n"
    assert (tmp_path / "new" / "one.txt").read_text(encoding="ascii") == "first\nsecond\n"
    assert not (tmp_path / "gone.txt").exists()


def test_a_patch_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    from report import BuildError
    from unpack import apply_patch

    (tmp_path / "file.txt").write_text("two\nthree\nfive\n", encoding="ascii")
    patch = tmp_path / "x.patch"
    patch.write_bytes(PATCH)
    with pytest.raises(BuildError, match="does not fit"):
        apply_patch(patch, tmp_path)
