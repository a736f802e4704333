import sys
sys.maxsize, len(range(2**31 - 1)), hash(2**61 - 1)
# --- cell
len(range(2**31))
