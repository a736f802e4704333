import errno
repr(OSError(errno.ENOENT, "x")), errno.ENOENT
# --- cell
2.0 ** 10000
