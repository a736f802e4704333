d = {"a": 1, "b": 2}
d |= {"c": 3}; d.setdefault("d", []).append(1); d.pop("a"), d, list(d), d.get("z"), d.get("z", 0), "b" in d, d | {"b": 9}
# --- cell
dict(zip("ab", (1, 2))), dict(a=1), dict.fromkeys("xy", 0), {1: "int", 1.0: "float", True: "bool"}, {**{}, (1, 2): 3}, dict([("k", "v")])
# --- cell
list({"a": 1}.items()), {"a": 1}.keys() & {"a", "b"}, {"a": 1} == {"a": 1.0}, list(reversed({"a": 1, "b": 2})), {"x": {"y": 1}}["x"]["y"]
# --- cell
d["nope"]
# --- cell
{[]: 1}
# --- cell
for k in d: d[k + "!"] = 1
# --- cell
d.clear(); d["self"] = d; d
# --- cell
del d["missing"]
# --- cell
class Default(dict):
    def __missing__(self, key): return f"<{key}>"
Default(a=1)["b"], "{a}{b}".format_map(Default(a=1))
