"""What hatchling asks about the wheel of this checkout: its tag, that images are in it, its bill of materials.

The wheel has no native code of ours. What ties it to a platform are the compiled images, which wasmtime made for one
architecture and operating system; they do not depend on the C library.
"""

from __future__ import annotations

import json
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# hatchling loads this file by its path, without its folder.
sys.path.insert(0, str(Path(__file__).resolve().parent))

import components
import plan
from report import BuildError

SBOM = Path("build") / f"{components.DISTRIBUTION}.cdx.json"


def platform_tag() -> str:
    name = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    system, _, machine = name.partition("_")
    if system != "linux":
        return name
    return f"manylinux_2_17_{machine}.musllinux_1_2_{machine}"


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        for name in plan.NAMES:
            if not (plan.IMAGES / f"{name}.info").is_file() or not any(plan.IMAGES.glob(f"{name}.*.cwasm")):
                raise BuildError(f"the {name} image is not built and compiled: ./build.sh wheel does that first")
        build_data["tag"] = f"py3-none-{platform_tag()}"
        build_data["pure_python"] = False
        path = plan.ROOT / SBOM
        path.parent.mkdir(exist_ok=True)
        text = json.dumps(components.sbom_of_checkout(), indent=1, ensure_ascii=False)
        path.write_text(f"{text}\n", encoding="utf-8")
        build_data["sbom_files"].append(SBOM.as_posix())
