"""Builds the wheel as ``packing`` writes it; an editable installation stays as the tree is."""

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent))

from packing import write_package


class RoomsHook(BuildHookInterface):
    """Puts the package that ``packing`` writes into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the files of the wheel."""
        if version != "editable":
            folder = Path(tempfile.mkdtemp())
            build_data["force_include"][str(write_package(folder))] = "referee_client"
