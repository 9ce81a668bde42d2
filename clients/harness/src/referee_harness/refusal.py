"""Errors of the harness, for the author of the test."""


class HarnessError(ValueError):
    """An invalid script, fault or argument. ``field`` is the member at fault, empty for none.

    ``is_unknown`` says that it names something which does not exist.
    """

    def __init__(self, *, field: str, message: str, is_unknown: bool = False) -> None:
        super().__init__(message)
        self.field = field
        self.is_unknown = is_unknown
