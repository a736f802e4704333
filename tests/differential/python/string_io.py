import io
s = io.StringIO("line 1\nline 2\r\nlast")
s.readline(), s.read(3), s.tell(), list(s), s.seek(0), s.readlines(), s.getvalue()
# --- cell
b = io.BytesIO(b"abcdef")
b.read(2), b.seek(-1, 2), b.read(), b.write(b"gh"), b.getvalue(), b.getbuffer()[:2].tobytes()
# --- cell
t = io.TextIOWrapper(io.BytesIO("é\r\nx".encode()), encoding="utf-8")
t.read(), t.newlines, io.StringIO("a\r\nb", newline=None).read()
# --- cell
s.close()
s.read()
