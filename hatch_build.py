"""Puts the engine into a wheel, beside the console script, and the catalog."""

import os
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

CATALOG = "contestants", "kits", "experiments"
BUILD_PRODUCTS = {"__pycache__", "node_modules", "target", "venv"}


class EngineHook(BuildHookInterface):
    """
    Adds the engine and the catalog to wheels that are not editable.

    It names their platform.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """
        Add the engine.

        ``AUTOSTRADA_ENGINE`` is its path, by default that of ``cargo build``, and
        ``AUTOSTRADA_PLATFORM`` the platform tag, by default that of this machine.

        Raises:
            FileNotFoundError: it is not built.
        """
        if version == "editable":
            return
        built = Path(self.root, "target/release/autostrada-engine")
        engine = Path(os.environ.get("AUTOSTRADA_ENGINE", built))
        if not engine.is_file():
            raise FileNotFoundError(f"{engine} is not built: run make wheel")
        here = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        platform = os.environ.get("AUTOSTRADA_PLATFORM", here)
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"
        build_data["shared_scripts"] = {str(engine): "autostrada-engine"}
        for folder in CATALOG:
            for path in sorted(Path(self.root, folder).rglob("*")):
                name = path.relative_to(self.root)
                if path.is_file() and not BUILD_PRODUCTS & {*name.parts}:
                    build_data["force_include"][str(path)] = (
                        f"autostrada/catalog/{name}"
                    )
