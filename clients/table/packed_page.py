"""The page of clients/web goes into the wheel, where it has been built; without it there is a server without a page."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PackedPage(BuildHookInterface):  # type: ignore[type-arg, misc] # the build's own class, untyped where it is not built
    """Adds the built page to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """The wheel holds the page; an editable one reads it from the tree."""
        built = Path(self.root).parent / "web" / "dist"
        if version != "editable" and built.is_dir():
            build_data["force_include"][str(built)] = "referee_table/page"
