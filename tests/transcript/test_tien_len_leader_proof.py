"""The proof of a table's last winner, apart from any server: every fault has its own name and place."""

import itertools
import pickle
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from msgspec.structs import replace

from referee.cards import Seat
from referee.dealing.header import NO_KEY, NO_LEAF, PROTOCOL, SUITE_FIXTURE, Header
from referee.dealing.leaf import ABORT_TYPE, AbortLeaf, encode
from referee.evidence import canonical
from referee.evidence.dsse import Envelope
from referee.evidence.merkle import leaf_hash
from referee.transcript.inputs import MEDIA_TYPE
from referee.transcript.leader import LastWinner, PreviousFault, PreviousRound, PreviousRoundError, find_last_winner


class KeyOf:
    """A signing key made by a second implementation of Ed25519."""

    def __init__(self, number: int) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32)
        self.public_key = self._key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)

    def sign(self, message: bytes) -> bytes:
        """Return the signature."""
        return self._key.sign(message)


REFEREE, SHUFFLER, STRANGER, PLAYER = (KeyOf(number) for number in (1, 2, 3, 4))
FIRST: Final = Header(
    protocol=PROTOCOL,
    origin="log.example/1",
    randomness_suite=SUITE_FIXTURE,
    table_id="t-1",
    round_number=1,
    ruleset_id="tien_len.mien_nam",
    ruleset_version="1.0.0",
    ruleset_digest=bytes(32),
    layout=(13, 13, 26),
    currency="CHIP",
    stake=10,
    seat_stakes=(),
    seat_keys=(NO_KEY, PLAYER.public_key),
    previous_leaf=NO_LEAF,
    deal_deadline=1,
    round_deadline=2,
)
Rounds: TypeAlias = list[PreviousRound]


def _settle(
    header: Header, *, winners: Sequence[int | str] = (1,), signer: KeyOf = REFEREE, media_type: str = MEDIA_TYPE
) -> bytes:
    """Make a leaf with the members that a transcript must have; its results do not follow from its inputs."""
    inputs: dict[str, canonical.Writable] = {
        "closed_time": 1,
        "dealt_time": 1,
        "deck_root": bytes(32),
        "events": [],
        "header": {
            "currency": header.currency,
            "deal_deadline": header.deal_deadline,
            "layout": list(header.layout),
            "origin": header.origin,
            "previous_leaf": header.previous_leaf,
            "protocol": header.protocol,
            "randomness_suite": header.randomness_suite,
            "round_deadline": header.round_deadline,
            "round_number": header.round_number,
            "ruleset_digest": header.ruleset_digest,
            "ruleset_id": header.ruleset_id,
            "ruleset_version": header.ruleset_version,
            "seat_keys": list(header.seat_keys),
            "seat_stakes": [],
            "stake": header.stake,
            "table_id": header.table_id,
        },
        "sections": [],
        "signatures": [],
        "unsealed": [],
    }
    payload = canonical.encode(
        {"format": 1, "inputs": inputs, "results": {"winners": list(winners)}, "round_id": header.round_id}
    )
    return Envelope.signed(media_type, payload, signer).to_bytes()


def _abort(header: Header, *, signer: KeyOf = SHUFFLER, payload: bytes = b"") -> bytes:
    leaf = AbortLeaf(
        aborted_time=1, client_seeds=("", ""), reason="OPERATOR", round_id=header.round_id.hex(), stage="OPENED"
    )
    return Envelope.signed(ABORT_TYPE, payload or encode(leaf), signer).to_bytes()


def _after(previous: Header, leaf: bytes) -> Header:
    return replace(previous, round_number=previous.round_number + 1, previous_leaf=leaf_hash(leaf))


def _find(header: Header, rounds: Rounds, game: str = "tien_len") -> LastWinner | None:
    return find_last_winner(
        header, rounds, game=game, referee_keys=[REFEREE.public_key], shuffler_keys=[SHUFFLER.public_key]
    )


def test_the_winner_is_found_behind_any_number_of_aborted_rounds() -> None:
    settled = _settle(FIRST)
    header, rounds = _after(FIRST, settled), [PreviousRound(settled, FIRST)]
    for _ in range(5):
        assert _find(header, rounds) == LastWinner(Seat(1), PLAYER.public_key)
        aborted = _abort(header)
        rounds.insert(0, PreviousRound(aborted, header))
        header = _after(header, aborted)


def test_the_first_of_several_winners_leads() -> None:
    settled = _settle(FIRST, winners=(0, 1))
    assert _find(_after(FIRST, settled), [PreviousRound(settled, FIRST)]) == LastWinner(Seat(0), NO_KEY)


def test_a_table_without_a_settled_round_has_no_winner() -> None:
    assert _find(FIRST, []) is None
    aborted = _abort(FIRST)
    assert _find(_after(FIRST, aborted), [PreviousRound(aborted, FIRST)]) is None


def test_a_winner_of_another_game_is_none_of_this() -> None:
    for winners in ((0,), ()):
        settled = _settle(FIRST, winners=winners)
        rounds = [PreviousRound(settled, FIRST)]
        assert _find(_after(FIRST, settled), rounds, game="mau_binh") is None


Case: TypeAlias = Callable[[], tuple[Header, Rounds]]


def _case(leaf: bytes, header: Header = FIRST, *more: PreviousRound) -> tuple[Header, Rounds]:
    return _after(FIRST, leaf), [PreviousRound(leaf, header), *more]


OTHER: Final = replace(FIRST, table_id="t-2")
CASES: Final[dict[str, tuple[Case, PreviousFault, int, str]]] = {
    "settled by a stranger": (lambda: _case(_settle(FIRST, signer=STRANGER)), PreviousFault.FORGED, 0, "terminal_leaf"),
    "settled by the shuffler": (
        lambda: _case(_settle(FIRST, signer=SHUFFLER)),
        PreviousFault.FORGED,
        0,
        "terminal_leaf",
    ),
    "aborted by the referee": (lambda: _case(_abort(FIRST, signer=REFEREE)), PreviousFault.FORGED, 0, "terminal_leaf"),
    "unsigned": (
        lambda: _case(Envelope(MEDIA_TYPE, Envelope.parse(_settle(FIRST)).payload).to_bytes()),
        PreviousFault.FORGED,
        0,
        "terminal_leaf",
    ),
    "another leaf than the header names": (
        lambda: (_after(FIRST, _settle(OTHER)), [PreviousRound(_settle(FIRST), FIRST)]),
        PreviousFault.FOREIGN,
        0,
        "terminal_leaf",
    ),
    "settled, with the header of another round": (lambda: _case(_settle(OTHER)), PreviousFault.FOREIGN, 0, "header"),
    "aborted, with the header of another round": (lambda: _case(_abort(OTHER)), PreviousFault.FOREIGN, 0, "header"),
    "a leaf that ends no round": (
        lambda: _case(_settle(FIRST, media_type="application/vnd.referee.deal.v1+json")),
        PreviousFault.MALFORMED,
        0,
        "terminal_leaf",
    ),
    "no envelope": (lambda: _case(b"no envelope"), PreviousFault.MALFORMED, 0, "terminal_leaf"),
    "no abort": (lambda: _case(_abort(FIRST, payload=b"{}")), PreviousFault.MALFORMED, 0, "terminal_leaf"),
    "no transcript": (
        lambda: _case(Envelope.signed(MEDIA_TYPE, b"{}", REFEREE).to_bytes()),
        PreviousFault.MALFORMED,
        0,
        "terminal_leaf",
    ),
    "the winner is a text": (
        lambda: _case(_settle(FIRST, winners=("1",))),
        PreviousFault.MALFORMED,
        0,
        "terminal_leaf",
    ),
    "nobody won": (lambda: _case(_settle(FIRST, winners=())), PreviousFault.MALFORMED, 0, "terminal_leaf"),
    "the winner has no seat": (
        lambda: _case(_settle(FIRST, winners=(2,))),
        PreviousFault.MALFORMED,
        0,
        "terminal_leaf",
    ),
    "ends before a settled round": (
        lambda: (_after(FIRST, _settle(FIRST)), []),
        PreviousFault.INCOMPLETE,
        0,
        "",
    ),
    "goes on behind the winner": (
        lambda: _case(_settle(FIRST), FIRST, PreviousRound(_settle(FIRST), FIRST)),
        PreviousFault.SURPLUS,
        1,
        "",
    ),
    "goes on behind the table's first round": (
        lambda: _case(_abort(FIRST), FIRST, PreviousRound(_settle(FIRST), FIRST)),
        PreviousFault.SURPLUS,
        1,
        "",
    ),
}


@pytest.mark.parametrize(("case", "fault", "index", "member"), CASES.values(), ids=CASES)
def test_rounds_that_prove_no_winner_are_refused(case: Case, fault: PreviousFault, index: int, member: str) -> None:
    header, rounds = case()
    with pytest.raises(PreviousRoundError) as caught:
        _find(header, rounds)
    assert (fault, index, member) == (caught.value.fault, caught.value.index, caught.value.member)
    copied = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - our own bytes
    assert (str(caught.value), fault, index, member) == (str(copied), copied.fault, copied.index, copied.member)


def test_every_fault_is_found_by_some_case() -> None:
    assert set(PreviousFault) == {fault for _, fault, _, _ in CASES.values()}


def test_a_player_with_a_key_fits_the_seat_of_that_key_alone() -> None:
    keyed, keyless = LastWinner(Seat(0), PLAYER.public_key), LastWinner(Seat(0), NO_KEY)
    for (winner, seat), fits in {(keyed, 0): False, (keyed, 1): True, (keyless, 0): True, (keyless, 1): True}.items():
        assert winner.fits(FIRST, Seat(seat)) == fits
    assert keyed.is_seated(FIRST)
    assert not keyless.is_seated(FIRST)
    assert not keyed.is_seated(replace(FIRST, seat_keys=(NO_KEY, NO_KEY)))


def test_no_bytes_of_a_leaf_can_be_changed() -> None:
    """A changed leaf has another hash than the header names, whatever the change is."""
    settled = _settle(FIRST)
    header = _after(FIRST, settled)
    for place, bit in itertools.product(range(0, len(settled), 97), range(8)):
        changed = bytearray(settled)
        changed[place] ^= 1 << bit
        with pytest.raises(PreviousRoundError) as caught:
            _find(header, [PreviousRound(bytes(changed), FIRST)])
        assert caught.value.fault is PreviousFault.FOREIGN
