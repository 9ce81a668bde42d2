r"""Policies of C2SP tlog-policy: the logs and witnesses that a file names, and how many witnesses must cosign.

The quorum is one witness or one group, whose members are witnesses and other groups. A log or witness is left out if
this program cannot verify its type of key. The number of members that must agree stays as in the file.

>>> key = "witness.example/w1+ed8c37d6+BLDvac9mmAMfo6UM3ZhuGEswRR4MUnSlB9TyBI0y+MK1"
>>> policy = Policy.parse(f"witness w1 {key} https://witness.example\nquorum w1\n".encode())
>>> [witness.url for witness in policy.witnesses], policy.quorum.needed
(['https://witness.example'], 1)

Source: https://c2sp.org/tlog-policy
"""

import base64
import binascii
import re
from dataclasses import dataclass, field
from typing import Final, Self

from referee.evidence.outside import OutsideError, unmarked
from referee.evidence.vkey import Algorithm, KeyTextError, VerifierKey
from referee.log.cosignature import PolicyGroup, Quorum, QuorumError

MAX_POLICY: Final = 64 * 1024
"""Bytes of a policy that is read."""

MAX_DEPTH: Final = 16
"""Groups in one another that are read."""

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_KEY: Final = re.compile(r"[^+]+\+[0-9a-f]{8}\+([A-Za-z0-9+/]+={0,2})")
_NONE: Final = "none"


class PolicyError(ValueError):
    """A text that is no policy, or one that this program cannot apply."""


@dataclass(frozen=True, slots=True)
class PolicyWitness:
    """A witness that the policy names; ``url`` is empty if the policy gives none."""

    name: str
    key: VerifierKey
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The logs that a policy names, and the witnesses of its quorum, in the policy's order.

    ``quorum`` is None if the policy asks for no cosignature. ``skipped`` has the names of the logs and witnesses that
    are left out because their keys are of unknown types.
    """

    logs: tuple[VerifierKey, ...]
    witnesses: tuple[PolicyWitness, ...]
    quorum: Quorum | None
    skipped: tuple[str, ...]

    @classmethod
    def parse(cls, data: bytes) -> Self:
        """Parse a policy; raise PolicyError, with the number of the line at fault, if the text is not a policy."""
        if len(data) > MAX_POLICY:
            raise PolicyError(f"a policy of {len(data)} bytes is not read; {MAX_POLICY} are allowed")
        try:
            text = unmarked(data).decode("utf-8", "surrogateescape")
        except OutsideError as error:
            raise PolicyError(f"line 1 of the policy: {error}") from None
        reader = _Reader()
        for number, line in enumerate(text.split("\n"), start=1):
            try:
                reader.read(line)
            except (PolicyError, KeyTextError) as error:
                raise PolicyError(f"line {number} of the policy: {error}") from error
        group = reader.agreed()
        try:
            quorum = None if group is None else _quorum_of(group)
        except QuorumError as error:
            raise PolicyError(f"the policy's quorum: {error}") from error
        by_key = {one.key: one for one in reader.witnesses.values() if one is not None}
        witnesses = tuple([by_key[key] for key in quorum.witnesses]) if quorum is not None else ()
        return cls(logs=tuple(reader.logs), witnesses=witnesses, quorum=quorum, skipped=tuple(reader.skipped))


def _quorum_of(group: PolicyGroup) -> Quorum:
    """Return a group as a quorum; raise PolicyError if the witnesses whose keys can be verified here cannot meet it."""
    keys, needed = group.witnesses, group.fewest
    if needed is None:
        raise PolicyError(f"the policy's quorum: the {len(keys)} witnesses whose keys can be verified here are too few")
    is_flat = all(isinstance(member, VerifierKey) for member in group.members)
    return Quorum(keys, needed) if is_flat else Quorum(keys, needed, group)


@dataclass(slots=True)
class _Reader:
    """Definitions of the lines read so far; a witness whose key is of an unknown type is None."""

    logs: list[VerifierKey] = field(default_factory=list)
    witnesses: dict[str, PolicyWitness | None] = field(default_factory=dict)
    groups: dict[str, PolicyGroup] = field(default_factory=dict)
    depths: dict[str, int] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)
    quorum: str = ""
    _keys: set[tuple[Algorithm, bytes]] = field(default_factory=set)
    _members: set[str] = field(default_factory=set)

    def read(self, line: str) -> None:
        if line.endswith("\r"):
            raise PolicyError("it ends in CR LF, as lines of Windows do; end each line in LF alone")
        if _CONTROL.search(line) is not None:
            raise PolicyError("there is a control character other than tab")
        words = re.split(r"[ \t]+", line.strip(" \t"))
        if words == [""] or words[0].startswith("#"):
            return
        match words:
            case ["log", key, *url] if len(url) <= 1:
                log = self._key(key, key, Algorithm.ED25519)
                self.logs += [] if log is None else [log]
            case ["witness", name, key, *url] if len(url) <= 1:
                self._check_new(name)
                verifier = self._key(name, key, Algorithm.COSIGNATURE_V1)
                self.witnesses[name] = None if verifier is None else PolicyWitness(name, verifier, "".join(url))
            case ["group", name, needed, *members] if members:
                self._group(name, needed, members)
            case ["quorum", name]:
                if self.quorum:
                    raise PolicyError("a policy has one quorum")
                if name != _NONE:
                    self._check_defined(name)
                self.quorum = name
            case _:
                raise PolicyError(f"{line[:100]!r} is no line of a log, witness, group or quorum")

    def agreed(self) -> PolicyGroup | None:
        """Return the group that must agree, which has one member if the quorum is one witness; None for no quorum."""
        if not self.quorum:
            raise PolicyError("the policy has no quorum; write `quorum none` where no cosignature is asked for")
        if self.quorum == _NONE:
            return None
        return self.groups.get(self.quorum) or PolicyGroup(1, self._members_of([self.quorum]))

    def _members_of(self, names: list[str]) -> tuple[VerifierKey | PolicyGroup, ...]:
        """Return the members with these names, without witnesses whose keys cannot be verified here."""
        found = [self.groups.get(name) or self.witnesses[name] for name in names]
        return tuple([one.key if isinstance(one, PolicyWitness) else one for one in found if one is not None])

    def _group(self, name: str, needed: str, members: list[str]) -> None:
        self._check_new(name)
        for member in members:
            self._check_defined(member)
            if member in self._members:
                raise PolicyError(f"{member} is listed in a group before")
            self._members.add(member)
        counts = {"any": 1, "all": len(members)}
        if needed not in counts and re.fullmatch(r"[1-9][0-9]{0,3}", needed) is None:
            raise PolicyError(f"{needed!r} is not all, any or a number from 1")
        count = counts.get(needed) or int(needed)
        if count > len(members):
            raise PolicyError(f"{count} of {len(members)} members cannot cosign")
        self.depths[name] = depth = 1 + max([self.depths.get(member, 0) for member in members])
        if depth > MAX_DEPTH:
            raise PolicyError(f"{depth} groups in one another are not read; {MAX_DEPTH} are allowed")
        self.groups[name] = PolicyGroup(count, self._members_of(members))

    def _key(self, name: str, text: str, wanted: Algorithm) -> VerifierKey | None:
        """Parse a key of type ``wanted``; if it is of another type, add the name to ``skipped`` and return None."""
        match = _KEY.fullmatch(text)
        try:
            kind = wanted if match is None else base64.b64decode(match[1], validate=True)[0]
        except (binascii.Error, IndexError):
            kind = wanted
        if kind != wanted:
            self.skipped.append(name)
            return None
        key = VerifierKey.parse(text)
        if (wanted, key.public_key) in self._keys:
            raise PolicyError(f"the key of {name[:100]} is named before")
        self._keys.add((wanted, key.public_key))
        return key

    def _check_new(self, name: str) -> None:
        if name == _NONE or name in self.witnesses or name in self.groups:
            raise PolicyError(f"{name[:100]!r} is defined already")

    def _check_defined(self, name: str) -> None:
        if name not in self.witnesses and name not in self.groups:
            raise PolicyError(f"{name[:100]!r} is not defined on a line before")
