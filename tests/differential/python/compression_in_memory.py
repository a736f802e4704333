import gzip, bz2, lzma, io, zipfile, tarfile
text = b"spam and eggs " * 40
[len(m.decompress(m.compress(text))) for m in (gzip, bz2, lzma)]
# --- cell
buffer = io.BytesIO()
with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("a/b.txt", text)
    z.writestr("c.txt", "é")
with zipfile.ZipFile(buffer) as z:
    print(z.namelist(), z.read("c.txt").decode(), z.getinfo("a/b.txt").file_size, z.testzip())
# --- cell
out = io.BytesIO()
with tarfile.open(fileobj=out, mode="w:gz") as t:
    info = tarfile.TarInfo("x"); info.size = 3
    t.addfile(info, io.BytesIO(b"abc"))
out.seek(0)
with tarfile.open(fileobj=out) as t:
    print([(m.name, m.size) for m in t], t.extractfile("x").read())
# --- cell
gzip.decompress(b"not gzip")
