"\x41\u00e9\U0001F600\N{BULLET}\101\a\b\0", r"\n\t", 'it\'s "q"', "tab\tq", "a\
b"
# --- cell
repr("\x00\x1b\x7f\x80\xa0\u200b\ud800"), ascii("é€😀"), "'", '"', "'\"", "\\"
# --- cell
print("\u2028|", "e\u0301", len("e\u0301"), len("😀"), "\U0001F468\u200d\U0001F469")
# --- cell
"a" "b" 'c', ("x"
 "y"), b"\xff\n\\", b'a"\'', bytes("é", "utf-8")
