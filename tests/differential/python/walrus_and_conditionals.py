if (n := len("hello")) > 3:
    print(n)
# --- cell
while (n := n - 1) > 2:
    print(n)
# --- cell
1 < 2 < 3 > 2, not 0 or 1 and [], "" or "default", [] and 1
# --- cell
1 if [] else 2 if {} else 3
# --- cell
any(found := x for x in [0, "", 5, 6]), found
