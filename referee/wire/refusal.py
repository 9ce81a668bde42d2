"""A refusal: a question that cannot be answered as it was asked, said so that the caller can mend it.

A broken rule of a game is no refusal; it is answered with violations.
"""

from typing import Final, Self

from referee.v1.error_reason_pb2 import ErrorReason

_PREFIX: Final = "ERROR_REASON_"


class RefusedError(Exception):
    """Why a call is refused: the reason, words for developers, the path of the field at fault, and facts.

    ``field`` is empty where no field of the request is at fault. ``facts`` become the metadata of the ErrorInfo.
    ``retry_seconds`` is when to ask again, where that is known.
    """

    def __init__(
        self,
        reason: ErrorReason,
        message: str,
        *,
        field: str = "",
        retry_seconds: float | None = None,
        **facts: object,
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.field = field
        self.retry_seconds = retry_seconds
        self.facts = {name: str(value) for name, value in facts.items()}

    @property
    def reason_name(self) -> str:
        """The reason as ErrorInfo has it: without the enum's prefix."""
        return ErrorReason.Name(self.reason).removeprefix(_PREFIX)

    def within(self, path: str) -> Self:
        """The same refusal with its field's path put below another."""
        self.field = f"{path}.{self.field}" if self.field else path
        return self
