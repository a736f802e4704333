name, n, width = "Ann", 3.14159, 10
f"{name!r:>{width}}|{n:^{width}.2f}|{n:<{width}}|{name:*^9}", f"{n=}", f"{name.upper()=!s}", f"{{}}", f"{1 + 1}"
# --- cell
"{} {1}".format(1, 2)
# --- cell
"{0[a]} {1.real} {k!s:>4}".format({"a": 1}, 2j, k="v"), "%s %5.1f %-4d| %x %% %r %c" % ("s", 2.25, 7, 255, "q", 65), "%(a)s" % {"a": 1}
# --- cell
f"{'nested ' + f'{name + f"{n:.0f}"}'}", f"""{
    name
    # a comment
}""", f"{n:{'.' + str(2)}f}", f"{'a' if n else 'b'}", f"{lambda: 1}"
# --- cell
f"{(lambda x: x * 2)(4)}", f"{[i for i in range(3)]}", f"{ {'a': 1}['a'] }", rf"\d{n:.1f}", f'{name!a}'
# --- cell
from string import Template
Template("$who likes ${what}, $$5").substitute(who="tim", what="x"), Template("$a $b").safe_substitute(a=1)
# --- cell
f"{name:d}"
# --- cell
"%d items" % "x"
