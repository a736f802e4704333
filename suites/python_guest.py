"""Runs in the guest: CPython's test modules, whose sources come from the host, one module for each call of
`run_module`.

Each test is told to standard output when it begins and when it is over, so that what was done before a stop is known.
"""

import importlib
import importlib.util
import io
import sys
import traceback
import unittest

_source = tools.source.call  # noqa: F821
_out = sys.stdout


def _say(*words):
    _out.write("\t".join(words).replace("\n", "\\n") + "\n")
    _out.flush()


class _Importer:
    """Modules below `test`."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] != "test":
            return None
        found = _source(name)
        if not found:
            return None
        place, text = found
        is_package = place.endswith("/__init__.py")
        loader = _Loader()
        loader.text, loader.place = text, place
        spec = importlib.util.spec_from_loader(name, loader, origin=place, is_package=is_package)
        spec.has_location = True
        if is_package:
            spec.submodule_search_locations[:] = [place.removesuffix("/__init__.py")]
        return spec


class _Loader:
    def create_module(self, spec):
        return None

    def exec_module(self, module):
        exec(compile(self.text, self.place, "exec", dont_inherit=True), module.__dict__)

    def get_source(self, name):
        return self.text


class _Result(unittest.TestResult):
    def startTest(self, test):
        super().startTest(test)
        self.bad = self.stopped = False
        _say("begin", test.id())

    def stopTest(self, test):
        super().stopTest(test)
        if not self.stopped:
            _say("end", test.id())

    def _failed(self, test, error):
        # The name of the class is all that guest code gets to see of a stop.
        if error[0].__name__ == "ExecutionStopped":
            self.stopped = True
            self.stop()
            return
        last = traceback.format_exception_only(error[1])[-1].strip()
        _say("failed", test.id(), last[:300])

    def addError(self, test, err):
        self._failed(test, err)

    def addFailure(self, test, err):
        self._failed(test, err)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self._failed(test, err)

    def addSkip(self, test, reason):
        _say("skipped", test.id(), str(reason)[:200])

    def addUnexpectedSuccess(self, test):
        _say("failed", test.id(), "unexpected success")


def _flat(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from _flat(test)
        elif test is not None:
            yield test


def run_module(name, without):
    """The tests of a module but those in `without`."""
    if _Importer not in sys.meta_path:
        sys.meta_path.insert(0, _Importer)
    keep = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    try:
        try:
            module = importlib.import_module(name)
            suite = unittest.defaultTestLoader.loadTestsFromModule(module)
        except unittest.SkipTest as reason:
            return _say("module skipped", str(reason)[:200])
        except Exception as error:
            return _say("module failed", "".join(traceback.format_exception_only(error)).strip()[:300])
        tests = [test for test in _flat(suite) if test.id() not in without]
        _say("tests", str(len(tests)))
        unittest.TestSuite(tests).run(_Result())
        _say("done")
    finally:
        sys.stdout, sys.stderr = keep
