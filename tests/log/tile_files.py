"""All tiles of a tree as files, as a mirror keeps them."""

from collections.abc import Sequence

from referee.evidence.merkle import root_of_hashes
from referee.log.tile import HashTile, join_hashes, split_hashes
from tests.log.tile_paths import hash_tiles, parse_path


class TileFiles:
    """Files by path, read as our proofs and as the other implementation ask for them; ``reads`` counts ours."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files
        self.reads = 0

    @classmethod
    def of(cls, hashes: Sequence[bytes]) -> "TileFiles":
        """Cut the tree of these leaf hashes into tiles."""
        files, row, level = {}, hashes, 0
        while row:
            parts = [row[at : at + 256] for at in range(0, len(row), 256)]
            for index, part in enumerate(parts):
                files[HashTile(level=level, index=index, width=len(part)).path] = join_hashes(part)
            row, level = [root_of_hashes(part) for part in parts if len(part) == 256], level + 1
        assert {parse_path(path) for path in files} == set(hash_tiles(len(hashes)))
        return cls(files)

    def tile(self, level: int, index: int, width: int) -> Sequence[bytes]:
        """Return the hashes of a tile; none if there is no file."""
        self.reads += 1
        data = self.files.get(HashTile(level=level, index=index, width=width).path)
        return () if data is None else split_hashes(data, width=width)

    def get(self, *path: str) -> bytes | None:
        """Return a file."""
        return self.files.get("/".join(path))
