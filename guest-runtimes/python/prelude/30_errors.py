"""What a person reads about a failure: the traceback as CPython shows it, bounded, without frames of the machinery."""

import _suggestions
import collections
import collections.abc
import itertools
import sys
import types
import unicodedata

private = native.private
sources = native.sources
type_name = native.type_name
Stopped = native.Stopped

TEXT_LIMIT = 64 * 1024
MESSAGE_LIMIT = 8 * 1024
NAME_LIMIT = 300
MAX_STACK = 1200  # frames looked at; the default recursion limit is below that
MAX_FRAMES = 100  # told to the host
MAX_EXCEPTIONS = 60  # in a chain
MAX_IN_ALL = 300  # with those in groups

_traceback_of = BaseException.__dict__["__traceback__"].__get__
_args_of = BaseException.__dict__["args"].__get__
_cause_of = BaseException.__dict__["__cause__"].__get__
_context_of = BaseException.__dict__["__context__"].__get__
_str_slice = str.__getitem__


def plain_str(text):
    """A str of exactly that type, with nothing overridden."""
    return text if type(text) is str else _str_slice(text, slice(0, len_of(text)))


len_of = str.__len__


def middle_out(text, limit):
    if len(text) <= limit:
        return text
    tail = limit // 3
    head = limit - tail
    return f"{text[:head]}\n... {len(text) - limit} characters left out ...\n{text[-tail:]}"


def safe_string(value, what, func=str):
    """traceback._safe_string, for values that may be anything, of any size."""
    try:
        text = func(value)
        if isinstance(text, str):
            return middle_out(plain_str(text), 2 * MESSAGE_LIMIT)
    except Stopped:
        raise
    except BaseException:
        pass
    return f"<{what} {func.__name__}() failed>"


# ---- frames ------------------------------------------------------------------------------------------------------------


def is_ours(filename):
    return type(filename) is str and filename.startswith("<wasmhost ")


def walk(tb):
    """Traceback entries that are not ours; of a very deep stack its two ends."""
    entries = []
    while tb is not None:
        if not is_ours(tb.tb_frame.f_code.co_filename):
            entries.append(tb)
        tb = tb.tb_next
    if len(entries) > MAX_STACK:
        half = MAX_STACK // 2
        notes.add(f"{len(entries) - MAX_STACK} frames in the middle of the traceback are left out")
        entries[half:-half] = []
    return entries


def first_line(code):
    """Where a frame stands that was stopped before its first instruction: that has line 0."""
    for line, _, _, _ in code.co_positions():
        if line:
            return line
    return code.co_firstlineno


def walk_with_positions(tb):
    for entry in walk(tb):
        code = entry.tb_frame.f_code
        positions = traceback._get_code_position(code, entry.tb_lasti)
        if not positions[0]:
            positions = (entry.tb_lineno or first_line(code), None, None, None)
        yield entry.tb_frame, positions


def cell_frame(number, filename, line, column, function):
    source = sources.getline(filename, line).strip() if type(line) is int else ""
    return {"cell": number, "line": line, "column": column, "function": function, "source": source}


def cell_frames(exc):
    frames = []
    for frame, (line, _, column, _) in walk_with_positions(_traceback_of(exc)):
        code = frame.f_code
        number = sources.cell_number(code.co_filename)
        if number is not None:
            column = None if column is None else column + 1
            frames.append(cell_frame(number, code.co_filename, line, column, code.co_name))
    if len(frames) > MAX_FRAMES:
        frames[MAX_FRAMES // 2 : -MAX_FRAMES // 2] = []
    return frames


def syntax_error_frame(exc):
    """A cell that does not compile has no frame; the place of the error stands for one."""
    filename = SyntaxError.filename.__get__(exc)
    number = sources.cell_number(filename)
    line, column = SyntaxError.lineno.__get__(exc), SyntaxError.offset.__get__(exc)
    if number is None or type(line) is not int:
        return []
    return [cell_frame(number, filename, line, column if type(column) is int else None, "<module>")]


# ---- text --------------------------------------------------------------------------------------------------------------

traceback = private.copy_of(
    "traceback",
    {"ast": private.ast, "unicodedata": unicodedata, "_suggestions": _suggestions, "os": None},
    linecache=sources.cache,
    textwrap=private.textwrap,
    suppress=private.suppress,
    sys=private.frozen_view(sys, "stdlib_module_names"),
    collections=types.SimpleNamespace(abc=private.frozen_view(collections.abc, "Sequence"), deque=collections.deque),
    itertools=itertools,
    _walk_tb_with_full_positions=walk_with_positions,
    _safe_string=safe_string,
)
notes = set()


class Shown(traceback.TracebackException):
    """TracebackException that stops following a chain which is very long, or the members of a group which is very large."""

    count = 0

    def __init__(self, exc_type, exc_value, exc_traceback, *, _seen=None, **options):
        Shown.count += 1
        if Shown.count == MAX_EXCEPTIONS:
            notes.add("only some of the exceptions of a long chain or a large group are shown")
        if Shown.count >= MAX_EXCEPTIONS and _seen is not None:
            mark_rest_of_chain(exc_value, _seen)
        if Shown.count > MAX_IN_ALL:
            exc_type, exc_value, exc_traceback = Exception, _LEFT_OUT, None
        super().__init__(exc_type, exc_value, exc_traceback, _seen=_seen, **options)


_LEFT_OUT = Exception("left out")


def mark_rest_of_chain(exc, seen):
    rest = [exc]
    while rest:
        exc = rest.pop()
        for following in (_cause_of(exc), _context_of(exc)):
            if following is not None and id(following) not in seen:
                seen.add(id(following))
                rest.append(following)


traceback.TracebackException = Shown
_format_frame = traceback.StackSummary.format_frame_summary
_formatted = {}


def format_frame_summary(self, frame, **kwargs):
    """The frames of a recursion are all alike, and finding their carets means parsing a line."""
    key = (frame.filename, frame.lineno, frame.end_lineno, frame.colno, frame.end_colno, frame.name)
    text = _formatted.get(key)
    if text is None:
        text = _formatted[key] = _format_frame(self, frame, **kwargs)
    return text


traceback.StackSummary.format_frame_summary = format_frame_summary


def format_exception(exc, name=None, message=None):
    """The text, at most TEXT_LIMIT characters of it. `name` and `message` take the place of the exception's own."""
    Shown.count = 0
    shown = Shown(type(exc), exc, _traceback_of(exc), compact=True)
    if shown._is_syntax_error and shown.text is None and sources.cell_number(shown.filename) is not None:
        # Errors of the compiler, unlike those of the parser, look for the line in a file.
        shown.text = sources.getline(shown.filename, int(shown.lineno)) or None
    if name is not None:
        shown.exc_type_module, shown.exc_type_qualname = "builtins", name
        shown._str = message
    head, tail, size, dropped = [], collections.deque(), 0, 0
    for piece in shown.format():
        piece = middle_out(plain_str(piece), TEXT_LIMIT // 4)
        if size + len(piece) <= TEXT_LIMIT // 2 and not tail:
            head.append(piece)
            size += len(piece)
        else:
            tail.append(piece)
            while sum(map(len, tail)) > TEXT_LIMIT // 2:
                dropped += len(tail.popleft())
    if dropped:
        head.append(f"... {dropped} characters left out ...\n")
    return "".join(itertools.chain(head, tail)).rstrip("\n")


def bare_text(exc, name, message):
    """For exceptions that resist: nothing of their own is called but what is read in C."""
    lines = []
    for frame in cell_frames(exc):
        lines.append(f'  File "<cell {frame["cell"]}>", line {frame["line"]}, in {frame["function"]}\n    {frame["source"]}\n')
    if lines:
        lines.insert(0, "Traceback (most recent call last):\n")
    lines.append(f"{name}: {message}" if message else name)
    return middle_out("".join(lines), TEXT_LIMIT)


# ---- the report ------------------------------------------------------------------------------------------------------------


def message_of(exc):
    if issubclass(type(exc), SystemExit):
        args = _args_of(exc)
        return "0" if not args or args[0] is None else safe_string(args[0], "exit code")
    if issubclass(type(exc), SyntaxError):
        return safe_string(SyntaxError.msg.__get__(exc), "exception")
    return safe_string(exc, "exception")


def guarded(fn, *args, otherwise):
    """Code of a hostile exception may raise anything; only a stop request goes through."""
    try:
        return fn(*args)
    except Stopped:
        raise
    except BaseException:
        return otherwise


def describe(exc, name=None, message=None):
    """(type, message, text, frames)"""
    shown_name, shown_message = name, message
    if name is None:
        name = type_name(type(exc), False)[:NAME_LIMIT]
        message = guarded(message_of, exc, otherwise="")
    text = guarded(format_exception, exc, shown_name, shown_message, otherwise=None)
    if text is None:
        text = guarded(bare_text, exc, name, message, otherwise=name)
    frames = guarded(cell_frames, exc, otherwise=[])
    if not frames and issubclass(type(exc), SyntaxError):
        frames = guarded(syntax_error_frame, exc, otherwise=[])
    return name, middle_out(message, MESSAGE_LIMIT), text, frames


STOP_MESSAGE = "the cell was stopped before it came to its end"


def describe_bare(exc):
    """Without a word of the exception's own code."""
    name = type_name(type(exc), False)[:NAME_LIMIT]
    args = _args_of(exc)
    message = args[0] if len(args) == 1 and type(args[0]) is str else ""
    return name, middle_out(message, MESSAGE_LIMIT), bare_text(exc, name, middle_out(message, MESSAGE_LIMIT)), cell_frames(exc)


NOT_AWAITABLE = "can't be used in 'await' expression"


def plain_function_hint(frames):
    """For `await tools.f(...)` where the host's function is a plain one, which has given its value already."""
    source = frames[-1]["source"] if frames else ""
    for tool in native.tools.plain():
        name = tool.path.rpartition(".")[2]
        at = source.find(f"{name}(")
        if at >= 0 and not (source[at - 1 : at].isalnum() or source[at - 1 : at] == "_"):
            return f"\nNote: {tool.path} is a plain function: leave out the `await`, or write `await {tool.path}.start(...)`."
    return ""


def report(exc, kind, name, message):
    notes.clear()
    if kind == "bare":
        return (*describe_bare(exc), [])
    if kind == "stop" or type(exc) is Stopped:
        name, message = "InterruptedError", STOP_MESSAGE
    elif kind == "":
        name = message = None
    try:
        name, message, text, frames = describe(exc, name, message)
        if kind == "" and type(exc) is TypeError and message.endswith(NOT_AWAITABLE):
            text += guarded(plain_function_hint, frames, otherwise="")
        return name, message, text, frames, sorted(notes)
    finally:
        sources.forget_lines()
        _formatted.clear()


def text_of(exc):
    """For what is printed beside a result."""
    try:
        return describe(exc)[2]
    finally:
        sources.forget_lines()
        _formatted.clear()
        notes.clear()


native.bind("report", report)
