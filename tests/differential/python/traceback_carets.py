data = {"a": {"b": [1, 2, 3]}}
data["a"]["b"][5] + 1
# --- cell
(1 + 2) / (len([]) * 3)
# --- cell
f = lambda x, y: x.upper() + y.nothing
f("a", "b")
# --- cell
result = (data["a"]
          ["c"]
          [0])
