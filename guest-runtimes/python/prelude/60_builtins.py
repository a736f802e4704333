"""Builtins and functions of the standard library that mean something else in a sandbox."""

import _sitebuiltins
import _thread
import builtins
import errno
import logging
import os
import random
import sys
import tempfile
import threading
import time
import uuid

time.sleep = native.sleep
time.thread_time, time.thread_time_ns = time.process_time, time.process_time_ns  # the only thread


def public(fn, module, name=None):
    """Makes a function of ours look like the one it stands for."""
    fn.__module__ = module
    if name:
        fn.__name__ = fn.__qualname__ = name
    return fn


# ---- ends of a program ---------------------------------------------------------------------------------------------------


class Quitter:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"Use {self.name}() to end this cell"

    def __call__(self, code=None):
        raise SystemExit(code)


Quitter.__module__ = "_sitebuiltins"
builtins.exit, builtins.quit = Quitter("exit"), Quitter("quit")


builtins.copyright = _sitebuiltins._Printer("copyright", sys.copyright)
builtins.credits = _sitebuiltins._Printer("credits", "Thanks to all who have made Python: https://www.python.org")
builtins.license = _sitebuiltins._Printer("license", "See https://docs.python.org/3/license.html")


def _exit(status):
    raise SystemExit(status)


def abort():
    raise SystemExit("abort() was called")


os._exit, os.abort = public(_exit, "os"), public(abort, "os")


def crash(name):
    def refuse(*args, **kwargs):
        raise RuntimeError(f"{name}() is not available in this sandbox")

    return public(refuse, "faulthandler", name)


try:
    import faulthandler
except ImportError:
    pass
else:
    for name in ("_sigsegv", "_sigabrt", "_sigfpe", "_fatal_error_c_thread", "_stack_overflow", "_read_null"):
        if hasattr(faulthandler, name):
            setattr(faulthandler, name, crash(name))

try:
    import _signal
    import signal
except ImportError:
    pass
else:
    _raise_signal = signal.raise_signal
    _getsignal = signal.getsignal

    def raise_signal(signalnum):
        """Send a signal to the executing process. Without a handler of its own it ends the cell, not the sandbox."""
        if callable(_getsignal(signalnum)) or _getsignal(signalnum) == signal.SIG_IGN:
            _raise_signal(signalnum)
        else:
            raise SystemExit(f"signal {int(signalnum)}")

    signal.raise_signal = _signal.raise_signal = public(raise_signal, "signal")
    if hasattr(os, "kill"):

        def kill(pid, signal):
            if pid != os.getpid():
                raise ProcessLookupError(errno.ESRCH, "No such process")
            raise_signal(signal)

        os.kill = public(kill, "os")


# ---- what is not there ------------------------------------------------------------------------------------------------------

NO_INPUT = "no standard input in this sandbox: put the values into the code"


def input(prompt="", /):
    """There is no standard input in this sandbox."""
    raise EOFError(NO_INPUT)


builtins.input = public(input, "builtins")


def breakpointhook(*args, **kwargs):
    native.write(2, "breakpoint() has no effect: there is no debugger in this sandbox\n")


sys.breakpointhook = sys.__breakpointhook__ = public(breakpointhook, "sys")

NO_THREADS = "can't start new thread: there are no threads in this sandbox; call the function, or use asyncio"


def start_new_thread(*args, **kwargs):
    raise RuntimeError(NO_THREADS)


public(start_new_thread, "_thread")
_thread.start_new_thread = _thread.start_new = _thread.start_joinable_thread = start_new_thread
threading._start_joinable_thread = start_new_thread


class Helper:
    """help(): pydoc's, where the image has pydoc, else the docstring."""

    def __repr__(self):
        return "Type help(object) for help about object."

    def __call__(self, *args):
        if not args:
            print(self)
            return
        if isinstance(args[0], native.tools.Tool):
            print(args[0].help())
            return
        if isinstance(args[0], native.tools.Tools):
            print(repr(args[0]))
            return
        try:
            import pydoc
        except ImportError:
            import inspect

            print(inspect.getdoc(args[0]) or "no documentation found")
        else:
            pydoc.Helper(output=sys.stdout).help(args[0])


Helper.__module__ = "_sitebuiltins"
builtins.help = Helper()


# ---- random numbers --------------------------------------------------------------------------------------------------------------

_generator = random._inst


def seed(a=None, version=2):
    _generator.seed(a, version)
    native.seeded_by_user(a is not None)  # then a fork goes on with the same numbers


def setstate(state):
    _generator.setstate(state)
    native.seeded_by_user(True)


seed.__doc__, setstate.__doc__ = random.seed.__doc__, random.setstate.__doc__
random.seed, random.setstate = public(seed, "random"), public(setstate, "random")


def reseed(seed):
    """What other modules remember of random choices, and of the time when the image was made."""
    uuid._node = uuid._last_timestamp = None
    tempfile._name_sequence = None
    logging._startTime = time.time_ns()


native.bind("reseed", reseed)
