import csv, io, configparser, tomllib
rows = list(csv.DictReader(io.StringIO('name,n\n"a, b",1\n"q""q",2\n')))
rows
# --- cell
out = io.StringIO()
w = csv.writer(out, delimiter=";", quoting=csv.QUOTE_MINIMAL)
w.writerows([["x;y", 1], ['"', None], ["line\nbreak", 2.5]])
out.getvalue()
# --- cell
c = configparser.ConfigParser()
c.read_string("[DEFAULT]\nhome = /h\n[app]\npath = %(home)s/x\nflag = yes\n")
c["app"]["path"], c.getboolean("app", "flag"), c.sections(), c.get("app", "zz", fallback=0)
# --- cell
tomllib.loads('a = 1\n[t]\nd = 2024-01-02\nx = [1.5, "s"]\n[[t.list]]\nk = true')
# --- cell
tomllib.loads("a = ")
# --- cell
c["nope"]
