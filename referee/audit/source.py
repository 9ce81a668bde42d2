"""Where a log is read from: anything that has a signed checkpoint and gives leaves in order.

The law: an audit takes bytes and trusts nothing about where they came from, so a database, a folder of tiles and a
file that a player was handed are all the same to it. *Exhibits* are what people hold besides the log: certificates and
event receipts, which it checks against the log's rounds, log receipts, and whatever else was handed out.

It refuses to know storage, networks and files.

>>> bundle = Bundle(checkpoint=b"", entries=(b"open", b"deal", b"settle"))
>>> list(bundle.leaves(1, 3))
[b'deal', b'settle']
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol


class LogSource(Protocol):
    """A log as it is handed to an auditor."""

    @property
    def checkpoint(self) -> bytes:
        """The signed note of the newest checkpoint."""

    def leaves(self, start: int, stop: int) -> Iterator[bytes]:
        """The leaves from ``start`` to before ``stop`` in order; fewer where the source has no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """A whole log in memory."""

    checkpoint: bytes
    entries: tuple[bytes, ...]

    def leaves(self, start: int, stop: int) -> Iterator[bytes]:
        """The leaves from ``start`` to before ``stop``, as far as there are."""
        return iter(self.entries[start:stop])


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """A log receipt that somebody was given, as the text of a C2SP tlog-proof, with its leaf where they have it."""

    receipt: bytes
    leaf: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhibits:
    """What people hold besides the log, each kind in any order.

    ``certificates`` and ``event_receipts`` are signed envelopes, ``promises`` log receipts, and ``exports`` any bytes
    that were handed out while a round was played, which must not hold its secrets.
    """

    certificates: tuple[bytes, ...] = ()
    event_receipts: tuple[bytes, ...] = ()
    promises: tuple[Promise, ...] = ()
    exports: tuple[bytes, ...] = ()


NO_EXHIBITS = Exhibits()
