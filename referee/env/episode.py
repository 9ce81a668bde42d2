"""Episode: a round that is dealt from a seed by the shuffler's derivation, and played by the law alone.

The header, the server's seed and those of the seats all follow from the episode's seed and number, and the deck from
these. An episode has no clock: all of it happens at one time.
"""

import hashlib
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from referee.cards import HOUSE, cards_of, glyphs_of
from referee.dealing.deadlines import DEAL_MS, default_round_deadline
from referee.dealing.deal import Deal
from referee.dealing.header import NO_KEY, NO_LEAF, PROTOCOL, SUITE_COMMITMENT, Header
from referee.dealing.lead import lead_of
from referee.games import GAMES, Event
from referee.rulesets import Language, Ruleset, load_texts
from referee.transcript.round import Round

ORIGIN: Final = "env.invalid/episodes"
TIME: Final = 1_735_689_600_000
"""Time of everything in an episode, the beginning of 2025, in ms since 1970 UTC."""
_SEAT: Final = {Language.EN: ("seat", "house", "pays"), Language.VI: ("ghế", "nhà cái", "trả")}


class Episode:
    """A round at the ruleset's bet unit, which is each seat's stake; ``state`` is the game's own.

    Its table is named by the ruleset's digest, the number of seats, the seed and the number.
    """

    def __init__(self, ruleset: Ruleset, *, seat_count: int, seed: int, number: int) -> None:
        self.ruleset, self.game = ruleset, GAMES[ruleset.game]
        layout, deadline = self.game.layout(seat_count), TIME + DEAL_MS
        table = f"{ruleset.digest.hex()[:8]}-{seat_count}-{seed}-{number}"
        self.header = Header(
            protocol=PROTOCOL,
            origin=ORIGIN,
            randomness_suite=SUITE_COMMITMENT,
            table_id=table,
            round_number=1,
            ruleset_id=ruleset.id,
            ruleset_version=ruleset.version,
            ruleset_digest_hex=ruleset.digest.hex(),
            layout=layout.sizes,
            currency="CHIP",
            stake=ruleset.bet_unit,
            seat_stakes=((ruleset.bet_unit, 0),) * (seat_count if self.game.seat_stake_names else 0),
            seat_keys_hex=(NO_KEY.hex(),) * seat_count,
            previous_leaf_hex=NO_LEAF.hex(),
            deal_deadline=deadline,
            round_deadline=default_round_deadline(deadline, ruleset.rules.round.bounds),
        )
        whose = ("server", *range(seat_count))
        seeds = [hashlib.sha256(f"referee.env {table} {owner}".encode()).digest() for owner in whose]
        self.server_seed, self.client_seeds = seeds[0], seeds[1:]
        self.deal = Deal.derive(self.header, server_seed=self.server_seed, client_seeds=self.client_seeds)
        first = None if self.game.lead is None else self.game.lead.first_leader(ruleset.rules)
        self.state: Any = Round.begin(
            self.header,
            ruleset,
            sections=self.deal.sections[: len(layout.shown)],
            deck_root=self.deal.deck_root,
            dealt_time=TIME,
            lead=None if first is None else lead_of(self.header, self.deal, winner=None, first=first),
            is_sealed=False,
        ).state
        self.events: list[Event] = []

    def apply(self, event: Event) -> None:
        """Apply an event, and open the cards that it opens; raise UnlawfulEventError if a rule refuses it."""
        after = self.game.apply(self.state, event)
        self.state = self.game.later.unseal(after, TIME) if self.game.later.opens(self.state, after) else after
        self.events.append(event)

    def settle(self) -> Any:
        """Return the settlement; raise ValueError while the round cannot be settled."""
        if violations := self.game.check_closing(self.state, TIME):
            raise ValueError(f"the round cannot be settled: {', '.join([fault.code for fault in violations])}")
        return self.game.settle(self.state)

    def lines(self, language: Language) -> Iterator[str]:
        """Yield the title, each event and, at the end, each transfer, in the words of the ruleset and its game."""
        texts, names = load_texts(self.game.name), self.ruleset.names
        seat, house, pays = _SEAT[language]
        yield f"{getattr(self.ruleset.title, language)} {self.header.table_id}"
        for event in self.events:
            record = msgspec.json.decode(self.game.events.encode(event))
            codes = [code for _, code in sorted(record.items(), key=lambda member: member[0] != "kind")]
            words = [texts.events[code] for code in codes if isinstance(code, str) and code in texts.events]
            cards = [glyphs_of(cards_of(group.cards)) for group in self.game.groups(record)]
            said = [*[getattr(name, language) for name in words], *cards[:1], *[f"| {group}" for group in cards[1:]]]
            yield " ".join([seat, str(event.seat), *said])
        for paid in self.settle().transfers if self.state.is_over else ():
            payer, payee = [house if one == HOUSE else f"{seat} {one}" for one in (paid.payer, paid.payee)]
            reasons = [getattr(table[paid.reason], language) for table in names.values() if paid.reason in table]
            yield f"{payer} {pays} {payee} {paid.amount}: {', '.join(reasons[:1])}"
