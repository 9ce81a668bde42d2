"""Comparisons of what a server answered with what is right; VerificationError says where they differ."""

from typing import Final, NoReturn, TypeVar

from referee.dealing.leaf import AbortLeaf, DealLeaf, OpenLeaf, RevealLeaf, UnsealLeaf, parse
from referee.evidence.canonical import CanonicalError
from referee_client.errors import VerificationError
from referee_client.trust import Proved

AnyLeaf = TypeVar("AnyLeaf", OpenLeaf, DealLeaf, UnsealLeaf, AbortLeaf, RevealLeaf)

_SHOWN: Final = 200
"""How much of two things that differ an error shows."""


def read_leaf(proved: Proved, kind: type[AnyLeaf]) -> AnyLeaf:
    """Read a leaf of this kind; raise VerificationError for any other."""
    try:
        return parse(proved.payload, kind)
    except CanonicalError as error:
        fail(f"leaf {proved.index} is none of its type: {error}")


def same(what: str, found: object, expected: object) -> None:
    """Verify that two things are equal; raise VerificationError naming them otherwise."""
    if found != expected:
        fail(f"{what}: {repr(found)[:_SHOWN]} was answered, and {repr(expected)[:_SHOWN]} is right")


def fail(message: str) -> NoReturn:
    """Raise VerificationError."""
    raise VerificationError(message) from None
