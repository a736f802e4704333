text = """the cat sat on the mat
the end"""
from collections import Counter
Counter(text.split()).most_common(1), len(text.splitlines()), max(text.split(), key=len), {len(w): w for w in text.split()}
# --- cell
for n, line in enumerate(text.splitlines(), 1):
    print(f"{n:>3}: {line.title()!r}")
# --- cell
"".join(sorted(set(text) - set(" \n"))), text.translate({ord("a"): "4", ord("e"): None})[:12]
