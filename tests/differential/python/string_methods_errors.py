"a".join([1])
# --- cell
"abc".split("")
# --- cell
"x".encode("nothing")
# --- cell
"{".format()
# --- cell
"{a}".format()
# --- cell
"{:d}".format("x")
# --- cell
"a" * "b"
# --- cell
"abc"["a"]
# --- cell
chr(-1)
# --- cell
ord("ab")
# --- cell
"%s %s" % ("one",)
# --- cell
int("0x1g", 16)
