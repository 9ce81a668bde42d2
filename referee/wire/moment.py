"""Times in a request, bounded where they come in: beyond the last one no later sum of them would be safe."""

from referee.log.slot import LAST_TIME
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError


def check_time(time: int, *, field: str) -> None:
    """Refuses a time of an event, ``field`` being the event's path, that no clock shows for some 285,000 years."""
    if time > LAST_TIME:
        raise RefusedError(
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            f"{time} is no time in milliseconds since 1970 UTC; the last one is {LAST_TIME}",
            field=f"{field}.time",
            limit=LAST_TIME,
            found=time,
        )
