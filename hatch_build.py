"""Puts the engine into a wheel, beside the console script."""

import os
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class EngineHook(BuildHookInterface):
    """Adds the engine to wheels that are not editable, and names their platform."""

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
