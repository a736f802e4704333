for i in range(5):
    if i == 1: continue
    if i == 3: break
    print(i)
else:
    print("not here")
i
# --- cell
for i in []: pass
else: print("empty")
# --- cell
n = 0
while True:
    n += 1
    if n > 3: break
else: print("no")
while n: n -= 1
else: print("yes", n)
# --- cell
for x in [1, 2, 3]:
    x = 10
x, [y for y in (1,)], [(a, b) for a in "ab" for b in "cd" if a != b]
# --- cell
l = [1, 2, 3, 4]
for v in l: l.remove(v)
l
# --- cell
for a.b in [1]: pass
