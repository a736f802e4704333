b = b"hello"
b[0], b[1:3], b.hex(" "), bytes.fromhex("00 ff"), b"a" in b"abc", b.replace(b"l", b"L"), b"%d-%s" % (5, b"x"), bytes(3), bytes([65, 66])
# --- cell
m = bytearray(b"abc")
m[0] = 90; m += b"d"; m.insert(1, 0); del m[-1]; m.reverse()
m
# --- cell
v = memoryview(bytearray(b"12345678"))
v[2:4] = b"xx"
bytes(v), v.cast("I").shape, v[::2].tolist(), v.nbytes, v.readonly, v == b"12xx5678"
# --- cell
b + "x"
# --- cell
m[0] = 256
# --- cell
import array
a = array.array("i", [1, 2, 3]); a.append(4); a.extend([5]); a[1:3] = array.array("i", [9])
a, a.itemsize, a.tobytes()[:8], array.array("d", [0.5])
