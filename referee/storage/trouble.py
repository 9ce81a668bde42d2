"""Why a log cannot be written, in words for its operator: the cause, and what to do."""

from typing import Final

import msgspec

from referee.evidence.ed25519 import SignerUnavailableError
from referee.evidence.printable import error_words
from referee.storage.record import (
    ClockError,
    DataLossError,
    OutcomeUnknownError,
    StandbyAwayError,
    StoreAwayError,
    StoreBusyError,
    StoreFullError,
    StoreStalledError,
)

SIGNER: Final = "SIGNER"
"""Kind of the trouble that appends fail at signing: writing to the store does not show it."""


class WriteTrouble(msgspec.Struct, frozen=True, kw_only=True):
    """The cause of failing appends, as one of a few kinds and as text, and the remedy.

    Appends succeed again by themselves once the cause is gone, except after the kind DAMAGED.
    """

    kind: str
    cause: str
    remedy: str


_REMEDIES: Final[tuple[tuple[tuple[type[Exception], ...], str, str], ...]] = (
    (
        (DataLossError,),
        "DAMAGED",
        "stop every server of this log, find out what changed it, restore its newest backup (referee restore)",
    ),
    ((StoreFullError,), "FULL", "free space on the disk that holds the log; nothing needs a restart"),
    (
        (StandbyAwayError,),
        "STANDBY",
        (
            "bring the synchronous standby back, or take it out of synchronous_standby_names and reload; end a session "
            "that waits for it with pg_terminate_backend, never with pg_cancel_backend; nothing needs a restart"
        ),
    ),
    (
        (StoreStalledError,),
        "STALLED",
        (
            "look at the disk or the database server that the cause names: it is frozen, overloaded, or the line to it "
            "is silent; nothing needs a restart"
        ),
    ),
    (
        (StoreAwayError, OutcomeUnknownError),
        "AWAY",
        "start the database, or mend its address, its access or the line to it; nothing needs a restart",
    ),
    ((StoreBusyError,), "BUSY", "find the process that holds the log, and stop it; nothing needs a restart"),
    ((ClockError,), "CLOCK", "set this machine's clock right (referee doctor); nothing needs a restart"),
    ((SignerUnavailableError,), SIGNER, "start the signer of the log's keys; nothing needs a restart"),
)
_OTHER: Final = "mend what the cause names: disk, file system, or the access of this user; nothing needs a restart"


def trouble_of(error: Exception) -> WriteTrouble:
    """Return the trouble, with its remedy for the operator, that an error of an append or of the store shows.

    >>> trouble_of(StoreFullError("database or disk is full")).kind
    'FULL'
    """
    cause = error_words(error)
    for types, kind, remedy in _REMEDIES:
        if isinstance(error, types):
            return WriteTrouble(kind=kind, cause=cause, remedy=remedy)
    return WriteTrouble(kind="OTHER", cause=cause, remedy=_OTHER)
