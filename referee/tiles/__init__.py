"""A log as static files (C2SP tiles): published to a place, and read and verified from there."""

from referee.tiles.place import FolderPlace, Place, PlaceError, RemotePlace, open_place
from referee.tiles.publication import BrokenLogError, ConflictError, Publication, publish
from referee.tiles.published import PublishedLog, read_note

__all__ = [
    "BrokenLogError",
    "ConflictError",
    "FolderPlace",
    "Place",
    "PlaceError",
    "Publication",
    "PublishedLog",
    "RemotePlace",
    "open_place",
    "publish",
    "read_note",
]
