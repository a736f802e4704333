import re
m = re.search(r"(?P<y>\d{4})-(?P<m>\d\d)", "on 2024-05-06")
m, m.groups(), m.groupdict(), m.span("m"), m["y"], m.start(), m.expand(r"\g<m>/\1")
# --- cell
re.findall(r"(\w)(\d)", "a1 b2"), re.split(r"[,;]\s*", "a, b;c"), re.sub(r"(\w+) (\w+)", r"\2 \1", "hello world"), re.subn("a", lambda m: m[0].upper(), "banana", count=2)
# --- cell
re.fullmatch(r"(?i)h.*o", "HELLO\n", re.S), re.match(r"(?x) a  b # comment", "ab"), [m.start() for m in re.finditer(r"(?=aa)", "aaaa")], re.findall(r"\bfoo\b", "foo foobar foo")
# --- cell
re.compile(r"(a)|(b)").sub(lambda m: str(m.lastindex), "abc"), re.escape("a.b*c"), re.findall(r"(?<!\$)\b\d+", "$5 6"), re.search(r"(?P<q>['\"]).*?(?P=q)", "say 'hi' x").group()
# --- cell
re.compile("(unclosed")
# --- cell
re.compile(r"a{2,1}|*")
# --- cell
re.findall(r"[\u00e0-\u00ff]+|\w+", "éà naïve", re.ASCII), re.sub("", "-", "abc"), re.split("(,)", "a,b"), re.match("a*+b", "aaab"), re.search(r"(?>a+)b", "aab").span()
