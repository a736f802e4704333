2**100, -7 // 2, -7 % 3, divmod(-7, 3), 7 & 3 | 8 ^ 2, ~5, 1 << 70 >> 68, 0b101, 0o17, 0xff, 1_000_000
# --- cell
int("ff", 16), int("0b11", 0), int(" -12 "), int(3.99), (255).to_bytes(2, "little"), int.from_bytes(b"\x01\x00"), (10).bit_length(), (7).bit_count()
# --- cell
pow(3, -1, 7), pow(2, 200, 1000007), round(12345, -2), round(2.5), round(3.5), round(-0.5)
# --- cell
f"{1234567:,}", f"{255:#x}", f"{5:08b}", f"{-42:+d}", f"{1234567:_}", format(10**20, ",d"), hex(-255), oct(8), bin(-3)
# --- cell
1 // 0
# --- cell
int("12a")
# --- cell
len(str(3**5000)), 10**30 == int("1" + "0" * 30), True + True, int(True), (5).as_integer_ratio()
# --- cell
1 << -1
