"""A tree beneath a root, something worth stealing beside it, and both ways of walking."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.guests import Guest
from wasmhost.packs import Pack, tree

from .calls import Calls

SECRET = "the secret of the host"


@pytest.fixture(params=["openat2", "portable"])
def walker(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How paths are walked by the packs that a test makes."""
    if request.param == "portable":
        monkeypatch.setattr(tree, "openat2_works", lambda: False)
    elif not tree.openat2_works():
        pytest.skip("this kernel has no openat2")
    return str(request.param)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small tree, with a secret outside of it."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text(SECRET)
    made = tmp_path / "root"
    for path, text in {
        "README.md": "read me\n",
        "src/main.py": "import old\nold.call(1)\n",
        "src/lib/util.py": "def util():\n    return old.call(2)\n",
        "src/lib/util.js": "old.call(3)\r\nlast",
        "docs/a.txt": "alpha\nbeta\ngamma\n",
        ".git/config": "old.call in git\n",
        ".hidden": "old.call hidden\n",
    }.items():
        file = made / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
    return made


Open = Callable[..., Calls]


@pytest.fixture
def opened(guest: Guest) -> Iterator[Open]:
    """Makes sessions with packs, and closes them."""
    made: list[Calls] = []

    def open_(*packs: Pack, **options: Any) -> Calls:
        made.append(Calls(guest, *packs, **options))
        return made[-1]

    yield open_
    for one in made:
        one.close()
