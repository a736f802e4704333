1 + 1
# --- cell
_ * 10
# --- cell
x = 5
# --- cell
_
# --- cell
raise ValueError
# --- cell
_, __
# --- cell
_ = "mine"
# --- cell
"other"
# --- cell
_
