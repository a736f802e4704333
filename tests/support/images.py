"""A package folder of images, and a cache, that a test may spoil."""

import os
import shutil
from hashlib import sha256
from pathlib import Path

import pytest

from wasmhost import JavaScriptRuntime
from wasmhost.sandbox import image as image_module
from wasmhost.sandbox.engine import engine
from wasmhost.sandbox.image import HASH_SUFFIX, compiled_name, places, read_info


class ImagesFolder:
    """A package folder with the QuickJS image, and an empty cache, for the images that this process loads next."""

    def __init__(self, base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.images, self.cache = base / "images", base / "cache"
        self.images.mkdir()
        own = Path(image_module.images_folder())
        for name in ("quickjs.wasm", "quickjs.info"):
            shutil.copyfile(own / name, self.images / name)
        self.name = compiled_name(engine(), "quickjs", read_info(str(own / "quickjs.info"))["sha256"][0])
        self.compiled = self.images / self.name
        image_module.image(engine(), "quickjs")  # with a wasmtime that the package has none for: compiled in the cache
        sha = read_info(str(own / "quickjs.info"))["sha256"][0]
        made = next(place.path for place in places(engine(), "quickjs", sha) if os.path.exists(place.path))
        for suffix in ("", HASH_SUFFIX):
            shutil.copyfile(made + suffix, self.images / (self.name + suffix))
        self.compiled.chmod(0o644)
        monkeypatch.setenv("WASMHOST_CACHE", str(self.cache))
        monkeypatch.setattr(image_module, "images_folder", lambda: str(self.images))
        monkeypatch.setattr(image_module, "_images", {})

    def run(self) -> object:
        with JavaScriptRuntime() as session:
            return session.run("6 * 7").value

    @property
    def kept(self) -> list[Path]:
        """Compiled images in the cache; each has its hash beside it."""
        files = {path.name: path for path in self.cache.rglob("*") if path.is_file()}
        images = {name: path for name, path in files.items() if name.endswith(".cwasm")}
        for name, path in images.items():
            assert files.pop(f"{name}.sha256").read_text().strip() == sha256(path.read_bytes()).hexdigest()
        assert set(files) == set(images)
        return list(images.values())
