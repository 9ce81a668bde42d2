"""Comparisons of a server's answers with the expected values; a VerificationError names the difference."""

from typing import Final, NoReturn, TypeVar

import msgspec

from referee.dealing.leaf import AbortLeaf, DealLeaf, OpenLeaf, RevealLeaf, UnsealLeaf, parse
from referee.evidence.canonical import CanonicalError
from referee.evidence.outside import MessageT, OutsideError, read_json, read_message
from referee_client.errors import VerificationError
from referee_client.trust import Proved

AnyLeaf = TypeVar("AnyLeaf", OpenLeaf, DealLeaf, UnsealLeaf, AbortLeaf, RevealLeaf)

_SHOWN: Final = 200
"""Most characters of a value that an error quotes."""


def read_leaf(proved: Proved, kind: type[AnyLeaf]) -> AnyLeaf:
    """Read the content of a leaf as this class; raise VerificationError if it is not of the class."""
    try:
        return parse(proved.payload, kind)
    except CanonicalError as error:
        fail(f"leaf {proved.index} is none of its type: {error}")


def read_course(kind: type[MessageT], saved: bytes) -> MessageT:
    """Read the saved message of a round; raise VerificationError if it is none."""
    try:
        return read_message(kind, saved)
    except OutsideError as error:
        fail(f"the course cannot be read: {error}")


class _Transfer(msgspec.Struct):
    payer: int = msgspec.field(name="from")
    payee: int = msgspec.field(name="to")
    amount: int
    reason: str


class _Results(msgspec.Struct):
    transfers: tuple[_Transfer, ...]


def read_transfers(results: bytes) -> tuple[_Transfer, ...]:
    """Read the transfers of a transcript's results, in order; raise VerificationError if they cannot be read."""
    try:
        return read_json(results, _Results).transfers
    except OutsideError as error:
        fail(f"the results of the transcript cannot be read: {error}")


def same(what: str, found: object, expected: object) -> None:
    """Verify that the answered value equals the expected one; raise VerificationError, which names both, if not."""
    if found != expected:
        fail(f"{what}: {repr(found)[:_SHOWN]} was answered, and {repr(expected)[:_SHOWN]} is right")


def fail(message: str) -> NoReturn:
    """Raise VerificationError with this message."""
    raise VerificationError(message) from None
