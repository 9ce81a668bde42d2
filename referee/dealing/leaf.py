"""The payloads of leaves: OPEN, DEAL, UNSEAL, ABORT, REVEAL, KEY and START, as canonical JSON. SETTLE is a transcript.

One value has one text: ``parse`` reads a payload strictly, encodes it again and compares, so unknown members, other
spellings and other types are refused. Bytes are lowercase hex, an absent seed or commitment is an empty string, an
absent member is left out. ``read`` is the one check of a payload's form for every reader: hashes have 32 bytes, lists
ascend, seats are seats of the round, members that belong together are there together. ``parse`` also asks for what a
server itself writes: a header that keeps the protocol, an OPEN's round id that is its header's, a seed for each seat.

>>> revealed = RevealLeaf(round_id="00" * 32, server_seed="11" * 32)
>>> encode(revealed)[:30]
b'{"round_id":"00000000000000000'
>>> parse(encode(revealed), RevealLeaf) == revealed
True
>>> TYPES[RevealLeaf]
'application/vnd.referee.reveal.v1+json'
"""

import re
from itertools import pairwise
from typing import Any, Final, Literal, TypeVar, assert_never

import msgspec

from referee.dealing.abort import AbortReason, blamed_seats
from referee.dealing.header import RULESET_ID, TABLE_ID, VERSION, Header, HeaderError
from referee.dealing.seal import SEALED_SIZE
from referee.evidence.canonical import CanonicalError, Form, Hex32, Natural, check_hex, unhex
from referee.evidence.dsse import Envelope
from referee.evidence.ed25519 import SIGNATURE_SIZE, Signer
from referee.evidence.vkey import KeyTextError, VerifierKey
from referee.games import LeaderBy

OPEN_TYPE: Final = "application/vnd.referee.open.v1+json"
DEAL_TYPE: Final = "application/vnd.referee.deal.v1+json"
UNSEAL_TYPE: Final = "application/vnd.referee.unseal.v1+json"
ABORT_TYPE: Final = "application/vnd.referee.abort.v1+json"
REVEAL_TYPE: Final = "application/vnd.referee.reveal.v1+json"
KEY_TYPE: Final = "application/vnd.referee.key.v1+json"
START_TYPE: Final = "application/vnd.referee.start.v1+json"
MAX_NOTE_SIZE: Final = 4_096
"""Most bytes of the cosigned checkpoint in a DEAL."""
EDITABLE: Final = "editable"
"""The ``package`` of a START whose program runs from a checkout: its files change in place, so a digest has no use."""
_RELEASE: Final = re.compile(r"[A-Za-z0-9.+!_-]{1,64}")
"""Version of a program."""

_LAST_EVENT: Final = 2**32 - 1


class LeafError(CanonicalError):
    """A canonical payload of its kind whose values are malformed or contradict one another."""


class UnsoundKeyError(LeafError):
    """A KEY whose key is no verifier key text of a sound point of the curve."""


class OpenLeaf(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The terms of a round, the server's commitment C, the seats' commitments, and the sealed server seed.

    ``client_commitments`` has an entry for each seat, empty without a commitment. ``seat_tokens`` has for each seat the
    hash of the token that opens its hand on a sealed table; left out on an open table.
    """

    client_commitments: tuple[str, ...]
    header: Header
    opened_time: Natural
    round_id: Hex32
    sealed_seed: str
    server_commitment: Hex32
    seat_tokens: tuple[Hex32, ...] | msgspec.UnsetType = msgspec.UNSET

    @property
    def is_sealed(self) -> bool:
        """Whether the table is sealed: until the hands open, only the seat itself sees its hand."""
        return self.seat_tokens is not msgspec.UNSET

    def token_hash(self, seat: int) -> bytes:
        """Return the hash of a seat's token, empty on an open table."""
        return b"" if isinstance(self.seat_tokens, msgspec.UnsetType) else bytes.fromhex(self.seat_tokens[seat])


class DealLeaf(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The seats' seeds by seat, the mix M, the deck root, the leader and why it leads, and the time in ms.

    ``leader`` and ``leader_by`` are both left out in a game without a leader. ``opened_sections`` are the sections that
    are open to the frontend at the deal, ascending. ``cosigned_checkpoint`` is the hex of a note in which witnesses
    vouch for a tree that has the round's OPEN; left out if the server has no such note. ``seed_signatures`` has each
    seat's signature over its ``seed_statement``, empty for a seat without a key; left out if no seat has a key.
    """

    client_seeds: tuple[str, ...]
    dealt_time: Natural
    deck_root: Hex32
    mix: Hex32
    opened_sections: tuple[Natural, ...]
    round_id: Hex32
    cosigned_checkpoint: str | msgspec.UnsetType = msgspec.UNSET
    leader: Natural | msgspec.UnsetType = msgspec.UNSET
    leader_by: LeaderBy | msgspec.UnsetType = msgspec.UNSET
    seed_signatures: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET


class UnsealLeaf(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The sections that open after event ``number`` of a course, ascending, and the time at which they opened.

    The members of the referee's receipt of that event are repeated, so that ``receipt_signature`` can be verified.
    """

    event_hash: Hex32
    history: Hex32
    number: Natural
    opens_section: Natural
    receipt_signature: str
    received_time: Natural
    round_id: Hex32
    sections: tuple[Natural, ...]
    unsealed_time: Natural


class AbortLeaf(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The reason why a round ended without a settlement; seeds by seat, empty where none was received.

    SEED_MISSING names the seats at fault by their empty places. VOID is a round whose stream of bytes was used up.
    """

    aborted_time: Natural
    client_seeds: tuple[str, ...]
    reason: AbortReason
    round_id: Hex32
    stage: Literal["OPENED", "DEALT"]

    @property
    def blamed(self) -> tuple[int, ...]:
        """Seats at fault, ascending: those without a seed if the reason is SEED_MISSING, otherwise none."""
        return blamed_seats(self.reason, self.client_seeds)


class RevealLeaf(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The server's seed; it needs no signature, because C in the OPEN leaf proves it."""

    round_id: Hex32
    server_seed: Hex32


class KeyLeaf(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A key that becomes valid for a role with this leaf (ADD), or ceases to be (REVOKE).

    ``key`` is C2SP verifier key text.
    """

    action: Literal["ADD", "REVOKE"]
    key: str
    role: Literal["log", "referee", "shuffler", "witness"]


class StartRuleset(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A ruleset that a server judges by."""

    digest: Hex32
    id: str
    version: str


class StartLeaf(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The program, rulesets and settings that judge from this leaf on, until the next START of the same ``instance``.

    ``package`` is the digest of the program's installed files or EDITABLE, ``python`` the version of the interpreter,
    ``settings`` the digest of the settings that matter to a round, ``version`` the program's. ``rulesets`` ascend by id
    and version. ``started_time`` is the server's word; the leaf's place in the log is its date.
    """

    instance: str
    package: str
    python: str
    rulesets: tuple[StartRuleset, ...]
    settings: Hex32
    started_time: Natural
    version: str

    def judges_as(self, other: "StartLeaf") -> bool:
        """Return whether another START has the same members, ``started_time`` excepted."""
        return msgspec.structs.replace(self, started_time=other.started_time) == other


Leaf = OpenLeaf | DealLeaf | UnsealLeaf | AbortLeaf | RevealLeaf | KeyLeaf | StartLeaf
AnyLeaf = TypeVar("AnyLeaf", bound=Leaf)

TYPES: Final[dict[type[Leaf], str]] = {
    OpenLeaf: OPEN_TYPE,
    DealLeaf: DEAL_TYPE,
    UnsealLeaf: UNSEAL_TYPE,
    AbortLeaf: ABORT_TYPE,
    RevealLeaf: REVEAL_TYPE,
    KeyLeaf: KEY_TYPE,
    StartLeaf: START_TYPE,
}
"""The media type of each payload."""

_FORMS: Final[dict[type, Form[Any]]] = {kind: Form(kind) for kind in TYPES}


def encode(leaf: Leaf) -> bytes:
    """Encode a leaf as its canonical payload; raise CanonicalError for a leaf that ``parse`` refuses."""
    _check(leaf)
    _check_whole(leaf)
    return _FORMS[type(leaf)].write(leaf)


def read(payload: bytes, kind: type[AnyLeaf]) -> AnyLeaf:
    """Read a leaf of this kind, whatever its header says and whether or not each seat has a seed.

    Raise LeafError for a payload of this kind with malformed or contradictory values, CanonicalError for another.
    """
    leaf: AnyLeaf = _FORMS[kind].read(payload)
    try:
        _check(leaf)
    except LeafError:
        raise
    except CanonicalError as error:
        raise LeafError(str(error)) from None
    return leaf


def parse(payload: bytes, kind: type[AnyLeaf]) -> AnyLeaf:
    """Read a leaf of this kind as a server writes it; raise CanonicalError for any other payload."""
    leaf = read(payload, kind)
    _check_whole(leaf)
    return leaf


def sign_leaf(leaf: Leaf, signer: Signer) -> bytes:
    """Sign a leaf and return its envelope; raise CanonicalError if its values contradict one another."""
    return Envelope.signed(TYPES[type(leaf)], encode(leaf), signer).to_bytes()


def read_leaf(data: bytes, kind: type[AnyLeaf]) -> AnyLeaf:
    """Read a leaf of this kind from its envelope, whose signature and type are not verified.

    Raise EnvelopeError for bytes that are no envelope, CanonicalError for any other payload.
    """
    return parse(Envelope.parse(data).payload, kind)


def _check(leaf: Leaf) -> None:
    """Raise CanonicalError if the form of a leaf's values is wrong: the one check of each kind, for all readers."""
    match leaf:
        case OpenLeaf():
            _check_open(leaf)
        case DealLeaf():
            _check_deal(leaf)
        case UnsealLeaf():
            _check_unseal(leaf)
        case AbortLeaf():
            _check_hashes(leaf.round_id, *filter(None, leaf.client_seeds))
        case RevealLeaf():
            _check_hashes(leaf.round_id, leaf.server_seed)
        case KeyLeaf():
            _check_key(leaf.key)
        case StartLeaf():
            _check_start(leaf)
        case _:
            assert_never(leaf)


def _check_whole(leaf: Leaf) -> None:
    """Raise CanonicalError for an OPEN with a wrong header, or a DEAL with a missing seed."""
    match leaf:
        case OpenLeaf():
            _check_header(leaf)
        case DealLeaf():
            _check_hashes(*leaf.client_seeds)
        case _:
            pass


def _check_open(leaf: OpenLeaf) -> None:
    """Raise CanonicalError if a text is malformed, or ``seat_tokens`` are not one hash of 32 bytes for each seat."""
    _check_hashes(leaf.round_id, leaf.server_commitment, *filter(None, leaf.client_commitments))
    unhex(leaf.sealed_seed, SEALED_SIZE)
    if isinstance(leaf.seat_tokens, msgspec.UnsetType):
        return
    _check_hashes(*leaf.seat_tokens)
    if len(leaf.seat_tokens) != leaf.header.seat_count:
        raise LeafError(f"{leaf.header.seat_count} seats have {len(leaf.seat_tokens)} tokens")


def _check_deal(leaf: DealLeaf) -> None:
    """Raise CanonicalError for a DEAL whose leader, sections, checkpoint or signatures are malformed.

    Signatures, if any, have one entry for each seat, of 64 bytes or empty, and not all are empty. None is verified.
    """
    _check_hashes(leaf.round_id, leaf.mix, leaf.deck_root, *filter(None, leaf.client_seeds))
    check_leader(leaf.leader, leaf.leader_by, seat_count=len(leaf.client_seeds))
    if any(section >= following for section, following in pairwise(leaf.opened_sections)):
        raise LeafError(f"opened sections ascend, and these are {list(leaf.opened_sections)}")
    note = leaf.cosigned_checkpoint
    if isinstance(note, str):
        if not 0 < len(note) <= 2 * MAX_NOTE_SIZE:
            raise LeafError(f"a cosigned checkpoint has 1 to {MAX_NOTE_SIZE} bytes, not {len(note) // 2}")
        unhex(note, len(note) // 2)
    signatures = leaf.seed_signatures
    if isinstance(signatures, msgspec.UnsetType):
        return
    if len(signatures) != len(leaf.client_seeds) or not any(signatures):
        msg = f"{len(leaf.client_seeds)} seats have {len(signatures)} places for signatures, or none is signed"
        raise LeafError(msg)
    for text in filter(None, signatures):
        unhex(text, SIGNATURE_SIZE)


def _check_unseal(leaf: UnsealLeaf) -> None:
    """Raise CanonicalError for an UNSEAL with a wrong event number, sections or size of signature.

    The sections ascend and ``opens_section`` is among them. The signature is not verified.
    """
    _check_hashes(leaf.round_id, leaf.event_hash, leaf.history)
    unhex(leaf.receipt_signature, SIGNATURE_SIZE)
    if not 1 <= leaf.number <= _LAST_EVENT:
        raise LeafError(f"{leaf.number} is no number of an event; events are numbered from 1 to 2^32-1")
    if list(leaf.sections) != sorted(set(leaf.sections)) or leaf.opens_section not in leaf.sections:
        msg = f"sections {list(leaf.sections)} do not ascend, or section {leaf.opens_section} is not among them"
        raise LeafError(msg)


def _check_start(leaf: StartLeaf) -> None:
    """Raise CanonicalError if a name, version or digest of a START is malformed, or its rulesets do not ascend."""
    _check_hashes(leaf.settings, *[ruleset.digest for ruleset in leaf.rulesets])
    if leaf.package != EDITABLE:
        unhex(leaf.package, 32)
    texts = [(TABLE_ID, leaf.instance), (_RELEASE, leaf.python), (_RELEASE, leaf.version)]
    for ruleset in leaf.rulesets:
        texts += [(RULESET_ID, ruleset.id), (VERSION, ruleset.version)]
    for form, text in texts:
        if form.fullmatch(text) is None:
            raise LeafError(f"{text!r} is not of the form {form.pattern}")
    names = [(ruleset.id, ruleset.version) for ruleset in leaf.rulesets]
    if any(name >= following for name, following in pairwise(names)):
        raise LeafError("rulesets ascend by id and version, and these do not")


def _check_header(leaf: OpenLeaf) -> None:
    """Raise LeafError if an OPEN's header breaks the protocol, or its round id or commitments are not the header's."""
    try:
        header = leaf.header.checked()
    except HeaderError as error:
        raise LeafError(f"header.{error.field}: {error}") from None
    if leaf.round_id != header.round_id.hex():
        raise LeafError(f"the round id is {leaf.round_id}, but the header's is {header.round_id.hex()}")
    if len(leaf.client_commitments) != header.seat_count:
        raise LeafError(f"{header.seat_count} seats have {len(leaf.client_commitments)} places for commitments")


def _check_hashes(*texts: str) -> None:
    check_hex(texts)


def check_leader(leader: int | msgspec.UnsetType, by: LeaderBy | msgspec.UnsetType, *, seat_count: int) -> None:
    """Raise CanonicalError for a leader that is no seat of the round, or for only one of leader and reason."""
    if isinstance(leader, int) and leader >= seat_count:
        raise LeafError(f"a round of {seat_count} seats has no seat {leader}")
    if (leader is msgspec.UNSET) != (by is msgspec.UNSET):
        raise LeafError("leader and leader_by are there together, or neither")


def _check_key(text: str) -> None:
    try:
        VerifierKey.parse(text)
    except KeyTextError as error:
        raise UnsoundKeyError(str(error)) from None
