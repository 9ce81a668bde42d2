"""The log as static files: C2SP tiles that any web server, object store or folder hands out, and that anybody checks.

==============  ==================================================================================
module          what it says
==============  ==================================================================================
``place``       where files are kept: ``folder`` on this machine, ``remote`` by fsspec
``publication`` a log becomes files, piece by piece, nothing ever overwritten by something else
``published``   files become a log again: leaves, proofs and receipts under a checkpoint
``fault``       what can go wrong with both
==============  ==================================================================================

How tiles are cut, named and checked is the law of ``log.tile`` and ``log.tile_check``. This room
knows neither databases nor what a leaf says.
"""

from referee.tiles.fault import ConflictError, PlaceError
from referee.tiles.place import FolderPlace, MemoryPlace, Place, RemotePlace, open_place
from referee.tiles.publication import Publication, publish
from referee.tiles.published import PublishedLog, read_note

__all__ = [
    "ConflictError",
    "FolderPlace",
    "MemoryPlace",
    "Place",
    "PlaceError",
    "Publication",
    "PublishedLog",
    "RemotePlace",
    "open_place",
    "publish",
    "read_note",
]
