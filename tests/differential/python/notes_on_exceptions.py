error = ValueError("bad row")
error.add_note("in file a.csv")
error.add_note("two\nlines")
raise error
# --- cell
error.__notes__
