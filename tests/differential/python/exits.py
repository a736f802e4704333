import sys
print("before")
sys.exit("message")
# --- cell
sys.exit(3)
# --- cell
raise SystemExit
# --- cell
try:
    sys.exit(2)
except SystemExit as e:
    print("caught", e.code)
# --- cell
try:
    exit()
except BaseException as e:
    print(type(e).__name__, e.code)
