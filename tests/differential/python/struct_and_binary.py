import struct
struct.pack("<ihb", 1, -2, 3), struct.unpack(">Hf", b"\x00\x01\x3f\x80\x00\x00"), struct.calcsize("<qid"), struct.pack("5s?", b"ab", True), struct.pack(">d", 1.5).hex()
# --- cell
struct.pack("b", 200)
# --- cell
struct.unpack("<i", b"123")
# --- cell
list(struct.iter_unpack("<H", b"\x01\x00\x02\x00")), struct.Struct("<BB").unpack_from(b"\x00\x01\x02", 1), struct.pack("<e", 0.5), struct.unpack("<2s2x", b"abcd")
