import json
data = {"a": [1, 2.5, None, True], "é": "x\n\u2028", "n": {"z": "\U0001F600"}}
json.dumps(data), json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
# --- cell
print(json.dumps(data, indent=2))
# --- cell
json.loads('{"a": 1e3, "b": [1, -0, 0.0, 123456789012345678901], "c": "\\u00e9\\ud83d\\ude00", "a": 2}'), json.loads("NaN"), json.loads(b'"x"')
# --- cell
json.loads("{'a': 1}")
# --- cell
json.loads('[1, 2,\n 3,]')
# --- cell
json.dumps({1, 2})
# --- cell
loop = []; loop.append(loop)
json.dumps(loop)
# --- cell
class Enc(json.JSONEncoder):
    def default(self, o): return sorted(o) if isinstance(o, set) else super().default(o)
json.dumps({"s": {2, 1}, 3: (4,), None: 1, True: 0}, cls=Enc), json.loads("[1.1]", parse_float=str), json.loads('{"a": {"b": 1}}', object_hook=lambda d: list(d))
