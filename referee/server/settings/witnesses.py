"""Section ``[witnesses]``: the witnesses of a log, by address and key, and their quorum."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from referee.evidence.vkey import VerifierKey
from referee.log.cosignature import Quorum, quorum_of
from referee.log.policy import Policy
from referee.reach import is_of_this_machine

_PLACEHOLDER: Final = re.compile(
    r"(?:[^/]*\.)?(?:localhost|example|test|invalid|local|example\.(?:com|net|org))(?::[0-9]+)?(?:/.*)?"
)
"""Origins below names that nobody owns (RFC 2606, RFC 6761), the default among them."""


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
    """The witnesses of a log and their quorum.

    ``is_required``: whether the server starts only if every witness answers. ``interval`` is the least time between two
    submissions to one witness, in seconds. A witness identifies a log by its origin, so a log with a witness on another
    machine needs an origin that no other log has.
    """

    addresses: tuple[WitnessAddress, ...]
    quorum: Quorum
    is_required: bool = False
    interval: float = 0.0

    def check_origin(self, origin: str) -> None:
        """Raise ValueError if the origin is a placeholder and a witness is on another machine."""
        far = [
            address.url for address in self.addresses if not is_of_this_machine(f"{urlsplit(address.url).hostname}:0")
        ]
        if far and _PLACEHOLDER.fullmatch(origin) is not None:
            raise ValueError(
                f"the log's origin is {origin!r}, a placeholder that other logs have too, and {far[0]} would be asked "
                "to cosign it; a log keeps its origin, so start a new one with log.origin set to a name below a domain "
                "of your own"
            )


class WitnessSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Section ``[witnesses]``: who cosigns the log's head."""

    urls: tuple[str, ...] = ()
    """Addresses of witnesses that cosign the log's head, as http://host:port or https://host/prefix."""
    keys: tuple[str, ...] = ()
    """Verifier keys of the witnesses, in the same order."""
    quorum: Annotated[int, Meta(ge=0)] = 0
    """Number of witnesses that must cosign, at most all of them; 0 for all."""
    policy: str = ""
    """File of a C2SP tlog-policy with the witnesses, their addresses and their quorum, in place of urls, keys and
    quorum; empty for none. It is read at the start."""
    interval_seconds: Annotated[float, Meta(ge=0, le=3600)] = 0
    """Least seconds between two submissions to one witness; 0 for no limit. A round on level L3 waits for it."""
    required: bool = False
    """true: the server does not start while a witness is unreachable. With false a log that is behind what an
    unreachable witness has cosigned, such as an old backup, starts."""

    def parsed(self) -> Witnesses | None:
        """Return the witnesses that the settings name, or None; raise ValueError for impossible settings."""
        if self.policy:
            return self._of_policy(Path(self.policy))
        if not self.urls and not self.keys:
            return None
        agreed = quorum_of(self.keys, needed=self.quorum or None)
        if agreed.doubled:
            raise ValueError(f"{agreed.doubled[0].text} is given for two witnesses; each needs a key of its own")
        named = tuple(WitnessAddress(url, key) for url, key in zip(self.urls, agreed.witnesses, strict=True))
        return Witnesses(addresses=named, quorum=agreed, is_required=self.required, interval=self.interval_seconds)

    def _of_policy(self, file: Path) -> Witnesses:
        if self.urls or self.keys or self.quorum:
            raise ValueError("a policy names witnesses, addresses and quorum: leave urls, keys and quorum out")
        try:
            policy = Policy.parse(file.read_bytes())
        except OSError as error:
            raise ValueError(f"{file} cannot be read: {error.strerror}") from error
        if policy.quorum is None:
            raise ValueError(f"{file} asks for no cosignature; leave the policy out")
        if mute := [one.name for one in policy.witnesses if not one.url]:
            raise ValueError(f"{file} has no address of {mute[0]}; write it behind its key, as https://host/prefix")
        named = tuple([WitnessAddress(one.url.rstrip("/"), one.key) for one in policy.witnesses])
        return Witnesses(
            addresses=named, quorum=policy.quorum, is_required=self.required, interval=self.interval_seconds
        )
