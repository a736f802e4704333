s = "Hello, Wörld"
s.upper(), s.casefold(), s.swapcase(), s.title(), s.find("W"), s.index("l"), s.count("l"), s.replace("l", "L", 1), s[::-1], s.partition(", ")
# --- cell
"a,b,,c".split(","), " a  b ".split(), "a b c".rsplit(" ", 1), "x\ny\r\nz".splitlines(), "-".join("abc"), "abc".center(9, "*"), "7".zfill(3), "-7".zfill(4)
# --- cell
"  x ".strip(), "xxabcxx".strip("x"), "prefix-name".removeprefix("prefix-"), "a.txt".removesuffix(".txt"), "tEST".capitalize(), "ß".upper(), "İ".lower()
# --- cell
"abc".isalpha(), "12".isdigit(), "½".isnumeric(), "a1".isidentifier(), " ".isspace(), "Ab".istitle(), "".isascii(), "a\tb".expandtabs(4)
# --- cell
"aXbX".translate(str.maketrans({"X": "-", "a": None})), "abc" < "abd", "a" * 3, "é" in s, "ö" in s, ord("€"), chr(128512), "abc"[5:], "abc"[-2:]
# --- cell
"abc"[5]
# --- cell
"abc".index("z")
