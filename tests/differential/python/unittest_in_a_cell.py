import unittest, io
class T(unittest.TestCase):
    def test_ok(self): self.assertEqual(1 + 1, 2)
    def test_bad(self): self.assertIn(3, [1, 2])
    @unittest.skip("later")
    def test_skip(self): pass
    def test_raises(self):
        with self.assertRaisesRegex(ValueError, "^inv"): int("x")
out = io.StringIO()
r = unittest.TextTestRunner(stream=out, verbosity=0).run(unittest.defaultTestLoader.loadTestsFromTestCase(T))
r.testsRun, len(r.failures), len(r.skipped), r.failures[0][1].splitlines()[-1], len(r.errors)
# --- cell
import doctest
def sq(x):
    """
    >>> sq(3)
    9
    >>> sq("a")
    Traceback (most recent call last):
    TypeError: can't multiply sequence by non-int of type 'str'
    """
    return x * x
doctest.testmod(__import__("__main__"))
# --- cell
from unittest import mock
m = mock.Mock(return_value=3); m(1, a=2); m.assert_called_once_with(1, a=2)
with mock.patch("math.floor", lambda x: "patched"):
    import math
    print(math.floor(2.5))
m.call_args
