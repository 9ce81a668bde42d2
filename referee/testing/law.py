"""Tests of a game's law: its lifecycle, its bytes, money, hidden cards, clocks, words and errors."""

import copy
import random
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Final

import msgspec

from referee.cards import Seat
from referee.games import (
    AnyGame,
    DealError,
    Event,
    EventBytesError,
    LawError,
    StakesError,
    UnlawfulEventError,
    refusals,
)
from referee.games.fault import FaultKind
from referee.money import house_net, net_amounts
from referee.rulesets import Ruleset, get, load_texts
from referee.testing.rounds import DEALT_TIME, ROUND_ID, TrialRound, play_round, random_deal
from referee.transcript.round import encode_results


class LawTests:
    """Properties of a game's law. A subclass whose name begins with ``Test`` names the game, a ruleset and choices."""

    game: ClassVar[AnyGame]
    ruleset_id: ClassVar[str]
    round_count: ClassVar[int] = 60
    """Rounds that are played at random, each from a seed of its own."""

    def choices(self, state: Any, time: int) -> Sequence[Event]:
        """Return events that players may choose at a time, for each seat that can act; unlawful events are left out."""
        raise NotImplementedError

    @property
    def ruleset(self) -> Ruleset:
        """Ruleset that the rounds are played under."""
        return get(self.ruleset_id)

    def rounds(self) -> tuple[TrialRound, ...]:
        """Return the rounds, which are played once; if tables can be sealed, every second round is sealed."""
        kind = type(self)
        if kind not in _PLAYED:
            _PLAYED[kind] = _play(self)
        return _PLAYED[kind]

    def steps(self) -> Iterator[tuple[Any, Event, Any]]:
        """Yield each event of all rounds with the states before and after it."""
        steps = [step for trial in self.rounds() for step in trial.steps]
        assert steps, "no choice was lawful: choices() must offer the events of seats that can act"
        yield from steps

    def test_names_agree(self) -> None:
        """The ruleset is the game's own, and its rules of the game's type."""
        assert self.ruleset.game == self.game.name
        assert isinstance(self.ruleset.rules, self.game.rules_type)
        assert self.game.title

    def test_round_begins_with_its_deal(self) -> None:
        """A new round has no event and the deal that it was given."""
        for trial in self.rounds():
            assert (trial.begun.event_count, trial.begun.last_time) == (0, DEALT_TIME)
            assert trial.begun.deal.seat_count in range(
                self.ruleset.rules.seats.minimum, self.ruleset.rules.seats.maximum + 1
            )

    def test_event_adds_one_to_the_count_and_gives_the_time(self) -> None:
        """Applying an event does not change the state before it."""
        for before, event, after in self.steps():
            kept = copy.deepcopy(before)
            assert after.event_count == before.event_count + 1
            assert after.last_time >= event.time
            assert after.deal == before.deal
            self.game.apply(before, event)
            assert before == kept

    def test_round_has_at_most_its_number_of_events(self) -> None:
        """No round is played beyond ``max_events``."""
        for trial in self.rounds():
            assert len(trial.steps) <= self.game.max_events
            if len(trial.steps) == self.game.max_events:
                faults = [
                    self.game.check(trial.state, event) for event in self.choices(trial.state, trial.state.last_time)
                ]
                assert all(refusals(self.game, violations) for violations in faults)

    def test_check_and_apply_agree(self) -> None:
        """``apply`` accepts an event exactly when no violation refuses it; otherwise it raises those violations."""
        refused = 0
        for before, event, _ in self.steps():
            for other in self.spoilt(before, event):
                faults = refusals(self.game, self.game.check(before, other))
                try:
                    self.game.apply(before, other)
                except UnlawfulEventError as error:
                    assert refusals(self.game, error.violations) == faults
                    assert faults
                    refused += 1
                else:
                    assert not faults
        assert refused

    def spoilt(self, before: Any, event: Event) -> Iterator[Event]:
        """Yield copies of the event: three of seats that do not exist, one of another seat, three of other times."""
        seats = before.deal.seat_count
        for seat in (seats, seats + 250, -1, (event.seat + 1) % seats):
            yield msgspec.structs.replace(event, seat=Seat(seat))  # type: ignore[type-var] # an EventRecord
        for time in (before.last_time - 1, DEALT_TIME - 1, self.ruleset.rules.round.bounds.longest + DEALT_TIME):
            yield msgspec.structs.replace(event, time=time)  # type: ignore[type-var] # as above

    def test_event_of_no_seat_or_of_the_past_is_refused(self) -> None:
        """Events of every kind are refused for it."""
        for before, event, _ in self.steps():
            strays = list(self.spoilt(before, event))
            for stray in (*strays[:3], *strays[4:6]):
                assert refusals(self.game, self.game.check(before, stray)), stray

    def test_same_inputs_give_the_same_results(self) -> None:
        """A round played again from its events is the same to the byte."""
        for trial in self.rounds():
            state = self.game.begin(self.ruleset.rules, copy.deepcopy(trial.begun.deal))
            for before, event, after in trial.steps:
                assert state == before
                state = self.game.apply(state, self.decoded(event))
                if self.game.later.opens(before, state):
                    state = self.game.later.unseal(state, after.last_time)
                assert state == after
            if trial.closed_time is not None:
                assert self.results(state) == self.results(trial.state)

    def decoded(self, event: Event) -> Event:
        """Return the event as it is read from its own bytes."""
        again: Event = self.game.events.decode(self.game.events.encode(event), time=event.time, round_id=ROUND_ID)
        return again

    def results(self, state: Any) -> bytes:
        """Return the results of a round as its transcript has them."""
        return bytes(encode_results(self.game.encode_results(state, self.game.settle(state))))

    def test_event_comes_back_from_its_bytes(self) -> None:
        """Each event has one text, without its time; alone, among others, and with what its seat had seen."""
        events = [event.in_round(ROUND_ID) for _, event, _ in self.steps()]
        texts = [self.game.events.encode(event) for event in events]
        assert list(self.game.events.encode_all(events)) == texts
        assert list(self.game.events.decode_all(texts, [event.time for event in events], round_id=ROUND_ID)) == events
        for event, text in zip(events, texts, strict=True):
            assert self.decoded(event) == event
            assert b'"time"' not in text
            if not event.is_imposed:
                seen = msgspec.structs.replace(event, seen=event.time)  # type: ignore[type-var] # an EventRecord
                assert self.decoded(seen) == seen

    def test_other_bytes_are_no_event(self) -> None:
        """Bytes that are almost those of an event are refused with EventBytesError."""
        _, event, _ = next(self.steps())
        text = self.game.events.encode(event)
        for stray in (b"", b"{}", b"[]", text + b" ", text[:-1], text.replace(b'"seat":', b'"seat": '), b"\xff"):
            try:
                self.game.events.decode(stray, time=DEALT_TIME, round_id=ROUND_ID)
            except EventBytesError:
                continue
            raise AssertionError(stray)

    def test_rounds_settle_and_conserve_money(self) -> None:
        """The net amounts of seats and house sum to zero and follow from the transfers."""
        settled = [trial for trial in self.rounds() if trial.closed_time is not None]
        assert settled, "no round could be settled: choices() must lead to an end"
        for trial in settled:
            outcome, seats = self.game.settle(trial.state), trial.begun.deal.seat_count
            assert tuple(outcome.net) == tuple(net_amounts(outcome.transfers, seats))
            assert sum(outcome.net) + house_net(outcome.transfers) == 0
            assert all(transfer.amount > 0 for transfer in outcome.transfers)
            assert set(outcome.winners) <= set(range(seats))

    def test_results_are_canonical_and_agree_with_the_outcome(self) -> None:
        """Each seat of the results has its net amount, and the transfers are the outcome's."""
        for trial in self.rounds():
            if trial.closed_time is None:
                continue
            outcome = self.game.settle(trial.state)
            results = msgspec.json.decode(self.results(trial.state))
            assert [seat["net"] for seat in results["seats"]] == list(outcome.net)
            amounts = [transfer["amount"] for transfer in results["transfers"]]
            assert amounts == [transfer.amount for transfer in outcome.transfers]
            named = {code for codes in self.ruleset.rules.named_codes.values() for code in codes}
            assert {transfer["reason"] for transfer in results["transfers"]} <= named

    def test_round_is_not_settled_before_its_last_event(self) -> None:
        """A round without events is not settled before its deal."""
        for trial in self.rounds():
            assert self.game.check_closing(trial.state, trial.state.last_time - 1)

    def test_closed_cards_decide_nothing_and_are_not_settled(self) -> None:
        """A check has the same faults if cards that it does not need are closed; no round settles without all cards."""
        for trial in self.rounds():
            deal = trial.begun.deal
            closed = msgspec.structs.replace(deal, sections=(None,) * len(deal.sections))
            if self.game.layout(deal.seat_count).needs_hands and not deal.is_sealed:
                assert _raises(DealError, self.game.begin, self.ruleset.rules, closed)
                continue
            hidden = self.game.begin(self.ruleset.rules, closed)
            for before, event, _ in trial.steps:
                if hidden.event_count != before.event_count or self.game.later.needs(hidden, event):
                    break
                assert self.game.check(hidden, event) == self.game.check(before, event)
                after = self.game.apply(hidden, event)
                opened = self.game.later.opens(hidden, after)
                hidden = self.game.later.unseal(after, after.last_time + 1) if opened else after
            if trial.closed_time is not None and hidden.event_count == trial.state.event_count:
                assert _raises(DealError, self.game.settle, hidden)

    def test_sections_open_once_and_exist(self) -> None:
        """No event opens a section that was open before, or one that the layout does not show."""
        for trial in self.rounds():
            opened: list[int] = []
            for before, event, _ in trial.steps:
                opened += self.game.later.opens(before, self.game.apply(before, event))
            assert len(opened) == len(set(opened))
            assert set(opened) <= set(self.game.layout(trial.begun.deal.seat_count).shown)

    def test_nobody_must_have_seen_what_is_not_there(self) -> None:
        """``minimum_seen`` is 0 or the number of an earlier event."""
        for before, event, _ in self.steps():
            assert 0 <= self.game.minimum_seen(before, event) <= before.event_count

    def test_clock_runs_until_the_round_is_over(self) -> None:
        """The clock starts with the deal or an earlier event, fits into the round's bounds, and ends with the round."""
        longest = self.ruleset.rules.round.bounds.longest
        for trial in self.rounds():
            for state in (trial.begun, *[step.after for step in trial.steps]):
                clock = self.game.clock(state)
                if state.is_over:
                    assert clock is None
                elif clock is not None:
                    assert DEALT_TIME <= clock.start <= state.last_time
                    assert 0 < clock.limit <= longest
                    assert 0 <= clock.number <= state.event_count
                    assert clock.seat is None or 0 <= clock.seat < state.deal.seat_count

    def test_codes_have_words_and_kinds(self) -> None:
        """Every code of a violation is in the game's texts, and has a kind."""
        texts, codes = load_texts(self.game.name), set()
        for before, event, _ in self.steps():
            for stray in (event, *self.spoilt(before, event)):
                codes |= {violation.code for violation in self.game.check(before, stray)}
        assert codes
        assert codes <= set(texts.violations)
        assert all(isinstance(self.game.fault_kind(code), FaultKind) for code in (*texts.violations, "NO_SUCH_CODE"))

    def test_impossible_deals_and_stakes_begin_no_round(self) -> None:
        """A card twice, a section of the wrong size and a stake below zero are errors."""
        begin, rules = self.game.begin, self.ruleset.rules
        for trial in self.rounds()[:10]:
            deal = trial.begun.deal
            first, second = deal.sections[0], deal.sections[1]
            twice = (first, (first[0], *second[1:]), *deal.sections[2:])
            assert _raises(DealError, begin, rules, msgspec.structs.replace(deal, sections=twice))
            short = (first[1:], *deal.sections[1:])
            assert _raises(DealError, begin, rules, msgspec.structs.replace(deal, sections=short))
            assert _raises(StakesError, begin, rules, msgspec.structs.replace(deal, stake=-1))

    def test_a_defect_is_an_error_of_the_law(self) -> None:
        """A function that is called with an object that is no state raises LawError, which names the game."""
        for name in ("check_closing", "settle", "clock"):
            function, arguments = getattr(self.game, name), (object(), 0) if name == "check_closing" else (object(),)
            try:
                function(*arguments)
            except LawError as error:
                assert (error.game, error.function) == (self.game.name, name)
            else:
                raise AssertionError(name)


def _raises(error: type[Exception], function: Any, *arguments: Any) -> bool:
    """Return whether a call raises this error."""
    try:
        function(*arguments)
    except error:
        return True
    return False


_PLAYED: Final[dict[type[LawTests], tuple[TrialRound, ...]]] = {}
"""Rounds of each subclass, which all of its tests are about."""


def _play(about: LawTests) -> tuple[TrialRound, ...]:
    game, ruleset = about.game, about.ruleset
    rounds = []
    for seed in range(about.round_count):
        luck = random.Random(seed)  # noqa: S311 - the same rounds each time
        deal = random_deal(game, ruleset, luck, is_sealed=game.later.can_be_sealed and seed % 2 == 1)
        rounds.append(play_round(game, ruleset, deal, about.choices, luck))
    return tuple(rounds)
