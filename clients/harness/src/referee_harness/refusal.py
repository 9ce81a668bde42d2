"""What the harness is asked and cannot do, said to whoever writes the test."""


class HarnessError(ValueError):
    """Something told that cannot be meant. ``field`` is the member at fault, empty for none.

    ``is_unknown`` says that it names something which does not exist.
    """

    def __init__(self, *, field: str, message: str, is_unknown: bool = False) -> None:
        super().__init__(message)
        self.field = field
        self.is_unknown = is_unknown
