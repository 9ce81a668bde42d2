"""What can go wrong with published files."""


class PlaceError(Exception):
    """A place could not be read or written now; what was written so far stays, and trying again is safe."""


class ConflictError(Exception):
    """What is published and what should be published contradict each other; nothing was overwritten."""
