(
    1
    + 2
)
# --- cell
{
    "a": [
        1,
    ],
}
# --- cell
"""doc
string"""
# --- cell
x = 3; x + 1; x + 2
# --- cell
x; y = 1
# --- cell
lambda: 0; 5
# --- cell
if x: x
# --- cell
# only a comment
# --- cell
pass
# --- cell
[x for x in range(3)] # trailing
# --- cell
x \
+ 1
