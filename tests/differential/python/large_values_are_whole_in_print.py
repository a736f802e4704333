x = list(range(2000))
print(len(str(x)), str(x)[-12:])
s = "z" * 3000
print(len(repr(s)))
len(s)
# --- cell
d = {i: {i: i} for i in range(300)}
print(len(str(d)))
