import tokenize, io, dis, keyword, token
[(token.tok_name[t.type], t.string) for t in tokenize.generate_tokens(io.StringIO("x = f(1)  # c\n").readline)]
# --- cell
keyword.iskeyword("async"), keyword.softkwlist, "match" in keyword.kwlist
# --- cell
import symtable
t = symtable.symtable("def f(a):\n    global g\n    return a + b", "?", "exec").get_children()[0]
t.get_name(), sorted(t.get_identifiers()), t.get_parameters(), t.get_globals()
# --- cell
[i.opname for i in dis.get_instructions(lambda x: x) if i.opname in ("LOAD_FAST", "RETURN_VALUE")]
