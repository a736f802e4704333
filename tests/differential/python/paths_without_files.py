from pathlib import PurePosixPath, PureWindowsPath, Path
import os.path, fnmatch
p = PurePosixPath("/a/b/../c.tar.gz")
p.name, p.suffixes, p.stem, p.parent, p.parts, p.with_suffix(".zip"), p / "x", p.is_absolute(), p.match("*.gz"), PureWindowsPath("C:\\x\\y").drive
# --- cell
os.path.join("a", "/b", "c"), os.path.normpath("a//b/../c/."), os.path.splitext("x.y.z"), os.path.commonpath(["/a/b", "/a/c"]), os.path.basename("/x/"), fnmatch.filter(["a.py", "b.txt"], "*.py")
# --- cell
PurePosixPath("/a/b").relative_to("/c")
# --- cell
os.path.exists("/no/such/thing"), Path("/no/such").is_dir(), os.sep, os.path.isabs("x")
