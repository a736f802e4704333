# Nobody can type into a debugger here.
def set_trace(*, header=None, commands=None):
    sys.breakpointhook()  # noqa: F821


def post_mortem(t=None):
    set_trace()


def pm():
    set_trace()
