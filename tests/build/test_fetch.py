"""Sources are taken by their hash alone."""

import hashlib
from pathlib import Path

import pytest


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "own"
    folder.mkdir()
    monkeypatch.setenv("WASMHOST_SOURCES", str(folder))
    return folder


def fetcher(tmp_path: Path):  # type: ignore[no-untyped-def]
    from fetch import Fetcher
    from report import Reporter

    return Fetcher(tmp_path / "cache", Reporter())


def pin(made, data: bytes):  # type: ignore[no-untyped-def]
    """Makes the fetcher want a file with these contents."""
    from pins import Source

    source = Source("thing", "1", "thing.tar", hashlib.sha256(data).hexdigest(), ())
    made._pins = {"thing": [source]}
    return source


def test_a_file_of_the_user_is_taken_and_kept(tmp_path: Path, own: Path) -> None:
    made = fetcher(tmp_path)
    source = pin(made, b"right")
    (own / "thing.tar").write_bytes(b"right")
    assert made.get(["thing"]) == {"thing": source}
    (own / "thing.tar").unlink()
    assert made.verified(source).read_bytes() == b"right"


def test_a_wrong_checksum_says_which_file_what_was_wanted_and_what_came(tmp_path: Path, own: Path) -> None:
    from report import BuildError

    made = fetcher(tmp_path)
    source = pin(made, b"right")
    (own / "thing.tar").write_bytes(b"wrong")
    with pytest.raises(BuildError) as caught:
        made.get(["thing"])
    text = str(caught.value)
    assert str(own / "thing.tar") in text
    assert source.sha256 in text
    assert hashlib.sha256(b"wrong").hexdigest() in text


def test_a_damaged_cache_is_noticed_and_mended(tmp_path: Path, own: Path) -> None:
    from report import BuildError

    made = fetcher(tmp_path)
    source = pin(made, b"right")
    made.path(source).parent.mkdir(parents=True)
    made.path(source).write_bytes(b"rotten")
    with pytest.raises(BuildError, match="wrong checksum"):
        made.verified(source)
    assert not made.path(source).exists()


def test_what_cannot_be_had_is_named_with_its_hash(tmp_path: Path, own: Path) -> None:
    from report import BuildError

    made = fetcher(tmp_path)
    source = pin(made, b"right")
    with pytest.raises(BuildError, match=source.sha256):
        made.get(["thing"])


def test_every_pin_has_a_place_and_a_whole_hash() -> None:
    import pins

    found = pins.load()
    assert {"zig", "quickjs-ng", "cpython", "zlib", "bzip2", "xz", "sqlite", "tzdata", "make"} <= found.keys()
    for source in (source for alternatives in found.values() for source in alternatives):
        assert len(source.sha256) == 64
        assert source.places
        assert not source.patches or source.patches in found
