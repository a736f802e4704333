# mechanism: sort of much
# kind: endless
# ends: soft hard

x = [str(n) for n in range(10**5)] * 20
x.sort()
x.sort(reverse=True)
sorted(x * 9)
