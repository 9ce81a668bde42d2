"""Random changes to a log by an attacker with every key: one leaf or one value changes, then all is signed again."""

import json
import random
from collections.abc import Iterator, Sequence
from typing import Any

from referee.dealing import leaf as leaves
from referee.evidence.dsse import Envelope
from referee.transcript.inputs import MEDIA_TYPE
from tests.audit.audit_builder import LOG, REFEREE, ROOT, SHUFFLER, NamedSigner, sign

_SIGNERS: dict[str, NamedSigner] = {
    leaves.OPEN_TYPE: SHUFFLER,
    leaves.DEAL_TYPE: SHUFFLER,
    leaves.UNSEAL_TYPE: SHUFFLER,
    leaves.ABORT_TYPE: SHUFFLER,
    leaves.KEY_TYPE: ROOT,
    leaves.START_TYPE: REFEREE,
    MEDIA_TYPE: REFEREE,
}
BY_THE_RULES = {
    *("WRONG_RESULT", "ILLEGAL_EVENT", "LAW_FAILED", "TERMS_FORBIDDEN"),
    *("EVENT_NOT_RECEIVED", "SEEN_TOO_LOW", "TIMEOUT_TOO_EARLY"),
}
"""Findings that require the rules of the game."""
IN_NO_LAWFUL_ROUND = {"CARD_NOT_IN_HAND", "SEAL_BROKEN", "LEADER_MISMATCH"}
"""Findings that no lawful round has; the audit, which replays the round, may report its first illegal event instead."""
Seen = tuple[str, int | None]
"""The code of a finding and its leaf."""
_KEYS = 3
"""Number of leaves at the front that name keys; they are never changed."""


def apart(ours: set[Seen], theirs: set[Seen]) -> set[Seen]:
    """Return the findings that only one of audit and verifier has, and that both should have."""
    stopped = {leaf for code, leaf in ours if code in {"ILLEGAL_EVENT", "EVENTS_ALTERED", "HISTORY_ALTERED"}}
    more = {(code, leaf) for code, leaf in theirs - ours if code not in IN_NO_LAWFUL_ROUND or leaf not in stopped}
    return {(code, leaf) for code, leaf in ours - theirs if code not in BY_THE_RULES} | more


def listed_alike(ours: Sequence[Seen], theirs: Sequence[Seen]) -> bool:
    """Return whether audit and verifier list the findings that both have in one order."""
    both = {*ours} & {*theirs}
    one, other = ([seen for seen in dict.fromkeys(found) if seen in both] for found in (ours, theirs))
    return one == other


def mutate(entries: Sequence[bytes], chance: random.Random) -> list[bytes]:
    """Return the leaves with one random change: a leaf dropped, repeated, moved or re-signed, or a value changed."""
    mutated = list(entries)
    place = chance.randrange(_KEYS, len(mutated))
    match chance.randrange(8):
        case 0:
            del mutated[place]
        case 1:
            mutated.insert(chance.randrange(_KEYS, len(mutated)), mutated[place])
        case 2:
            leaf = mutated.pop(place)
            mutated.insert(chance.randrange(_KEYS, len(mutated)), leaf)
        case 3:
            envelope = Envelope.parse(mutated[place])
            stranger = chance.choice([LOG, ROOT, REFEREE, SHUFFLER])
            mutated[place] = sign(envelope.payload_type, envelope.payload, stranger)
        case _:
            mutated[place] = _with_another_value(mutated[place], chance)
    return mutated


def _with_another_value(leaf: bytes, chance: random.Random) -> bytes:
    envelope = Envelope.parse(leaf)
    payload = json.loads(envelope.payload)
    parent, name = chance.choice(list(_places(payload)))
    parent[name] = _another(parent[name], chance)
    return sign_again(leaf, json.dumps(payload, sort_keys=True, separators=(",", ":")).encode())


def sign_again(leaf: bytes, payload: bytes) -> bytes:
    """Return a leaf with another payload, signed by the key that signs its type."""
    payload_type = Envelope.parse(leaf).payload_type
    signer = _SIGNERS.get(payload_type)
    return Envelope(payload_type, payload).to_bytes() if signer is None else sign(payload_type, payload, signer)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:  # noqa: ANN401 - any JSON value
    """Yield every member and item of a JSON value as its parent and its name or index."""
    members = value.items() if isinstance(value, dict) else enumerate(value)
    for name, member in list(members):
        yield value, name
        if isinstance(member, dict | list):
            yield from _places(member)


def _another(value: Any, chance: random.Random) -> Any:  # noqa: ANN401 - any JSON value
    match value:
        case int():
            return chance.choice([value + 1, value - 1, 0, -value, 2**53 - 1, str(value), value * 2 % 2**53])
        case str():
            place = chance.randrange(len(value)) if value else 0
            other = value[:place] + chance.choice("0123456789abcdef") + value[place + 1 :]
            return chance.choice([other, value[:-1], value.upper(), "", "00" * 32, 7])
        case list():
            shuffled = chance.sample(value, len(value))
            return chance.choice([value[1:], value[:-1], [*value, *value[:1]], shuffled, [], {}])
        case _:
            return chance.choice([{}, [], {**value, "more": 1}, dict(list(value.items())[1:])])
