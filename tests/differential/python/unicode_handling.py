import unicodedata as u
u.normalize("NFD", "é") == "e\u0301", u.name("€"), u.lookup("SNOWMAN"), u.category("A"), u.east_asian_width("あ"), u.numeric("½"), u.combining("\u0301")
# --- cell
"ＡＢＣ".lower(), u.normalize("NFKC", "ﬁ①"), "ΣΑΣ".lower(), "straße".casefold() == "STRASSE".casefold(), sorted(["é", "z", "a", "É"])
# --- cell
"😀é".encode("utf-16-le"), "é".encode("latin-1"), "😀".encode("utf-8"), b"\xe2\x82\xac".decode(), "é".encode("ascii", "xmlcharrefreplace"), b"\xff\x41".decode("utf-8", "replace"), "é\ud800".encode("utf-8", "surrogatepass")
# --- cell
"\ud800".encode()
# --- cell
b"\xc3\x28".decode("utf-8")
# --- cell
变量 = 5; µ = 1
变量 + μ
