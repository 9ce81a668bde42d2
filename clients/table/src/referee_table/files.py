"""Files of the table server: each is written beside its place, then moved there."""

from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Write a file that only its owner can read; a kill or a full disk leaves the file that was there before."""
    beside = path.with_suffix(".new")
    beside.touch(mode=0o600)
    beside.write_bytes(data)
    beside.replace(path)


def delete_halves(folder: Path) -> None:
    """Delete what a kill or a full disk left half written in a folder and those within it."""
    for path in folder.rglob("*.new"):
        path.unlink()
