x = 6
x * 7
# --- cell
x = 1;
# --- cell
_
# --- cell
_ + 1
# --- cell
__, _
# --- cell
if x:
    "not the value of the cell"
# --- cell
None
# --- cell
"text", b"bytes", 1.5, 2j, True, ...
