"""A place of published files in memory."""

from collections.abc import Mapping, Sequence
from typing import Final


class MemoryPlace:
    """Files in memory."""

    def __init__(self, files: Mapping[str, bytes] | None = None) -> None:
        self.files: Final = dict(files or {})

    def read(self, paths: Sequence[str]) -> list[bytes | None]:
        """Return the bytes of these files in order, None for each missing one."""
        return [self.files.get(path) for path in paths]

    def write(self, files: Mapping[str, bytes]) -> None:
        """Write these files."""
        self.files.update(files)

    def remove(self, folders: Sequence[str]) -> None:
        """Remove everything under these folders."""
        for path in [path for path in self.files if path.startswith(tuple(f"{folder}/" for folder in folders))]:
            del self.files[path]
