def merge_sort(a):
    if len(a) < 2: return a
    m = len(a) // 2
    l, r, out = merge_sort(a[:m]), merge_sort(a[m:]), []
    while l and r: out.append((l if l[0] <= r[0] else r).pop(0))
    return out + l + r
def quick(a): return [] if not a else quick([x for x in a[1:] if x < a[0]]) + [a[0]] + quick([x for x in a[1:] if x >= a[0]])
x = [(i * 7919) % 101 for i in range(30)]
merge_sort(x) == sorted(x) == quick(x), merge_sort(x)[:5]
# --- cell
words = ["b10", "a2", "b9", "A1"]
import re
sorted(words, key=lambda w: [int(p) if p.isdigit() else p.lower() for p in re.split(r"(\d+)", w)]), sorted(words, key=str.lower, reverse=True)
