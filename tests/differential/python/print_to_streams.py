import sys
print("out"); print("err", file=sys.stderr); print("flushed", flush=True)
sys.stdout.write("written\n"), sys.stderr.write("e2\n")
# --- cell
sys.stdout.buffer.write(b"bytes\n"); sys.stdout.writelines(["a", "b", "\n"]); sys.stdout.isatty(), sys.stdout.encoding, sys.stdout.writable()
# --- cell
import io
old, sys.stdout = sys.stdout, io.StringIO()
print("captured")
text, sys.stdout = sys.stdout.getvalue(), old
text
# --- cell
sys.displayhook is not None
