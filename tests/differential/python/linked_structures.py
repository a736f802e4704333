class Node:
    def __init__(self, v, nxt=None): self.v, self.next = v, nxt
    def __iter__(self):
        n = self
        while n: yield n.v; n = n.next
    def __repr__(self): return "->".join(map(str, self))
head = Node(1, Node(2, Node(3)))
head, list(head), sum(head)
# --- cell
def reverse(n, prev=None):
    while n: n.next, prev, n = prev, n, n.next
    return prev
reverse(head)
# --- cell
class Tree:
    def __init__(self): self.root = {}
    def insert(self, w):
        n = self.root
        for c in w: n = n.setdefault(c, {})
        n["$"] = True
    def words(self, n=None, p=""):
        for k, v in sorted((self.root if n is None else n).items()):
            if k == "$": yield p
            else: yield from self.words(v, p + k)
t = Tree()
for w in ("tea", "ten", "to"): t.insert(w)
list(t.words()), t.root
# --- cell
class LRU:
    def __init__(self, n): self.n, self.d = n, {}
    def get(self, k):
        self.d[k] = self.d.pop(k)
        return self.d[k]
    def put(self, k, v):
        self.d.pop(k, None); self.d[k] = v
        if len(self.d) > self.n: del self.d[next(iter(self.d))]
c = LRU(2); c.put("a", 1); c.put("b", 2); c.get("a"); c.put("c", 3); c.d
# --- cell
c.get("b")
