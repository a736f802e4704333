import sys, __main__
value = 5
__name__, __main__.value, sys.modules["__main__"] is __main__
# --- cell
__main__.other = 6
other
# --- cell
class Here: pass
Here.__module__, Here
# --- cell
globals() is vars(__main__), "value" in globals(), __doc__
