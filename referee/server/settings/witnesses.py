"""Section ``[witnesses]``: the witnesses of a log, by address and key, and their quorum."""

from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from referee.evidence.vkey import VerifierKey
from referee.log.cosignature import Quorum, quorum_of


@dataclass(frozen=True, slots=True)
class WitnessAddress:
    """Address of a witness and its key. ``url`` is the submission prefix, http or https."""

    url: str
    key: VerifierKey

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
            raise ValueError(f"{self.url!r} is not a witness's address; write http://host:port or https://host/prefix")


@dataclass(frozen=True, slots=True, kw_only=True)
class Witnesses:
    """The witnesses of a log and their quorum. ``is_required``: every witness must answer at the start."""

    addresses: tuple[WitnessAddress, ...]
    quorum: Quorum
    is_required: bool = False


class WitnessSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Section ``[witnesses]``: who cosigns the log's head."""

    urls: tuple[str, ...] = ()
    """Addresses of witnesses that cosign the log's head, as http://host:port or https://host/prefix."""
    keys: tuple[str, ...] = ()
    """Verifier keys of the witnesses, in the same order."""
    quorum: Annotated[int, Meta(ge=0)] = 0
    """Number of witnesses that must cosign, at most all of them; 0 for all."""
    required: bool = False
    """true: the server does not start while a witness is unreachable. With false a log that is behind what an
    unreachable witness has cosigned, such as an old backup, starts."""

    def parsed(self) -> Witnesses | None:
        """Return the witnesses that the settings name, or None; raise ValueError for impossible settings."""
        if not self.urls and not self.keys:
            return None
        agreed = quorum_of(self.keys, needed=self.quorum or None)
        if agreed.doubled:
            raise ValueError(f"{agreed.doubled[0].text} is given for two witnesses; each needs a key of its own")
        named = tuple(WitnessAddress(url, key) for url, key in zip(self.urls, agreed.witnesses, strict=True))
        return Witnesses(addresses=named, quorum=agreed, is_required=self.required)
