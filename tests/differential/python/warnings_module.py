import warnings
def old():
    warnings.warn("old() goes away", DeprecationWarning, stacklevel=2)
old()
# --- cell
warnings.warn("careful")
for _ in range(3):
    warnings.warn("again", RuntimeWarning)
# --- cell
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    old(); warnings.warn("two", UserWarning)
[(w.category.__name__, str(w.message), w.lineno) for w in caught]
# --- cell
with warnings.catch_warnings():
    warnings.simplefilter("error")
    warnings.warn("raised")
# --- cell
x = 5
x is 5
# --- cell
"\d"
