"""Sample of a round for the statistics of a log: its deck, the quality of its hands, and how it ended.

A sample has a deck only if that was dealt again from its seeds. It depends on its round alone.
"""

import hashlib
from collections.abc import Sequence

from msgspec.structs import replace

from referee.audit.course import is_unopened
from referee.audit.round_leaves import ExaminedRound
from referee.dealing.header import NO_KEY, SUITE_COMMITMENT
from referee.games import GAMES
from referee.games.questions import HouseQuestions, PointQuestions
from referee.suspicion.population import RoundSample


def sample_of(examined: ExaminedRound) -> RoundSample:
    """Make the sample of a round.

    A round with a scripted deck counts as played; its sample has no other data.
    """
    leaves, result, ruleset = examined.leaves, examined.result, examined.ruleset
    header, abort, deal = leaves.header, leaves.abort, leaves.deal
    game = header.ruleset_id.partition(".")[0]
    sample = RoundSample(
        table_id=header.table_id, game=game, seat_count=header.seat_count, leaf_index=examined.leaf_index
    )
    if header.randomness_suite != SUITE_COMMITMENT:
        return sample
    sections = list(result.deck)
    hands = sections[: header.seat_count]
    deck = b"" if result.handed_in else b"".join(sections)
    shown = b"".join(map(bytes, result.shown))
    law = None if ruleset is None else GAMES.get(ruleset.game)
    if law is not None and deck and not shown:
        shown = b"".join(sections[: len(law.layout(header.seat_count).shown)])
    questions = None if law is None or not sections else law.questions
    is_even = law is not None and isinstance(law.questions, PointQuestions) and law.questions.are_seats_alike
    return replace(
        sample,
        is_ended=abort is not None or leaves.settle is not None,
        is_aborted=abort is not None,
        is_lapsed=leaves.is_lapsed,
        is_seeded=deal is not None or (abort is not None and any(abort.leaf.client_seeds)),
        is_unopened=leaves.open.leaf.is_sealed
        and leaves.settle is not None
        and is_unopened(bytes(one.event) for one in leaves.settle.leaf.inputs.events),
        keys=tuple([b"" if key == NO_KEY else key for key in header.seat_keys]),
        blamed=() if abort is None else tuple([seat for seat in abort.leaf.blamed if seat < header.seat_count]),
        handed_in=result.handed_in,
        deck=deck,
        shown=hashlib.sha256(shown).digest() if shown else b"",
        shown_count=len(shown),
        points=tuple([questions.points(hand) for hand in hands]) if isinstance(questions, PointQuestions) else (),
        leads=questions.leads(ruleset.rules, sections, header.seat_count)
        if isinstance(questions, HouseQuestions) and ruleset is not None
        else (),
        outcomes=questions.outcomes(ruleset.rules, hands)
        if abort is not None
        and ruleset is not None
        and isinstance(questions, PointQuestions)
        and questions.outcomes is not None
        else (),
        winner=_winner(result.net) if is_even else None,
    )


def _winner(net: Sequence[int]) -> int | None:
    """Return the seat that won most; None in a tie for the most, or with fewer than two seats."""
    if len(net) < 2:  # noqa: PLR2004 - a seat and another
        return None
    most = max(net)
    return net.index(most) if net.count(most) == 1 else None
