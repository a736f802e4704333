from collections import Counter, defaultdict, deque, OrderedDict, namedtuple, ChainMap, UserDict
c = Counter("abracadabra")
c, c.most_common(2), c - Counter("aab"), c["z"], sum(c.values()), +Counter(a=-1, b=2), Counter(a=1) | Counter(a=3)
# --- cell
d = defaultdict(list)
for w in ["apple", "avocado", "bean"]: d[w[0]].append(w)
d, dict(d), defaultdict(int, a=1)
# --- cell
q = deque([1, 2, 3], maxlen=3)
q.append(4); q.rotate(1); q.appendleft(0); q, list(q), q.popleft()
# --- cell
P = namedtuple("P", "x y", defaults=[0])
p = P(1)
p, p._replace(y=5), p._asdict(), P._fields, p == (1, 0), P._make("ab")
# --- cell
o = OrderedDict(a=1, b=2); o.move_to_end("a"); o, o.popitem(last=False), list(o)
# --- cell
m = ChainMap({"a": 1}, {"a": 2, "b": 3}); m["a"], m["b"], m.new_child({"a": 0})["a"], m.parents
# --- cell
namedtuple("Bad", "class x")
# --- cell
deque([1], maxlen=-1)
