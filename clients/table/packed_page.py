"""Build hook that packs the page of clients/web into the wheel if it was built; otherwise the server has no page."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PackedPage(BuildHookInterface):  # type: ignore[type-arg, misc] # the build's own class, untyped where it is not built
    """Build hook that adds the built page to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the page to a wheel; an editable installation reads it from the tree."""
        built = Path(self.root).parent / "web" / "dist"
        if version != "editable" and built.is_dir():
            build_data["force_include"][str(built)] = "referee_table/page"
