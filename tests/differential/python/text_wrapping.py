import textwrap, difflib, pprint, reprlib, shlex
textwrap.wrap("The quick brown fox jumps over the lazy dog", 16), textwrap.dedent("  a\n    b\n"), textwrap.indent("x\n\ny", "> "), textwrap.shorten("hello wide world", 12)
# --- cell
print("\n".join(difflib.unified_diff(["a", "b", "c"], ["a", "x", "c"], "old", "new", lineterm="")))
# --- cell
difflib.get_close_matches("appel", ["ape", "apple", "peach"]), round(difflib.SequenceMatcher(None, "abcd", "bcde").ratio(), 3), reprlib.repr(list(range(100)))
# --- cell
pprint.pprint({"key": list(range(12)), "other": {"nested": "x" * 50, "b": ("tuple", 1)}}, width=50)
# --- cell
shlex.split("a 'b c' \"d\\\"e\" f\\ g"), shlex.quote("it's"), shlex.join(["x", "y z"])
# --- cell
shlex.split("'open")
