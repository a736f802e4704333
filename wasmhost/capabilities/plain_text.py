"""Texts of others (descriptions, names, literals) inside comments and strings of a declaration: nothing in them ends
these, steers a terminal, or looks like a part of the page around them."""

from .approval import printable


def cut(text: str, most: int) -> str:
    """At most that many characters; what is missing is told."""
    if len(text) <= most:
        return text
    left_out = len(text) - max(0, most - 30)
    return f"{text[: len(text) - left_out]} [{left_out} characters left out]"


def one_line(text: str, most: int) -> str:
    """The text in one line, for the end of a line: spaces and line ends are one space each."""
    return _calm(printable(" ".join(cut(text, 4 * most).split()))[: most + 1], most)


def first_sentence(text: str, most: int) -> str:
    """Its first paragraph, up to its first full stop, in one line."""
    paragraph = text.strip()[: 4 * most].split("\n\n", 1)[0]
    line = " ".join(paragraph.split())
    end = line.find(". ")
    return one_line(line if end < 0 else line[: end + 1], most)


def _calm(text: str, most: int) -> str:
    text = text.replace("```", "` ` `")
    return text if len(text) <= most else text[: most - 3].rstrip() + "..."


def lines(text: str, most: int) -> list[str]:
    """The text line by line, without empty lines at its ends."""
    shown = [
        printable(line.replace("\t", "    ")).replace("```", "` ` `").rstrip()
        for line in cut(text.strip(), most).splitlines()
    ]
    while shown and not shown[-1]:
        shown.pop()
    return shown


def docstring(text: list[str], indent: str) -> list[str]:
    """Lines of a docstring of Python. A backslash and a quotation mark begin nothing in it."""
    if not text:
        return []
    safe = [line.replace("\\", "\\\\").replace('"""', '\\"\\"\\"') for line in text]
    if len(safe) == 1 and not safe[0].endswith('"'):
        return [f'{indent}"""{safe[0]}"""']
    return [f'{indent}"""{safe[0]}', *(f"{indent}{line}".rstrip() for line in safe[1:]), f'{indent}"""']


def comment(text: list[str], indent: str) -> list[str]:
    """Lines of a JSDoc comment."""
    if not text:
        return []
    safe = [line.replace("*/", "*\\/") for line in text]
    if len(safe) == 1:
        return [f"{indent}/** {safe[0]} */"]
    return [f"{indent}/**", *(f"{indent} * {line}".rstrip() for line in safe), f"{indent} */"]


def python_string(text: str) -> str:
    return repr(text).replace("```", r"\x60\x60\x60")


def javascript_string(text: str) -> str:
    """A literal of JavaScript in which every character shows as itself or is escaped."""
    made = []
    for char in text:
        if char in '"\\':
            made.append(f"\\{char}")
        elif char.isprintable():
            made.append(char)
        else:
            made += [f"\\u{unit:04x}" for unit in _units(char)]
    return f'"{"".join(made)}"'.replace("```", r"\x60\x60\x60")


def _units(char: str) -> list[int]:
    code = ord(char)
    return [code] if code < 0x10000 else [0xD800 + (code - 0x10000 >> 10), 0xDC00 + (code - 0x10000 & 0x3FF)]
