import sys
sys.version_info[:2] >= (3, 13), sys.implementation.name, sys.byteorder, sys.getrecursionlimit() > 100, sys.argv[1:] , sys.flags.optimize
# --- cell
sys.intern("abc") is sys.intern("abc"), sys.getrefcount([]) , isinstance(sys.getsizeof(1), int), sys.float_info.max, sys.int_info.bits_per_digit, sys.maxunicode
# --- cell
sys.exc_info(), sys.getdefaultencoding(), sys.hexversion > 0, "math" in sys.builtin_module_names or True
# --- cell
def frame(): return sys._getframe(1).f_code.co_name, sys._getframe().f_lineno
frame()
