"""Helpers: short forms that live in the guest, what a model is told of them, and how they are declared. One table for
all that name them."""

from collections.abc import Container, Iterable


class Helper:
    """A short form. Immutable.

    Args:
        name: as code writes it.
        line: how it is called and what it does, in one line, in the guest's language.
        needs: names of the capabilities without which it is not installed.
        declared: its declaration in a stub (``.pyi``) or a ``.d.ts``.
    """

    __slots__ = ("declared", "line", "name", "needs")

    def __init__(self, name: str, line: str, needs: Iterable[str] = (), declared: str = "") -> None:
        self.name: str = name
        self.line: str = line
        self.needs: tuple[str, ...] = tuple(needs)
        self.declared: str = declared

    def __repr__(self) -> str:
        return f"Helper({self.name!r})"


_PYTHON = [
    Helper(
        "cat",
        "`cat(path, offset=None, limit=None)`: text of a file",
        ["Read"],
        "def cat(path: str, offset: int | None = None, limit: int | None = None) -> str: ...",
    ),
    Helper(
        "rg",
        "`rg(pattern, path='.', *, glob=None)`: lines that fit: list of `path`, `line`, `text`",
        ["Grep"],
        "def rg(pattern: str, path: str = '.', *, glob: str | None = None, ignore_case: bool | None = None, "
        "limit: int | None = None) -> list[dict[str, _t.Any]]: ...",
    ),
    Helper(
        "rgf",
        "`rgf(pattern, path='.', *, glob=None)`: paths of files with such a line",
        ["Grep"],
        "def rgf(pattern: str, path: str = '.', *, glob: str | None = None, ignore_case: bool | None = None, "
        "limit: int | None = None) -> list[str]: ...",
    ),
    Helper(
        "gl",
        "`gl(pattern, path='.')`: paths of files by name (`**/*.py`)",
        ["Glob"],
        "def gl(pattern: str, path: str = '.') -> list[str]: ...",
    ),
    Helper(
        "put",
        "`put(path, content)`: writes a whole file",
        ["Write"],
        "def put(path: str, content: str | bytes) -> dict[str, _t.Any]: ...",
    ),
    Helper(
        "sh",
        "`await sh(command, timeout=None)`: its standard output; raises if it ends with another exit code than 0",
        ["Bash"],
        "async def sh(command: str, *, timeout: float | None = None, cwd: str = '.') -> str: ...",
    ),
    Helper(
        "haiku",
        "`await haiku(prompt, schema=None)`: the answer of a model; also `opus`, `sonnet`, `fable`",
        ["Sample"],
        "async def haiku(prompt: str, schema: dict[str, _t.Any] | None = None) -> _t.Any: ...\n"
        "opus = sonnet = fable = haiku",
    ),
    Helper(
        "chdir",
        "`chdir(path)`: where relative paths begin, in this cell",
        ["Read"],
        "def chdir(path: str = '') -> str: ...",
    ),
    Helper("sh_quote", "`sh_quote(text)`: one word of a shell", (), "def sh_quote(value: str) -> str: ..."),
    Helper(
        "o",
        "`o.name = value`: the result, if the last expression has no value",
        (),
        "class _O(dict[str, _t.Any]):\n    def __getattr__(self, name: str) -> _t.Any: ...\n"
        "    def __setattr__(self, name: str, value: _t.Any) -> None: ...\no: _O",
    ),
]
_SEARCH = "{ path?: string; glob?: string; ignore_case?: boolean; limit?: number }"
_JAVASCRIPT = [
    Helper(
        "cat",
        "`await cat(path, { offset, limit })`: text of a file",
        ["Read"],
        "declare function cat(path: string, lines?: number | { offset?: number; limit?: number }, limit?: number): "
        "Promise<string>;",
    ),
    Helper(
        "rg",
        "`await rg(pattern, { path, glob })`: lines that fit: list of `path`, `line`, `text`",
        ["Grep"],
        f"declare function rg(pattern: string, options?: string | {_SEARCH}): "
        "Promise<{ path: string; line: number; text: string }[]>;",
    ),
    Helper(
        "rgf",
        "`await rgf(pattern, { path, glob })`: paths of files with such a line",
        ["Grep"],
        f"declare function rgf(pattern: string, options?: string | {_SEARCH}): Promise<string[]>;",
    ),
    Helper(
        "gl",
        "`await gl(pattern, path)`: paths of files by name (`**/*.js`)",
        ["Glob"],
        "declare function gl(pattern: string, path?: string): Promise<string[]>;",
    ),
    Helper(
        "put",
        "`await put(path, content)`: writes a whole file",
        ["Write"],
        "declare function put(path: string, content: string | Uint8Array): "
        "Promise<{ path: string; bytes: number; created: boolean }>;",
    ),
    Helper(
        "sh",
        "`await sh(command, { timeout })`: its standard output; throws if it ends with another exit code than 0",
        ["Bash"],
        "declare function sh(command: string, options?: number | { timeout?: number; cwd?: string }): Promise<string>;",
    ),
    Helper(
        "haiku",
        "`await haiku(prompt, schema)`: the answer of a model; also `opus`, `sonnet`, `fable`",
        ["Sample"],
        "declare function haiku(prompt: string, schema?: object): Promise<any>;\n"
        "declare const opus: typeof haiku, sonnet: typeof haiku, fable: typeof haiku;",
    ),
    Helper(
        "chdir",
        "`chdir(path)`: where relative paths begin, in this cell",
        ["Read"],
        "declare function chdir(path?: string): string;",
    ),
    Helper("shQuote", "`shQuote(text)`: one word of a shell", (), "declare function shQuote(text: string): string;"),
    Helper("str", "`str(value)`: as console.log shows it", (), "declare function str(value: unknown): string;"),
    Helper("o", "`o.name = value`: the result, if the last expression is undefined", (), "declare var o: any;"),
]


def short_forms(language: str, offered: Iterable[str]) -> list[Helper]:
    """What a session with ``helpers=True`` has, by the names of what it offers: a name of its own comes first."""
    names = set(offered)
    taken = {name.partition(".")[0] for name in names}
    made = [one for one in _table(language) if one.name not in taken and names.issuperset(one.needs)]
    if "Bash" in names and "Read" not in names and "chdir" not in taken:
        chdir = next(one for one in _table(language) if one.name == "chdir")
        made.append(Helper(chdir.name, chdir.line, ["Bash"], chdir.declared))
    return made


def _table(language: str) -> list[Helper]:
    return _PYTHON if language == "python" else _JAVASCRIPT


def declared(language: str, helpers: Iterable[Helper], hint: bool) -> str:
    """Declarations of helpers, to stand below those of ``tools``."""
    lines = [one.declared for one in helpers]
    if language == "python":
        return "\n".join(["", "import typing as _t", *lines, *(["repo_hint: str"] if hint else []), ""])
    return "\n".join(["", *lines, *(["declare const repoHint: string;"] if hint else []), ""])


def installed(helpers: Iterable[Helper], offered: Container[str]) -> list[Helper]:
    """Those whose capabilities are there."""
    return [one for one in helpers if all(name in offered for name in one.needs)]
