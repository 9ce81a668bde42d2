"""What a server sends to the process that advises: its charter, and with each call the charter's digest and the time.

The process keeps the newest charters by their digests. A call that names another one fails with UNINTRODUCED, until the
server, which asks again and again whether the process has its charter, has sent it.
"""

import hashlib
from functools import cached_property
from typing import Final

import msgspec

from referee.rulesets import Catalogue, Ruleset, parse_ruleset

CHARTER: Final = "referee-charter"
"""Metadata: the digest of the server's charter, as hexadecimal."""
NOW: Final = "referee-now"
"""Metadata: the server's clock, in milliseconds since 1970 UTC."""
SECONDS: Final = "referee-seconds"
"""Metadata: the seconds after which the call is over."""
INTRODUCE: Final = "/referee.adviser.Parent/Introduce"
"""Method that takes an encoded charter, or nothing and fails with UNINTRODUCED if the process does not have it."""
GRACE_SECONDS: Final = 2.0
"""Time after the end of a call in which the process must have let go of it."""
UNINTRODUCED: Final = "the process that advises does not have the charter of this server"


class RulesetFile(msgspec.Struct, frozen=True):
    """A ruleset's file: its name and bytes."""

    name: str
    data: bytes


class Charter(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """What rounds are verified against: the log's origin, the suite, public keys and rulesets."""

    origin: str
    suite: int
    shuffler_keys: tuple[bytes, ...]
    referee_keys: tuple[bytes, ...]
    rulesets: tuple[RulesetFile, ...]

    @classmethod
    def read(cls, data: bytes) -> "Charter":
        """Read an encoded charter; raise msgspec.ValidationError or DecodeError for other bytes."""
        return msgspec.msgpack.decode(data, type=cls)

    @cached_property
    def encoded(self) -> bytes:
        """The charter as bytes."""
        return msgspec.msgpack.encode(self)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the encoded charter, as hexadecimal."""
        return hashlib.sha256(self.encoded).hexdigest()

    def catalogue(self) -> Catalogue:
        """Return the rulesets."""
        return Catalogue([parse_ruleset(file.data, file=file.name) for file in self.rulesets])


def file_of(ruleset: Ruleset) -> RulesetFile:
    """Return the file of a ruleset."""
    return RulesetFile(ruleset.file, ruleset.source)
